// `parallel.save_rows`: a tensor whose rows lie on the ranks becomes one file. Rank 0 makes the file under another
// name, all ranks write their bytes into it, and rank 0 puts it in its place. So no rank holds all rows, and no file is
// left half written; but all ranks must see the folder.
#include <optional>

#include "stdlib/cluster/ranks.hpp"
#include "stdlib/files/atomic.hpp"
#include "stdlib/files/leaves.hpp"
#include "stdlib/files/npy.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/leaf.hpp"
#include "stdlib/ops/ranks/own_work.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using cluster::Operation;

// The rows that this rank has.
class RowsOfRank {
 public:
  RowsOfRank(Context& context, const std::string& path, Value rows)
      : context_(context), path_(path), rows_(std::move(rows)), all_rows_(count()) {}

  void write_alone() {
    start_file();
    files::write_npy_elements(*file_, *context_.pool, rows_);
    file_->commit();
  }

  void write_together() {
    agree();
    const auto make = [&] { return is_first() ? start_file() : std::string(); };
    const std::string temporary = do_own_work(context_, Operation::save_rows, make).front();
    do_own_work(context_, Operation::save_rows, [&] {
      write_own(temporary);
      return std::string();
    });
    do_own_work(context_, Operation::save_rows, [&] {
      if (is_first()) file_->commit();
      return std::string();
    });
  }

 private:
  bool is_first() const { return context_.ranks->rank() == 0; }
  int64_t count() const { return shape_of(shaped_part(rows_))[0].number(); }

  // All but the number of rows.
  uint64_t hash() const {
    Type type = type_of(shaped_part(rows_));
    type.shape[0] = Dim(0);
    return hash_of_leaf(type, is_complex(rows_) ? "complex" : "");
  }

  void agree() {
    const auto words = [&] { return describe(rows_) + " to " + files::shown(path_); };
    cluster::Joined joined(context_, {Operation::save_rows, cluster::hash_of(path_, hash()), words});
    int rank = 0;
    all_rows_ = 0;
    for (const cluster::Header& one : joined.agree(files::npy_element_bytes(rows_), static_cast<uint64_t>(count()))) {
      if (rank++ < context_.ranks->rank()) bytes_before_ += one.bytes;
      all_rows_ += static_cast<int64_t>(one.value);
    }
  }

  std::string header() const { return files::npy_header(rows_, all_rows_); }

  // The name that it has meanwhile.
  std::string start_file() {
    file_.emplace(path_, context_);
    file_->write(header());
    return file_->temporary();
  }

  void write_own(const std::string& temporary) {
    if (is_first()) return files::write_npy_elements(*file_, *context_.pool, rows_);
    files::AtomicFilePart part(path_, temporary, header().size() + bytes_before_, context_);
    files::write_npy_elements(part, *context_.pool, rows_);
    part.complete();
  }

  Context& context_;
  const std::string& path_;
  const Value rows_;
  int64_t all_rows_;
  uint64_t bytes_before_ = 0;              // of the ranks before this one
  std::optional<files::AtomicFile> file_;  // on rank 0
};

Value save_rows(Builder& b, Call& call) {
  Context& context = b.context();
  require_no_part(context, Operation::save_rows);
  if (!call.args[0].is(ObjectKind::string)) fail_attribute(call, 0, "a path in a string");
  const std::string& path = call.args[0].string().text;
  if (!path.ends_with(".npy")) files::fail_to_write(path, "rows are written to .npy files");
  const Value x = files::plain_tree(shown_name(call.entry), call.args[1]);
  if (!is_leaf_of_numbers(x)) fail_attribute(call, 1, "a tensor");
  if (shape_of(shaped_part(x)).empty()) fail(message("ranks_rows"), {shown_name(call.entry)}, {label_of(call, 1)});
  RowsOfRank rows(context, path, x);
  if (context.ranks->size() > 1)
    rows.write_together();
  else
    rows.write_alone();
  return Value();
}

}  // namespace

const Entry& parallel_save_rows_entry() {
  static const Entry entry{
      .name = "_parallel_save_rows",
      .doc = "Writes a tensor to a file, each rank its rows.",
      .parameters = {attribute("path"), any_parameter("x")},
      .eager = save_rows,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true, .meets = true},
      .internal = true,
      .part_of = "parallel.save_rows",
  };
  return entry;
}

}  // namespace covec::ops
