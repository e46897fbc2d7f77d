// What all ranks have, added up (or the largest, the smallest): every rank gets it. The order is that of pairs over the
// ranks, so that the bits depend on their number alone, and not on a library. Small operands: each rank gets all of
// them. Large ones: each rank adds a slice of them, and the slices are gathered.
#include <algorithm>
#include <cstring>

#include "stdlib/cluster/pair_sum.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/leaf.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/ops/ranks/reduce.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/string.hpp"

namespace covec::ops {

namespace {

using cluster::Bytes;
using cluster::Operation;

constexpr size_t small = size_t{64} << 10;  // bytes of all ranks' operands together
constexpr size_t piece = size_t{16} << 20;  // bytes of a large operand that are added at once

class Reduction {
 public:
  Reduction(Builder& b, cluster::Joined& joined, const Entry& combine)
      : builder_(b), joined_(joined), ranks_(joined.size()), combine_(combine) {}

  Value of(LeafBytes& mine) {
    const size_t bytes = mine.bytes().size();
    if (bytes == 0) return mine.take();
    if (bytes * ranks_ <= small) return combined(joined_.all_gather(mine.bytes()), mine.type());
    if (ranks_ == 2 && bytes <= piece) return with_other(mine.bytes(), mine.type());
    Value result = make_tensor(builder_.pool(), mine.type().dtype, mine.type().shape);
    for (size_t begin = 0; begin < bytes; begin += piece) {
      const Bytes part = mine.bytes().subspan(begin, std::min(piece, bytes - begin));
      put_part(part, mine.type().dtype, result.tensor().data() + begin);
    }
    return result;
  }

 private:
  // Operands of one type, one for each rank.
  Value combined(Bytes all, const Type& type) {
    const size_t bytes = all.size() / ranks_;
    cluster::PairSum<Value> sum;
    const auto add = [&](Value left, Value right) { return call(builder_, combine_, {left, right}); };
    for (size_t rank = 0; rank < ranks_; ++rank) {
      const Bytes operand = all.subspan(rank * bytes, bytes);
      sum.push({static_cast<int64_t>(rank), 1, view_of(builder_.pool(), type, operand)}, add);
    }
    return sum.total(add);
  }

  Value with_other(Bytes mine, const Type& type) {
    const int other = 1 - joined_.ranks().rank();
    const Bytes theirs = joined_.exchange(mine, other, mine.size(), other);
    return call(builder_, combine_,
                {view_of(builder_.pool(), type, other == 0 ? theirs : mine),
                 view_of(builder_.pool(), type, other == 0 ? mine : theirs)});
  }

  void put_part(Bytes mine, Dtype dtype, std::byte* to) {
    const auto elements = static_cast<int64_t>(mine.size() / size_of(dtype));
    if (ranks_ != 2) return put_slices(mine, dtype, elements, to);
    const Value sum = with_other(mine, {dtype, {Dim(elements)}});
    std::memcpy(to, sum.tensor().data(), mine.size());
  }

  // This rank adds one slice.
  void put_slices(Bytes mine, Dtype dtype, int64_t elements, std::byte* to) {
    std::vector<int> slices;
    for (size_t rank = 0; rank < ranks_; ++rank) {
      const PartRange range = part_range_of(elements, static_cast<int>(rank), static_cast<int>(ranks_));
      slices.push_back(static_cast<int>(range.end - range.first) * static_cast<int>(size_of(dtype)));
    }
    const int own = slices[joined_.rank()];
    const std::vector<int> taken(ranks_, own);
    const Bytes operands = joined_.all_to_all(mine, slices, taken);
    const Dim size(own / static_cast<int64_t>(size_of(dtype)));
    const Value sum = combined(operands, {dtype, {size}});
    const Bytes all = joined_.all_gather({sum.tensor().data(), static_cast<size_t>(own)}, slices);
    std::memcpy(to, all.data(), all.size());
  }

  Builder& builder_;
  cluster::Joined& joined_;
  const size_t ranks_;
  const Entry& combine_;
};

Value reduce(Builder& b, Call& call, Operation operation, const Entry& combine) {
  if (is_alone(b.context(), operation, call.args[2])) return std::move(call.args[0]);
  const std::string_view structure = structure_text(call.args[1]);
  LeafBytes mine(b.pool(), std::move(call.args[0]));
  const auto words = [&] { return words_of_leaf(mine.type(), structure); };
  cluster::Joined joined(b.context(),
                         {operation, hash_of_leaf(mine.type(), structure), words, told_followers(call.args[2])});
  joined.agree(mine.bytes().size());
  return Reduction(b, joined, combine).of(mine);
}

// Complex numbers have no order.
Value fail_order(Builder&, Call& call) { fail_complex(call, 0); }

// Bools count.
Value all_sum(Builder& b, Call& call) {
  if (dtype_of(call.args[0]) == Dtype::boolean) call.args[0] = cast_to(b, std::move(call.args[0]), Dtype::i64);
  return reduce(b, call, Operation::all_sum, handles().add);
}

Type type_of_sum(ShapeBuilder&, const Call& call) {
  Type type = operand_type(call, 0);
  if (type.dtype == Dtype::boolean) type.dtype = Dtype::i64;
  return type;
}

Value sum_of_cotangents(RuleContext& rules, unsigned, const Residuals&, const Value& cotangent) {
  return rules.call(parallel_all_sum_entry(), {cotangent});
}

Value all_max(Builder& b, Call& call) { return reduce(b, call, Operation::all_max, handles().maximum); }
Value all_min(Builder& b, Call& call) { return reduce(b, call, Operation::all_min, handles().minimum); }

// --- the derivative of an extreme: where several ranks have it, it is that of the lowest one's ---

Value is_chosen(RuleContext& rules, const Residuals& residuals) {
  const Value &x = residuals.operands[0], &extreme = *residuals.result;
  const Value is_nan = rules.call(handles().not_equal, {x, x});
  const Value all_nan = rules.call(handles().bit_and, {is_nan, rules.call(handles().not_equal, {extreme, extreme})});
  const Value has_it = rules.call(handles().bit_or, {rules.call(handles().equal, {x, extreme}), all_nan});
  const Value rank = rules.call(parallel_rank_entry(), {}), nobody = rules.call(parallel_size_entry(), {});
  const Value lowest = rules.call(parallel_all_min_entry(), {rules.where(has_it, rank, nobody)});
  return rules.call(handles().equal, {lowest, rank});
}

Value where_chosen(RuleContext& rules, const Residuals& residuals, Value x) {
  return rules.where(is_chosen(rules, residuals), std::move(x), rules.number(0, residuals.types[0].dtype));
}

Value tangent_of_extreme(RuleContext& rules, const Residuals& residuals, std::span<const Value> tangents) {
  return rules.call(parallel_all_sum_entry(), {where_chosen(rules, residuals, tangents[0])});
}

void cotangent_of_extreme(RuleContext& rules, const Residuals& residuals, Value cotangent, Cotangents& sums) {
  Value sum = rules.call(parallel_all_sum_entry(), {std::move(cotangent)});
  sums.add(0, where_chosen(rules, residuals, std::move(sum)));
}

Derivative derivative_of_extreme() {
  return Derivative::by_hand(Derivative::result_bit | 1, tangent_of_extreme, cotangent_of_extreme);
}

Type type_of_operand(ShapeBuilder&, const Call& call) { return operand_type(call, 0); }

// Of a vmap: of all examples at once.
Value all_at_once(Builder& b, Call& made, const Batching&) { return call(b, made.entry, made.args); }

}  // namespace

Value sum_of_ranks(Builder& b, cluster::Joined& joined, LeafBytes& mine) {
  return Reduction(b, joined, handles().add).of(mine);
}

const Entry& parallel_all_sum_entry() {
  static const Entry entry{
      .name = "_parallel_all_sum",
      .doc = "The sum of x of all ranks, in the order of pairs, on every rank.",
      .parameters = {tensor_parameter("x"), attribute("structure", Value()), attribute("active", Value(int64_t{0}))},
      .carries = true,
      .type = type_of_sum,
      .eager = all_sum,
      .derivative = Derivative::linearly(1, sum_of_cotangents),
      .batch = all_at_once,
      .effects = {.may_fail = true, .outside = true, .meets = true},
      .internal = true,
      .part_of = "parallel.all_sum",
  };
  return entry;
}

const Entry& parallel_all_max_entry() {
  static const Entry entry{
      .name = "_parallel_all_max",
      .doc = "The largest x of all ranks, element by element, on every rank.",
      .parameters = {tensor_parameter("x"), attribute("structure", Value()), attribute("active", Value(int64_t{0}))},
      .carries = true,
      .type = type_of_operand,
      .eager = all_max,
      .complex = fail_order,
      .derivative = derivative_of_extreme(),
      .batch = all_at_once,
      .effects = {.may_fail = true, .outside = true, .meets = true},
      .internal = true,
      .part_of = "parallel.all_max",
  };
  return entry;
}

const Entry& parallel_all_min_entry() {
  static const Entry entry{
      .name = "_parallel_all_min",
      .doc = "The smallest x of all ranks, element by element, on every rank.",
      .parameters = {tensor_parameter("x"), attribute("structure", Value()), attribute("active", Value(int64_t{0}))},
      .carries = true,
      .type = type_of_operand,
      .eager = all_min,
      .complex = fail_order,
      .derivative = derivative_of_extreme(),
      .batch = all_at_once,
      .effects = {.may_fail = true, .outside = true, .meets = true},
      .internal = true,
      .part_of = "parallel.all_min",
  };
  return entry;
}

}  // namespace covec::ops
