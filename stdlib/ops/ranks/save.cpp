// `parallel.save`: rank 0 writes what all ranks have. They compare it first, by hashes.
#include <algorithm>

#include "stdlib/cluster/ranks.hpp"
#include "stdlib/files/file.hpp"
#include "stdlib/files/leaves.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/ranks/bits.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/leaf.hpp"
#include "stdlib/ops/ranks/own_work.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using cluster::Header;
using cluster::Operation;

const std::string& path_argument(const Call& call) {
  if (!call.args[0].is(ObjectKind::string)) fail_attribute(call, 0, "a path in a string");
  return call.args[0].string().text;
}

uint64_t hash_of_number(uint64_t number, uint64_t hash) {
  return cluster::hash_of({reinterpret_cast<const char*>(&number), sizeof number}, hash);
}

// Of one leaf that is saved: what other ranks compare it by.
struct Fingerprint {
  uint64_t type = 0, bits = 0;
};

Fingerprint fingerprint_of(Pool& pool, const Value& leaf) {
  if (!is_complex(leaf)) return {hash_of_leaf(type_of(leaf), ""), hash_of_bits(pool, leaf)};
  const Complex& z = complex_of(leaf);
  return {hash_of_leaf(type_of(z.re()), "complex"),
          hash_of_number(hash_of_bits(pool, z.re()), hash_of_bits(pool, z.im()))};
}

class SavedTree {
 public:
  SavedTree(Context& context, const files::TreeFile& file, const Value& tree)
      : context_(context), file_(file), tree_(tree) {
    for (const auto& [name, leaf] : file.leaves().tensors) leaves_.push_back(fingerprint_of(*context.pool, leaf));
  }

  // The same on all ranks, or an error on all.
  void compare() const {
    const std::string structure = is_container(tree_) ? structure_of(tree_) : "";
    const auto words = [&] { return files::shown(file_.path()) + (structure.empty() ? "" : " of " + structure); };
    const uint64_t operand = cluster::hash_of(structure, cluster::hash_of(file_.path()));
    cluster::Joined joined(context_, {Operation::save, operand, words});
    const std::vector<Header> all = joined.agree(0, hash());
    const auto other = std::ranges::find_if(all, [&](const Header& one) { return one.value != all.front().value; });
    if (other != all.end()) find_difference(static_cast<size_t>(other - all.begin()));
  }

 private:
  uint64_t hash() const {
    uint64_t hash = leaves_.size();
    for (const Fingerprint& leaf : leaves_) hash = hash_of_number(leaf.bits, hash_of_number(leaf.type, hash));
    return hash;
  }

  // Between the ranks 0 and `other`, whose trees have the same structure.
  void find_difference(size_t other) const {
    const auto words = [] { return std::string("its leaves"); };
    cluster::ByteWriter out;
    for (size_t i = 0; i < leaves_.size(); ++i) {
      out.put(leaves_[i]);
      out.put_text(describe(file_.leaves().tensors[i].second));
    }
    const cluster::Gathered gathered = cluster::gather(context_, {Operation::save, 0, words}, out.take());
    cluster::ByteReader first(gathered.parts().front()), second(gathered.parts()[other]);
    for (const auto& [name, leaf] : file_.leaves().tensors) {
      const auto a = first.get<Fingerprint>(), b = second.get<Fingerprint>();
      const std::string low(first.get_text()), high(second.get_text());
      const std::string rank = "rank " + std::to_string(other), what = is_container(tree_) ? name : "what is saved";
      if (a.type != b.type)
        fail(message("ranks_operands"), {"parallel.save", what + " is " + low, "rank 0", high, rank});
      if (a.bits != b.bits)
        files::fail_to_write(file_.path(), what + " differs between rank 0 and " + rank,
                             "parallel.broadcast gives all ranks what one has");
    }
  }

  Context& context_;
  const files::TreeFile& file_;
  const Value& tree_;
  std::vector<Fingerprint> leaves_;
};

Value save_once(Builder& b, Call& call) {
  Context& context = b.context();
  require_no_part(context, Operation::save);
  const files::TreeFile file(shown_name(call.entry), path_argument(call), call.args[1]);
  if (context.ranks->size() > 1) SavedTree(context, file, call.args[1]).compare();
  const auto write = [&] {
    if (context.ranks->rank() == 0) file.write(context);
    return std::string();
  };
  if (context.ranks->size() > 1)
    do_own_work(context, Operation::save, write);
  else
    write();
  return Value();
}

}  // namespace

const Entry& parallel_save_entry() {
  static const Entry entry{
      .name = "_parallel_save",
      .doc = "Writes tensors to a file, on rank 0.",
      .parameters = {attribute("path"), any_parameter("tree")},
      .eager = save_once,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true, .meets = true},
      .internal = true,
      .part_of = "parallel.save",
  };
  return entry;
}

}  // namespace covec::ops
