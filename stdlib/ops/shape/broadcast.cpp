// Explicit broadcasting, and its transpose. broadcast_to is a view with strides of 0. sum_to adds in the reduction
// order, since every derivative of a broadcast passes through it. Start at summed_axes.
#include <array>
#include <cstring>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/shape/family.hpp"
#include "stdlib/ops/shape/parts.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

Shape given_shape(ShapeBuilder& shapes, const Call& call) {
  if (!variadic_given(call)) fail(message("argument_missing"), {std::string(call.entry.name), "shape"});
  return shape_of_sizes(call, variadic_sizes(shapes, call));
}

Shape with_batch(Shape shape, Dim size) {
  shape.insert(0, size);
  return shape;
}

// --- broadcast_to ---

struct Broadcast {
  const Type& from;
  const Shape& to;
  unsigned axis;
};

std::vector<std::string> broadcast_parts(const void* self, int64_t a, int64_t b) {
  const Broadcast& broadcast = *static_cast<const Broadcast*>(self);
  return {broadcast.from.text(), broadcast.to.text(), std::to_string(a), std::to_string(b),
          std::to_string(broadcast.axis)};
}

void check_broadcast(ShapeBuilder& shapes, const Type& from, const Shape& to) {
  const int shift = static_cast<int>(to.rank()) - static_cast<int>(from.shape.rank());
  if (shift < 0) {
    fail(message("broadcast_rank"),
         {from.text(), to.text(), std::to_string(from.shape.rank()), std::to_string(to.rank())});
  }
  for (unsigned i = 0; i < from.shape.rank(); ++i) {
    if (from.shape[i] == Dim(1) || !from.shape[i].known()) continue;  // what only the run knows may be 1
    const Broadcast broadcast{from, to, i + static_cast<unsigned>(shift)};
    shapes.require_equal(from.shape[i], to[broadcast.axis],
                         {&message("broadcast_to"), broadcast_parts, nullptr, &broadcast});
  }
}

Type broadcast_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0);
  const Shape to = given_shape(shapes, call);
  check_broadcast(shapes, x, to);
  return {x.dtype, to};
}

Value broadcast_eager(Builder& builder, Call& call) {
  const Shape to = given_shape(builder, call);
  check_broadcast(builder, type_of(call.args[0]), to);
  return broadcast_value(builder.pool(), call.args[0], to);
}

Value broadcast_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return sum_to(rule.builder(), cotangent, residuals.types[0].shape);
}

Value broadcast_to_batch(Builder& builder, Call& call, const Batching& batching) {
  const Shape to = given_shape(builder, call);
  check_broadcast(builder, example_type(call, 0, batching), to);
  return broadcast_to(builder, align_batch(builder, std::move(call.args[0]), to.rank()), with_batch(to, batching.size));
}

// --- sum_to ---

// The axes that broadcasting `to` into `from` would have made: those in front, and those of size 1 in `to` alone.
Integers summed_axes(const Type& from, const Shape& to) {
  const int shift = static_cast<int>(from.shape.rank()) - static_cast<int>(to.rank());
  if (shift < 0) fail(message("sum_to"), {from.text(), to.text()});
  Integers axes;
  for (int i = 0; i < static_cast<int>(from.shape.rank()); ++i) {
    if (i < shift || (to[i - shift] == Dim(1) && from.shape[i] != Dim(1))) {
      axes.push(i);
    } else if (from.shape[i] != to[i - shift]) {
      fail(message("sum_to"), {from.text(), to.text()});
    }
  }
  return axes;
}

// As sum: the small kinds are added in i64.
Dtype sum_dtype(Dtype dtype) { return is_float(dtype) ? dtype : Dtype::i64; }

Value axes_value(const Integers& axes, int64_t shift) {
  std::vector<Value> items;
  for (int64_t axis : axes) items.emplace_back(axis + shift);
  return make_tuple(std::move(items));
}

// Whether sizes are known that tell that `to` does not broadcast to `from`.
bool surely_differ(const Type& from, const Shape& to) {
  const int shift = static_cast<int>(from.shape.rank()) - static_cast<int>(to.rank());
  if (shift < 0) return true;
  for (unsigned i = 0; i < to.rank(); ++i) {
    const Dim here = from.shape[i + static_cast<unsigned>(shift)];
    if (to[i] != Dim(1) && to[i].known() && here.known() && to[i] != here) return true;
  }
  return false;
}

Type sum_to_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0);
  const Shape to = given_shape(shapes, call);
  if (surely_differ(x, to)) fail(message("sum_to"), {x.text(), to.text()});
  return {sum_dtype(x.dtype), to};
}

Value sum_axes(Builder& builder, Value x, const Integers& axes, int64_t shift) {
  if (axes.empty()) return cast_to(builder, x, sum_dtype(operand_dtype(x)));
  const bool one = builder.is_eager() && axes.size() == 1;  // off the heap
  Value args[] = {std::move(x), one ? Value(axes[0] + shift) : axes_value(axes, shift), Value(false)};
  return call(builder, handles().sum, args);
}

Value sum_to_eager(Builder& builder, Call& call) {
  const Shape to = given_shape(builder, call);
  const Integers axes = summed_axes(type_of(call.args[0]), to);
  return reshape(builder, sum_axes(builder, std::move(call.args[0]), axes, 0), to);
}

Value sum_to_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return broadcast_to(rule.builder(), cotangent, residuals.types[0].shape);
}

// The same axes one further: the order of adding is that of one example.
Value sum_to_batch(Builder& builder, Call& call, const Batching& batching) {
  const Shape to = given_shape(builder, call);
  const Type x = example_type(call, 0, batching);
  if (!x.shape.known() || !to.known()) {
    if (surely_differ(x, to)) fail(message("sum_to"), {x.text(), to.text()});
    return fit_examples(builder, std::move(call.args[0]), 1, to);
  }
  const Integers axes = summed_axes(x, to);
  return reshape(builder, sum_axes(builder, std::move(call.args[0]), axes, 1), with_batch(to, batching.size));
}

}  // namespace

Value sum_examples_to(Builder& builder, Value x, const Type& example, const Shape& to, unsigned leading) {
  return sum_axes(builder, std::move(x), summed_axes(example, to), leading);
}

const Entry& broadcast_to_entry() {
  static const Entry entry{
      .name = "broadcast_to",
      .doc =
          "`x` repeated to fill a shape, as in arithmetic: axes of size 1 and missing axes in front are repeated.\n\n"
          "`broadcast_to(x, 2, 3)` or `broadcast_to(x, (2, 3))`. The result is a view.",
      .parameters = {tensor_parameter("x"), attribute("shape", Value())},
      .variadic = true,
      .variadic_at = 1,
      .carries = true,
      .type = broadcast_type,
      .eager = broadcast_eager,
      .derivative = Derivative::linearly(1, broadcast_transpose),
      .batch = broadcast_to_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2], 3, 2", .expected = "[[1.0, 2], [1, 2], [1, 2]]", .differentiate = true},
                  {.arguments = "[[1], [2]], (2, 2)", .expected = "[[1, 1], [2, 2]]"},
                  {.arguments = "4.0, 2, 1", .expected = "[[4.0], [4.0]]", .differentiate = true},
                  {.arguments = "[1.0], 0", .expected = "zeros(0)"},
                  {.arguments = "2, ()", .expected = "2"}},
  };
  return entry;
}

const Entry& sum_to_entry() {
  static const Entry entry{
      .name = "sum_to",
      .doc =
          "`x` summed to a shape that broadcasts to its own: the transpose of `broadcast_to`.\n\nAxes that the shape "
          "lacks, "
          "and those where it has 1, are summed in the reduction order.",
      .parameters = {tensor_parameter("x"), attribute("shape", Value())},
      .variadic = true,
      .variadic_at = 1,
      .widens_integers = true,
      .type = sum_to_type,
      .eager = sum_to_eager,
      .derivative = Derivative::linearly(1, sum_to_transpose),
      .batch = sum_to_batch,
      .pattern = pattern_of_sum_to,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2], [3, 4]], 2", .expected = "[4.0, 6]", .differentiate = true},
                  {.arguments = "[[1.0, 2], [3, 4]], (2, 1)", .expected = "[[3.0], [7.0]]", .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]], ()", .expected = "10"},
                  {.arguments = "zeros(0, 2), 2", .expected = "[0.0, 0]"},
                  {.arguments = "[true, true], 2", .expected = "[1, 1]"}},
  };
  return entry;
}

Family shape_broadcast_entries() {
  static const Entry* const entries[] = {&broadcast_to_entry(), &sum_to_entry()};
  return entries;
}

}  // namespace covec::ops
