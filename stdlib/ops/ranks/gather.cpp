// What all ranks have, joined along an axis in the order of ranks, on every rank.
#include <cstring>
#include <numeric>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/leaf.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/ops/ranks/parts_value.hpp"
#include "stdlib/ops/ranks/reduce.hpp"
#include "stdlib/ops/ranks/travel.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"

namespace covec::ops {

namespace {

using cluster::Operation;

// A number is joined as a vector of one.
Type joined_type(const Call& call) {
  Type type = operand_type(call, 0);
  if (type.shape.empty()) type.shape.push_back(Dim(1));
  return type;
}

unsigned axis_of(const Call& call, unsigned operand, const Type& type) {
  return normal_axis(call, integer_argument(call, operand), type.shape.rank());
}

// All but the extent of the axis must agree.
uint64_t hash_of_join(Type type, unsigned axis, std::string_view structure) {
  type.shape[axis] = Dim(-1 - static_cast<int64_t>(axis));
  return hash_of_leaf(type, structure);
}

class Join {
 public:
  Join(Builder& b, cluster::Joined& joined, const Type& type, unsigned axis)
      : builder_(b), joined_(joined), type_(type), axis_(axis) {}

  Value of(cluster::Bytes mine) {
    for (const cluster::Header& header :
         joined_.agree(mine.size(), static_cast<uint64_t>(type_.shape[axis_].number()))) {
      sizes_.push_back(header.bytes);
      extents_.push_back(static_cast<int64_t>(header.value));
    }
    Type all = type_;
    all.shape[axis_] = Dim(std::accumulate(extents_.begin(), extents_.end(), int64_t{0}));
    if (axis_ == 0) return gathered(mine, all);
    const Value flat = gathered(mine, {type_.dtype, {Dim(all.shape.elements())}});
    std::vector<Value> pieces = pieces_of(flat);
    return concat(builder_, pieces, axis_);
  }

 private:
  Value gathered(cluster::Bytes mine, const Type& type) {
    Value all = make_tensor(builder_.pool(), type.dtype, type.shape);
    const size_t bytes = static_cast<size_t>(type.shape.elements()) * size_of(type.dtype);
    joined_.all_gather_into(mine, sizes_, {all.tensor().data(), bytes});
    return all;
  }

  std::vector<Value> pieces_of(const Value& flat) const {
    std::vector<Value> pieces;
    const std::byte* at = flat.tensor().data();
    for (size_t rank = 0; rank < sizes_.size(); ++rank) {
      Type type = type_;
      type.shape[axis_] = Dim(extents_[rank]);
      pieces.push_back(view_of(builder_.pool(), type, {at, static_cast<size_t>(sizes_[rank])}));
      at += sizes_[rank];
    }
    return pieces;
  }

  Builder& builder_;
  cluster::Joined& joined_;
  const Type type_;
  const unsigned axis_;
  std::vector<uint64_t> sizes_;
  std::vector<int64_t> extents_;  // of the axis, by rank
};

Value gather_leaf(Builder& b, Call& call) {
  const bool alone = is_alone(b.context(), Operation::all_gather, call.args[3]);
  const Type type = joined_type(call);
  const unsigned axis = axis_of(call, 1, type);
  const std::string_view structure = structure_text(call.args[2]);
  if (alone) return reshape(b, std::move(call.args[0]), type.shape);
  const LeafBytes mine(b.pool(), std::move(call.args[0]));
  const auto words = [&] {
    return words_of_leaf(mine.type(), structure) + (axis > 0 ? " by axis " + std::to_string(axis) : "");
  };
  cluster::Joined joined(
      b.context(), {Operation::all_gather, hash_of_join(type, axis, structure), words, told_followers(call.args[3])});
  return Join(b, joined, type, axis).of(mine.bytes());
}

Type type_of_join(ShapeBuilder& shapes, const Call& call) {
  Type type = joined_type(call);
  type.shape[axis_of(call, 1, type)] = shapes.unknown_dim();
  return type;
}

// Of a vmap: of all examples at once.
Value gather_examples(Builder& b, Call& made, const Batching& batching) {
  const unsigned rank = example_type(made, 0, batching).shape.rank();
  const int64_t axis = rank == 0 ? 0 : normal_axis(made, integer_argument(made, 1), rank);
  if (rank == 0) made.args[0] = unsqueeze(b, std::move(made.args[0]), 1);
  made.args[1] = Value(axis + 1);
  return call(b, made.entry, made.args);
}

// --- in reverse: this rank's part of what all have, added up over the ranks ---

Value own_part(Builder& b, Call& call) {
  const Type type = operand_type(call, 0);
  const int64_t own = integer_argument(call, 1);
  const unsigned axis = axis_of(call, 2, type);
  if (is_alone(b.context(), Operation::all_gather, call.args[3])) return std::move(call.args[0]);
  LeafBytes mine(b.pool(), std::move(call.args[0]));
  const auto words = [&] { return words_of_leaf(mine.type(), ""); };
  const uint64_t operand = cluster::hash_of("parts of cotangents", hash_of_leaf(mine.type(), ""));
  cluster::Joined joined(b.context(), {Operation::all_gather, operand, words, told_followers(call.args[3])});
  int64_t first = 0;
  const std::vector<cluster::Header> all = joined.agree(mine.bytes().size(), static_cast<uint64_t>(own));
  for (size_t rank = 0; rank < joined.rank(); ++rank) first += static_cast<int64_t>(all[rank].value);
  return narrow(b, sum_of_ranks(b, joined, mine), axis, Dim(first), Dim(own));
}

Type type_of_own_part(ShapeBuilder& shapes, const Call& call) {
  Type type = operand_type(call, 0);
  type.shape[axis_of(call, 2, type)] = shapes.dim_of(call.args[1]);
  return type;
}

Value own_part_of_examples(Builder& b, Call& made, const Batching& batching) {
  const unsigned rank = example_type(made, 0, batching).shape.rank();
  made.args[2] = Value(int64_t{1} + normal_axis(made, integer_argument(made, 2), rank));
  return call(b, made.entry, made.args);
}

Value cotangent_of_part(RuleContext& rules, unsigned, const Residuals& residuals, const Value& cotangent) {
  const Shape& shape = residuals.types[0].shape;
  if (shape.empty())
    return rules.reshape(rules.call(parallel_own_part_entry(), {cotangent, Value(int64_t{1}), Value(int64_t{0})}), {});
  const int64_t given = residuals.operands[1].i64(), axis = given < 0 ? given + shape.rank() : given;
  const Value extent = rules.builder().extent(shape[static_cast<unsigned>(axis)]);
  return rules.call(parallel_own_part_entry(), {cotangent, extent, Value(axis)});
}

Value cotangent_of_own_part(RuleContext& rules, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rules.call(parallel_gather_entry(), {cotangent, residuals.operands[2]});
}

// What is no number: a list of what the ranks have.
Value gather_values(Builder& b, Call& call) {
  require_no_part(b.context(), Operation::all_gather);
  const Value& value = call.args[0];
  if (const std::string leaf = fixed_leaf(value); !leaf.empty()) fail_fixed(Operation::all_gather, leaf);
  cluster::ByteWriter out;
  put_value(out, value);
  const auto words = [&] { return describe(value); };
  const uint64_t operand = cluster::hash_of("a value", cluster::hash_of(call.args[2].string().text));
  const cluster::Gathered gathered = cluster::gather(b.context(), {Operation::all_gather, operand, words}, out.take());
  std::vector<Value> all;
  for (const std::string_view packed : gathered.parts()) {
    cluster::ByteReader in(packed);
    all.push_back(get_value(b.pool(), in));
  }
  return make_list(std::move(all));
}

const Entry* instead_of_leaf(std::span<const Value> args, uint32_t) {
  return is_leaf_of_numbers(args[0]) ? nullptr : &parallel_gather_value_entry();
}

// What parallel.map gives: constant where a function is staged.
Value is_parts(Builder&, Call& call) { return Value(looks_like_parts(call.args[0])); }

}  // namespace

const Entry& parallel_gather_entry() {
  static const Entry entry{
      .name = "_parallel_gather",
      .doc = "x of all ranks, joined along an axis.",
      .parameters = {tensor_parameter("x"), attribute("axis"), attribute("structure", Value()),
                     attribute("active", Value(int64_t{0}))},
      .carries = true,
      .type = type_of_join,
      .eager = gather_leaf,
      .derivative = Derivative::linearly(1, cotangent_of_part),
      .batch = gather_examples,
      .effects = {.may_fail = true, .outside = true, .meets = true},
      .instead = instead_of_leaf,
      .internal = true,
      .part_of = "parallel.all_gather",
  };
  return entry;
}

const Entry& parallel_own_part_entry() {
  static const Entry entry{
      .name = "_parallel_own_part",
      .doc =
          "The sum of x of all ranks, and of that, along an axis, the part of this rank: `extent` behind those of "
          "lower "
          "ranks.",
      .parameters = {tensor_parameter("x"), tensor_parameter("extent"), attribute("axis"),
                     attribute("active", Value(int64_t{0}))},
      .carries = true,
      .type = type_of_own_part,
      .eager = own_part,
      .derivative = Derivative::linearly(1, cotangent_of_own_part),
      .batch = own_part_of_examples,
      .effects = {.may_fail = true, .outside = true, .meets = true},
      .internal = true,
      .part_of = "parallel.all_gather",
  };
  return entry;
}

const Entry& parallel_gather_value_entry() {
  static const Entry entry{
      .name = "_parallel_gather_value",
      .doc = "A list of x of all ranks, which is no number.",
      .parameters = {any_parameter("x"), attribute("axis"), attribute("structure", Value()),
                     attribute("active", Value(int64_t{0}))},
      .eager = gather_values,
      .derivative = Derivative::none("speaks to other ranks"),
      .effects = {.may_fail = true, .outside = true, .shared = true, .meets = true},
      .internal = true,
      .part_of = "parallel.all_gather",
  };
  return entry;
}

const Entry& parallel_is_parts_entry() {
  static const Entry entry{
      .name = "_parallel_is_parts",
      .doc = "Whether x is what parallel.map gives.",
      .parameters = {any_parameter("x")},
      .eager = is_parts,
      .derivative = Derivative::none("gives a bool"),
      .internal = true,
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace covec::ops
