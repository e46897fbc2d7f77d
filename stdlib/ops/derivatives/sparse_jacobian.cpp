// jacobian(f, sparse=P) and hessian(f, sparse=P): reads the pattern and makes a plan for it.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/derivatives/grad.hpp"
#include "stdlib/ops/derivatives/jacobian.hpp"
#include "stdlib/ops/derivatives/sparse_plan.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

using sparse::ColorKind;

[[noreturn]] void fail_pattern(const std::string& name, const std::string& must_be, const std::string& got) {
  fail(message("bad_attribute"), {name, "the pattern", must_be, got});
}

// An integer vector of the record, as i64 in one piece.
Value integers(ops::Builder& b, const std::string& name, const Record& matrix, std::string_view field) {
  const Value* found = matrix.find(field);
  if (found != nullptr && !found->is_numeric() && is_operand(*found)) fail_not_staged("the pattern of a sparse matrix");
  const bool fits = found != nullptr && found->is_tensor() && found->tensor().rank() == 1 &&
                    kind_of(found->tensor().dtype()) == DtypeKind::integer;
  if (!fits) {
    fail_pattern(name, "a sparse matrix, with a vector of integers in `" + std::string(field) + "`",
                 found == nullptr ? "none" : describe(*found));
  }
  return contiguous(b.pool(), ops::call(b, ops::cast_entry(Dtype::i64), {*found}));
}

int64_t extent(const std::string& name, const Record& matrix, size_t axis) {
  const Value* shape = matrix.find("shape");
  const bool is_pair = shape != nullptr && shape->is(ObjectKind::tuple) && shape->tuple().items.size() == 2;
  const Value* found = is_pair ? &shape->tuple().items[axis] : nullptr;
  if (found != nullptr && found->is_symbol()) fail_not_staged("the pattern of a sparse matrix");
  const bool fits =
      found != nullptr && found->is_integer() && found->integer() >= 0 && found->integer() < sparse::graph_limit;
  if (!fits) {
    fail_pattern(name, "a sparse matrix, with two extents in `shape`",
                 found == nullptr ? "none" : std::to_string(found->integer()));
  }
  return found->integer();
}

std::span<const int64_t> numbers_of(const Value& vector) {
  return {vector.tensor().as<int64_t>(), static_cast<size_t>(vector.tensor().size())};
}

void require_sound(const std::string& name, const SparsePattern& pattern) {
  const auto starts = numbers_of(pattern.indptr), indices = numbers_of(pattern.indices);
  const auto count = static_cast<int64_t>(indices.size());
  const auto size_text = [](int64_t size) { return std::to_string(size); };
  if (static_cast<int64_t>(starts.size()) != pattern.rows + 1) {
    fail_pattern(name, "of " + size_text(pattern.rows + 1) + " numbers in `indptr`, one more than rows",
                 size_text(static_cast<int64_t>(starts.size())));
  }
  if (count >= sparse::graph_limit) fail_pattern(name, "of less than 2^32 entries", size_text(count));
  int64_t before = 0;
  for (const int64_t start : starts) {
    if (start < before || start > count || (&start == starts.data() && start != 0)) {
      fail_pattern(name, "with `indptr` that rises from 0 to " + size_text(count), size_text(start));
    }
    before = start;
  }
  if (before != count) fail_pattern(name, "with `indptr` that rises from 0 to " + size_text(count), size_text(before));
  for (int64_t row = 0; row < pattern.rows; ++row) {
    int64_t last = -1;
    for (int64_t at = starts[static_cast<size_t>(row)]; at < starts[static_cast<size_t>(row) + 1]; ++at) {
      const int64_t index = indices[static_cast<size_t>(at)];
      if (index <= last || index >= pattern.columns) {
        fail_pattern(name, "with rising indices below " + size_text(pattern.columns) + " in each row",
                     size_text(index) + " in row " + size_text(row));
      }
      last = index;
    }
  }
}

SparsePattern read_pattern(ops::Builder& b, const std::string& name, const Value& given) {
  const Record& matrix = given.record();
  const int64_t rows = extent(name, matrix, 0), columns = extent(name, matrix, 1);
  SparsePattern pattern{integers(b, name, matrix, "indptr"), integers(b, name, matrix, "indices"), rows, columns};
  require_sound(name, pattern);
  return pattern;
}

ColorKind kind_of_mode(JacobianMode mode) {
  return mode == JacobianMode::forward   ? ColorKind::forward
         : mode == JacobianMode::reverse ? ColorKind::reverse
                                         : ColorKind::automatic;
}

std::string name_of(std::string_view transform, const Value& f) {
  return std::string(transform) + "(" + f.function().name() + ")";
}

}  // namespace

bool wants_dense(std::string_view transform, const Value& sparse) {
  if (sparse.tag() == Tag::boolean) return !sparse.boolean();
  if (sparse.is(ObjectKind::record)) return false;
  fail(message("bad_attribute"), {std::string(transform), "sparse", "a bool or a sparse matrix", describe(sparse)});
}

Value sparse_jacobian(ops::Builder& b, const Value& f, Parameters wrt, JacobianMode mode, const Value& sparse,
                      bool check) {
  PlanOptions options{
      .transform = "jacobian", .name = name_of("jacobian", f), .wrt = std::move(wrt), .always = true, .check = check};
  const SparsePattern pattern = read_pattern(b, options.name, sparse);
  return like_function(b, f, make_plan(b, f, pattern, kind_of_mode(mode), std::move(options)));
}

Value sparse_hessian(ops::Builder& b, const Value& f, Parameters wrt, const Value& sparse, bool check) {
  PlanOptions options{
      .transform = "hessian", .name = name_of("hessian", f), .wrt = wrt, .always = true, .check = check};
  const SparsePattern pattern = read_pattern(b, options.name, sparse);
  const sparse::Graph graph =
      sparse::graph_of(numbers_of(pattern.indptr), numbers_of(pattern.indices), pattern.columns);
  if (!sparse::is_symmetric(graph)) fail_pattern(options.name, "symmetric", "one that has an entry without its mirror");
  Value gradient = make_grad("hessian", f, GradOptions{std::move(wrt), false, false, false, false});
  return like_function(b, f, make_plan(b, std::move(gradient), pattern, ColorKind::symmetric, std::move(options)));
}

}  // namespace covec::autodiff
