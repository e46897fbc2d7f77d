// Reorders axes and the elements along them: transpose, permute, flip. Always a view.
#include <array>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/shape/family.hpp"
#include "stdlib/ops/shape/parts.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

using Axes = std::array<unsigned, max_rank>;

std::string axes_text(const Integers& axes) {
  std::string text = "(";
  for (unsigned i = 0; i < axes.size(); ++i) text += (i ? ", " : "") + std::to_string(axes[i]);
  return text + ")";
}

// Result axis i is operand axis axes[i].
Axes permutation_of(const Call& call, unsigned rank) {
  Axes axes = {};
  if (!variadic_given(call) && &call.entry == &transpose_entry()) {
    for (unsigned i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
    return axes;
  }
  const Integers given = variadic_integers(call);
  uint32_t seen = 0;
  for (unsigned i = 0; i < given.size() && given.size() == rank; ++i) {
    axes[i] = normal_axis(call, given[i], rank);
    seen |= 1u << axes[i];
  }
  if (given.size() != rank || seen != (1u << rank) - 1) {
    const bool exchanges = &call.entry == &transpose_entry() && given.size() == 2 && rank > 2;
    fail(message("permutation"),
         {std::string(call.entry.name), std::to_string(static_cast<int>(rank) - 1), axes_text(given)},
         {label_of(call, 0)}, exchanges ? "to exchange two axes, write swapaxes(x, -1, -2)" : "");
  }
  return axes;
}

Axes inverse(const Axes& axes, unsigned rank) {
  Axes result = {};
  for (unsigned i = 0; i < rank; ++i) result[axes[i]] = i;
  return result;
}

Type permute_type(ShapeBuilder&, const Call& call) {
  const Type x = operand_type(call, 0);
  const Axes axes = permutation_of(call, x.shape.rank());
  Type result = x;
  for (unsigned i = 0; i < x.shape.rank(); ++i) result.shape[i] = x.shape[axes[i]];
  return result;
}

Value permute_eager(Builder&, Call& call) {
  const unsigned rank = rank_of(call.args[0]);
  const Axes axes = permutation_of(call, rank);
  return permute_value(call.args[0], {axes.data(), rank});
}

Value permute_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent,
                        const Entry& entry) {
  const unsigned rank = residuals.types[0].shape.rank();
  const Axes back = inverse(permutation_of(residual_call(entry, residuals), rank), rank);
  return permute(rule.builder(), cotangent, {back.data(), rank});
}

Value permute_batch(Builder& builder, Call& call, const Batching& batching) {
  const unsigned rank = example_type(call, 0, batching).shape.rank();
  const Axes axes = permutation_of(call, rank);
  Axes physical = {};
  for (unsigned i = 0; i < rank; ++i) physical[i + 1] = axes[i] + 1;
  return permute(builder, std::move(call.args[0]), {physical.data(), rank + 1});
}

uint32_t flipped_axes(const Call& call, unsigned rank) {
  return call.args[1].is_none() ? (1u << rank) - 1 : axis_set(call, 1, rank);
}

Type same_type(ShapeBuilder&, const Call& call) {
  flipped_axes(call, operand_type(call, 0).shape.rank());
  return operand_type(call, 0);
}

Value flip_eager(Builder&, Call& call) {
  Value& x = call.args[0];
  const uint32_t set = flipped_axes(call, rank_of(x));
  if (x.is_scalar() || x.tensor().size() == 0) return std::move(x);
  const Tensor& tensor = x.tensor();
  std::array<int64_t, max_rank> strides;
  int64_t offset = 0;
  for (unsigned i = 0; i < tensor.rank(); ++i) {
    const bool flipped = (set >> i) & 1;
    if (flipped) offset += (tensor.dim(i) - 1) * tensor.stride(i);
    strides[i] = flipped ? -tensor.stride(i) : tensor.stride(i);
  }
  return view_at(x, offset, tensor.shape(), strides.data());
}

Value flip_axes(Builder& builder, Value x, uint32_t set, unsigned rank) {
  std::vector<Value> axes;
  for (unsigned i = 0; i < rank; ++i) {
    if ((set >> i) & 1) axes.emplace_back(static_cast<int64_t>(i));
  }
  Value args[] = {std::move(x), make_tuple(std::move(axes))};
  return call(builder, flip_entry(), args);
}

Value flip_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  const unsigned rank = residuals.types[0].shape.rank();
  return flip_axes(rule.builder(), cotangent, flipped_axes(residual_call(flip_entry(), residuals), rank), rank);
}

Value flip_batch(Builder& builder, Call& call, const Batching& batching) {
  const unsigned rank = example_type(call, 0, batching).shape.rank();
  return flip_axes(builder, std::move(call.args[0]), flipped_axes(call, rank) << 1, rank + 1);
}

Value swapaxes_eager(Builder& builder, Call& call) {
  const unsigned rank = operand_of(builder, call, 0).shape.rank();
  Axes order = {};
  for (unsigned i = 0; i < rank; ++i) order[i] = i;
  std::swap(order[normal_axis(call, integer_argument(call, 1), rank)],
            order[normal_axis(call, integer_argument(call, 2), rank)]);
  return permute(builder, std::move(call.args[0]), {order.data(), rank});
}

// Axis from[i] of x becomes axis to[i]; the others fill the places that are left, in their order.
Value moveaxis_eager(Builder& builder, Call& call) {
  const unsigned rank = operand_of(builder, call, 0).shape.rank();
  const uint32_t from = axis_set(call, 1, rank), to = axis_set(call, 2, rank);
  const Integers sources = integers_argument(call, 1), places = integers_argument(call, 2);
  if (sources.size() != places.size()) fail_attribute(call, 2, "as many axes as `source` has");
  Axes order = {};
  for (unsigned i = 0; i < sources.size(); ++i)
    order[normal_axis(call, places[i], rank)] = normal_axis(call, sources[i], rank);
  unsigned next = 0;
  for (unsigned i = 0; i < rank; ++i) {
    if ((to >> i & 1) != 0) continue;
    while ((from >> next & 1) != 0) ++next;
    order[i] = next++;
  }
  return permute(builder, std::move(call.args[0]), {order.data(), rank});
}

// Quarter turns from the first axis of `axes` towards the second.
Value rot90_eager(Builder& builder, Call& call) {
  const unsigned rank = operand_of(builder, call, 0).shape.rank();
  Axes order = {};
  for (unsigned i = 0; i < rank; ++i) order[i] = i;
  unsigned from = 0, to = 1;
  if (!call.args[2].is_none()) {
    const Integers axes = integers_argument(call, 2);
    if (axes.size() != 2) fail_attribute(call, 2, "two axes");
    axis_set(call, 2, rank);  // two different ones
    from = normal_axis(call, axes[0], rank);
    to = normal_axis(call, axes[1], rank);
  } else if (rank < 2) {
    fail_attribute(call, 0, "of rank 2 or more");
  }
  const int64_t turns = integer_argument(call, 1) & 3;
  std::swap(order[from], order[to]);
  Value x = std::move(call.args[0]);
  if (turns == 0) return x;
  if (turns == 2) return flip_axes(builder, std::move(x), 1u << from | 1u << to, rank);
  if (turns == 1) x = flip_axes(builder, std::move(x), 1u << to, rank);
  x = permute(builder, std::move(x), {order.data(), rank});
  return turns == 1 ? x : flip_axes(builder, std::move(x), 1u << to, rank);
}

const Entry& swapaxes_entry() {
  static const Entry entry{
      .name = "swapaxes",
      .doc = "`x` with two of its axes exchanged.\n\n`swapaxes(x, -1, -2)` transposes each matrix of a stack.",
      .parameters = {any_parameter("x"), attribute("axis1"), attribute("axis2")},
      .carries = true,
      .eager = swapaxes_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2, 3], [4, 5, 6]], 0, 1",
                   .expected = "[[1.0, 4], [2, 5], [3, 6]]",
                   .source = "numpy",
                   .differentiate = true},
                  {.arguments = "arange(6).reshape(1, 2, 3), -1, -2",
                   .expected = "[[[0, 3], [1, 4], [2, 5]]]",
                   .source = "numpy"},
                  {.arguments = "zeros(2, 0, 3), 0, 2", .expected = "zeros(3, 0, 2)", .source = "numpy"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& rot90_entry() {
  static const Entry entry{
      .name = "rot90",
      .doc =
          "`x` turned by `k` quarters, from the first of two `axes` towards the second: (0, 1) when they are left out. "
          "So a matrix is turned against the clock.",
      .parameters = {any_parameter("x"), attribute("k", int64_t{1}), attribute("axes", Value())},
      .carries = true,
      .eager = rot90_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2, 3], [4, 5, 6]]",
                   .expected = "[[3.0, 6], [2, 5], [1, 4]]",
                   .source = "numpy",
                   .differentiate = true},
                  {.arguments = "[[1, 2, 3], [4, 5, 6]], 2", .expected = "[[6, 5, 4], [3, 2, 1]]"},
                  {.arguments = "[[1.0, 2], [3, 4]], k=-1", .expected = "[[3.0, 1], [4, 2]]", .differentiate = true},
                  {.arguments = "arange(6).reshape(1, 2, 3), axes=(-1, 1)", .expected = "[[[3, 0], [4, 1], [5, 2]]]"},
                  {.arguments = "zeros(0, 2)", .expected = "zeros(2, 0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& moveaxis_entry() {
  static const Entry entry{
      .name = "moveaxis",
      .doc =
          "`x` with axis `source` in the place `destination`, or several axes in several places; the others keep their "
          "order.",
      .parameters = {any_parameter("x"), attribute("source"), attribute("destination")},
      .carries = true,
      .eager = moveaxis_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "arange(6.0).reshape(1, 2, 3), 0, -1",
                   .expected = "[[[0.0], [1.0], [2.0]], [[3.0], [4.0], [5.0]]]",
                   .source = "numpy",
                   .differentiate = true},
                  {.arguments = "arange(6).reshape(1, 2, 3), (0, 1), (-1, -2)",
                   .expected = "[[[0], [3]], [[1], [4]], [[2], [5]]]",
                   .source = "numpy"},
                  {.arguments = "[[1, 2], [3, 4]], 1, 0", .expected = "[[1, 3], [2, 4]]", .source = "numpy"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

const Entry& transpose_entry() {
  static const Entry entry{
      .name = "transpose",
      .doc =
          "The axes of `x` in another order: reversed, or as `axes` says.\n\nResult axis i is axis `axes[i]` of `x`; "
          "`x.T` is the short form.",
      .parameters = {tensor_parameter("x"), attribute("axes", Value())},
      .variadic = true,
      .variadic_at = 1,
      .carries = true,
      .type = permute_type,
      .eager = permute_eager,
      .derivative = Derivative::linearly(
          1,
          [](RuleContext& rule, unsigned i, const Residuals& residuals, const Value& cotangent) {
            return permute_transpose(rule, i, residuals, cotangent, transpose_entry());
          },
          Derivative::rest_bit),
      .batch = permute_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2, 3], [4, 5, 6]]",
                   .expected = "[[1.0, 4], [2, 5], [3, 6]]",
                   .differentiate = true},
                  {.arguments = "arange(6).reshape(1, 2, 3), (1, 2, 0)", .expected = "arange(6).reshape(2, 3, 1)"},
                  {.arguments = "3.0", .expected = "3.0"},
                  {.arguments = "zeros(2, 0)", .expected = "zeros(0, 2)"}},
  };
  return entry;
}

const Entry& adjoint_entry() {
  static const Entry entry{
      .name = "adjoint",
      .doc = "The conjugate of the transpose: `x.H`.",
      .parameters = {any_parameter("x")},
      .eager =
          [](Builder& builder, Call& call) {
            return ops::call(builder, handles().conj, {ops::call(builder, transpose_entry(), {call.args[0]})});
          },
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .internal = true,
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& permute_entry() {
  static const Entry entry{
      .name = "permute",
      .doc = "The axes of `x` in the order that `axes` says: result axis i is axis `axes[i]` of `x`.",
      .parameters = {tensor_parameter("x"), attribute("axes", Value())},
      .variadic = true,
      .variadic_at = 1,
      .carries = true,
      .type = permute_type,
      .eager = permute_eager,
      .derivative = Derivative::linearly(
          1,
          [](RuleContext& rule, unsigned i, const Residuals& residuals, const Value& cotangent) {
            return permute_transpose(rule, i, residuals, cotangent, permute_entry());
          },
          Derivative::rest_bit),
      .batch = permute_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2, 3], [4, 5, 6]], 1, 0",
                   .expected = "[[1.0, 4], [2, 5], [3, 6]]",
                   .differentiate = true},
                  {.arguments = "arange(6).reshape(1, 2, 3), (-1, 0, 1)",
                   .expected = "[[[0, 3]], [[1, 4]], [[2, 5]]]"}},
  };
  return entry;
}

const Entry& flip_entry() {
  static const Entry entry{
      .name = "flip",
      .doc =
          "`x` with the order of its elements reversed along `axis` (an integer or a tuple; all axes when left out).",
      .parameters = {tensor_parameter("x"), attribute("axis", Value())},
      .carries = true,
      .type = same_type,
      .eager = flip_eager,
      .derivative = Derivative::linearly(1, flip_transpose),
      .batch = flip_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3]", .expected = "[3.0, 2, 1]", .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]]", .expected = "[[4, 3], [2, 1]]"},
                  {.arguments = "[[1, 2], [3, 4]], axis=1", .expected = "[[2, 1], [4, 3]]"},
                  {.arguments = "zeros(0)", .expected = "zeros(0)"}},
  };
  return entry;
}

Family shape_permute_entries() {
  static const Entry* const entries[] = {&transpose_entry(), &adjoint_entry(),  &permute_entry(), &flip_entry(),
                                         &swapaxes_entry(),  &moveaxis_entry(), &rot90_entry()};
  return entries;
}

}  // namespace covec::ops
