// What all ranks have, joined along an axis in the order of ranks, on every rank.
#include <cstring>
#include <numeric>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/leaf.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/ops/ranks/parts_value.hpp"
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

unsigned axis_of(const Call& call, const Type& type) {
  return normal_axis(call, integer_argument(call, 1), type.shape.rank());
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
      pieces.push_back(view_of(builder_.pool(), type, {at, sizes_[rank]}));
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
  require_no_part(b.context(), Operation::all_gather);
  const Type type = joined_type(call);
  const unsigned axis = axis_of(call, type);
  const std::string_view structure = call.args[2].string().text;
  if (b.context().ranks->size() == 1) return reshape(b, std::move(call.args[0]), type.shape);
  const LeafBytes mine(b.pool(), std::move(call.args[0]));
  const auto words = [&] {
    return words_of_leaf(mine.type(), structure) + (axis > 0 ? " by axis " + std::to_string(axis) : "");
  };
  cluster::Joined joined(b.context(), {Operation::all_gather, hash_of_join(type, axis, structure), words});
  return Join(b, joined, type, axis).of(mine.bytes());
}

Type type_of_join(ShapeBuilder& shapes, const Call& call) {
  Type type = joined_type(call);
  type.shape[axis_of(call, type)] = shapes.unknown_dim();
  return type;
}

// Of a vmap: of all examples at once.
Value gather_examples(Builder& b, Call& made, const Batching& batching) {
  const unsigned rank = example_type(made, 0, batching).shape.rank();
  const int64_t axis = rank == 0 ? 0 : normal_axis(made, integer_argument(made, 1), rank);
  if (rank == 0) made.args[0] = unsqueeze(b, std::move(made.args[0]), 1);
  return call(b, made.entry, {std::move(made.args[0]), Value(axis + 1), std::move(made.args[2])});
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
      .parameters = {tensor_parameter("x"), attribute("axis"), attribute("structure")},
      .carries = true,
      .type = type_of_join,
      .eager = gather_leaf,
      .derivative = Derivative::none("speaks to other ranks"),
      .batch = gather_examples,
      .effects = {.may_fail = true, .outside = true, .meets = true},
      .instead = instead_of_leaf,
      .internal = true,
      .part_of = "parallel.all_gather",
  };
  return entry;
}

const Entry& parallel_gather_value_entry() {
  static const Entry entry{
      .name = "_parallel_gather_value",
      .doc = "A list of x of all ranks, which is no number.",
      .parameters = {any_parameter("x"), attribute("axis"), attribute("structure")},
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
