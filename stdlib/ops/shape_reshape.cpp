// The same elements in the same order with other sizes: reshape, squeeze, unsqueeze. A view when the operand is
// row-major, else a copy that is.
#include <array>

#include "stdlib/ops/attributes.hpp"
#include "stdlib/ops/shape.hpp"
#include "stdlib/ops/shape_parts.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

namespace {

Dim elements_of(ShapeBuilder& shapes, const Shape& shape) {
  Dim product = 1;
  for (Dim dim : shape) product = shapes.multiply(product, dim);
  return product;
}

std::vector<std::string> reshape_parts(const void* self, int64_t a, int64_t b) {
  const auto& [from, to] = *static_cast<const std::pair<Type, Shape>*>(self);
  return {from.text(), to.text(), std::to_string(a), std::to_string(b)};
}

// Replaces the one -1 by what the other sizes leave.
void infer_size(const Type& x, Integers& sizes, int unknown) {
  Shape others;
  for (unsigned i = 0; i < sizes.size(); ++i) others.push_back(Dim(static_cast<int>(i) == unknown ? 1 : sizes[i]));
  const int64_t all = x.shape.elements(), rest = others.elements();
  if (rest == 0 || all % rest != 0) {
    std::string wanted = "[";
    for (unsigned i = 0; i < sizes.size(); ++i) wanted += (i ? ", " : "") + std::to_string(sizes[i]);
    fail(message("reshape_infer"), {x.text(), wanted + "]", std::to_string(all)});
  }
  sizes[unknown] = all / rest;
}

Shape reshape_target(ShapeBuilder& shapes, const Call& call, const Type& x) {
  if (!variadic_given(call)) fail(message("argument_missing"), {"reshape", "shape"});
  Integers sizes = variadic_integers(call);
  int unknown = -1;
  for (unsigned i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != -1) continue;
    if (unknown >= 0) fail(message("reshape_unknown"), {x.text()});
    unknown = static_cast<int>(i);
  }
  if (unknown >= 0) infer_size(x, sizes, unknown);
  const std::pair<Type, Shape> both(x, shape_of_integers(call, sizes));
  shapes.require_equal(elements_of(shapes, x.shape), elements_of(shapes, both.second),
                       {&message("reshape_elements"), reshape_parts, nullptr, &both});
  return both.second;
}

Type reshape_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0);
  return {x.dtype, reshape_target(shapes, call, x)};
}

Value reshape_eager(Builder& builder, Call& call) {
  const Shape target = reshape_target(builder, call, type_of(call.args[0]));
  return reshape_value(builder.pool(), std::move(call.args[0]), target);
}

Value back_to_shape(RuleContext& rule, unsigned, const Kept& kept, const Value& cotangent) {
  return reshape(rule.builder(), cotangent, kept.types[0].shape);
}

Shape with_batch(Shape shape, int64_t size) {
  shape.insert(0, Dim(size));
  return shape;
}

Value reshape_batch(Builder& builder, Call& call, const Batching& batching) {
  const Shape target = reshape_target(builder, call, example_type(call, 0, batching));
  return reshape(builder, std::move(call.args[0]), with_batch(target, batching.size));
}

Shape squeezed(const Call& call, const Type& x) {
  const bool all = call.args[1].is_none();
  const uint32_t set = all ? 0 : axis_set(call, 1, x.shape.rank());
  Shape result;
  for (unsigned i = 0; i < x.shape.rank(); ++i) {
    const bool drop = all ? x.shape[i] == Dim(1) : (set >> i) & 1;
    if (drop && x.shape[i] != Dim(1)) {
      fail(message("squeeze_axis"), {std::to_string(i), x.text(), std::to_string(x.shape[i].number())},
           {label_of(call, 0)});
    }
    if (!drop) result.push_back(x.shape[i]);
  }
  return result;
}

Shape unsqueezed(const Call& call, const Type& x) {
  const Integers axes = integers_argument(call, 1);
  const unsigned rank = x.shape.rank() + axes.size();
  if (rank > max_rank) fail(message("rank_limit"), {std::to_string(rank)});
  const uint32_t set = axis_set(call, 1, rank);
  Shape result;
  unsigned next = 0;
  for (unsigned i = 0; i < rank; ++i) result.push_back((set >> i) & 1 ? Dim(1) : x.shape[next++]);
  return result;
}

template <Shape (*target)(const Call&, const Type&)>
Type ones_type(ShapeBuilder&, const Call& call) {
  const Type x = operand_type(call, 0);
  return {x.dtype, target(call, x)};
}

template <Shape (*target)(const Call&, const Type&)>
Value ones_eager(Builder& builder, Call& call) {
  const Shape shape = target(call, type_of(call.args[0]));
  return reshape_value(builder.pool(), std::move(call.args[0]), shape);
}

template <Shape (*target)(const Call&, const Type&)>
Value ones_batch(Builder& builder, Call& call, const Batching& batching) {
  const Shape shape = target(call, example_type(call, 0, batching));
  return reshape(builder, std::move(call.args[0]), with_batch(shape, batching.size));
}

}  // namespace

const Entry& reshape_entry() {
  static const Entry entry{
      .name = "reshape",
      .doc =
          "The elements of `x`, in order, in another shape. One size may be -1: it is what the others leave.\n\n"
          "`reshape(x, 2, 3)` or `reshape(x, (2, 3))`. Shares its elements with `x` where that is possible.",
      .parameters = {tensor_parameter("x"), attribute("shape", Value())},
      .variadic = true,
      .variadic_at = 1,
      .type = reshape_type,
      .eager = reshape_eager,
      .derivative = Derivative::linearly(1, back_to_shape),
      .batch = reshape_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3, 4, 5, 6], 2, 3",
                   .expected = "[[1.0, 2, 3], [4, 5, 6]]",
                   .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]], -1", .expected = "[1, 2, 3, 4]"},
                  {.arguments = "[[1.5]], ()", .expected = "1.5", .differentiate = true},
                  {.arguments = "zeros(0, 3), (3, 0)", .expected = "zeros(3, 0)"},
                  {.arguments = "[1.0, 2, 3, 4].reshape(2, 2).T, 4", .expected = "[1.0, 3, 2, 4]"}},
  };
  return entry;
}

const Entry& squeeze_entry() {
  static const Entry entry{
      .name = "squeeze",
      .doc = "`x` without its axes of size 1, or without those that `axis` (an integer or a tuple) names.",
      .parameters = {tensor_parameter("x"), attribute("axis", Value())},
      .type = ones_type<squeezed>,
      .eager = ones_eager<squeezed>,
      .derivative = Derivative::linearly(1, back_to_shape),
      .batch = ones_batch<squeezed>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[[1.0], [2.0]]]", .expected = "[1.0, 2]", .differentiate = true},
                  {.arguments = "[[[1], [2]]], axis=-1", .expected = "[[1, 2]]"},
                  {.arguments = "[[4.0]]", .expected = "4.0"}},
  };
  return entry;
}

const Entry& unsqueeze_entry() {
  static const Entry entry{
      .name = "unsqueeze",
      .doc = "`x` with an axis of size 1 put at `axis` of the result (an integer or a tuple).",
      .parameters = {tensor_parameter("x"), attribute("axis")},
      .type = ones_type<unsqueezed>,
      .eager = ones_eager<unsqueezed>,
      .derivative = Derivative::linearly(1, back_to_shape),
      .batch = ones_batch<unsqueezed>,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2], 1", .expected = "[[1.0], [2.0]]", .differentiate = true},
                  {.arguments = "[1, 2], (0, -1)", .expected = "[[[1], [2]]]"},
                  {.arguments = "3.0, 0", .expected = "[3.0]"}},
  };
  return entry;
}

}  // namespace covec::ops
