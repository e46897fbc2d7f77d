// What rules need for tensors whose sizes only the run knows. At run time fit_to decides whether a cotangent is summed,
// repeated or left as it is. The expectations check what an eager rule checks before it goes on. The eager engine
// itself never comes here. Start at fit_eager.
#include <array>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/shape/family.hpp"
#include "stdlib/ops/shape/parts.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- fit_to ---

unsigned leading_of(const Call& call) { return static_cast<unsigned>(integer_argument(call, 1)); }

// The examples' places, then `shape`.
Shape after_leading(const Shape& x, unsigned leading, const Shape& shape) {
  Shape result(x.begin(), leading);
  for (Dim dim : shape) result.push_back(dim);
  return result;
}

Shape example_shape(const Shape& x, unsigned leading) { return Shape(x.begin() + leading, x.rank() - leading); }

Type fit_type(ShapeBuilder& shapes, const Call& call) {
  const Type x = operand_type(call, 0);
  const Shape to = shape_of_sizes(call, variadic_sizes(shapes, call));
  return {is_float(x.dtype) ? x.dtype : Dtype::i64, after_leading(x.shape, leading_of(call), to)};
}

Value fit_eager(Builder& builder, Call& call) {
  const unsigned leading = leading_of(call);
  const Type x = type_of(call.args[0]);
  const Type example{x.dtype, example_shape(x.shape, leading)};
  const Type result = fit_type(builder, call);
  const Shape to = example_shape(result.shape, leading);
  Value value = std::move(call.args[0]);
  if (example.shape == to || covec::fit_to(example.shape, to) == Fit::fits) {
    Shape aligned = x.shape;
    while (aligned.rank() < result.shape.rank()) aligned.insert(leading, Dim(1));
    value = broadcast_to(builder, reshape(builder, std::move(value), aligned), result.shape);
    return cast_to(builder, std::move(value), result.dtype);
  }
  return reshape(builder, sum_examples_to(builder, std::move(value), example, to, leading), result.shape);
}

// What was summed is repeated, and the other way round.
Value fit_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  const unsigned leading = leading_of(residual_call(fit_to_entry(), residuals));
  return fit_examples(rule.builder(), cotangent, leading, example_shape(residuals.types[0].shape, leading));
}

Value fit_batch(Builder& builder, Call& call, const Batching&) {
  call.args[1] = integer_argument(call, 1) + 1;
  return ops::call(builder, fit_to_entry(), call.args, call.rest);
}

// --- expectations ---

constexpr unsigned dtype_operand = 2;

Type expected_type(ShapeBuilder& shapes, const Call& call) {
  return {operand_type(call, 0).dtype, shape_of_sizes(call, variadic_sizes(shapes, call))};
}

Value expect_shape_eager(Builder& builder, Call& call) {
  const Type given = type_of(call.args[0]), wanted = expected_type(builder, call);
  if (given.shape == wanted.shape) return std::move(call.args[0]);
  const std::string text = call.args[dtype_operand].string().text + (wanted.shape.empty() ? "" : wanted.shape.text());
  fail(message("cotangent_shape"), {call.args[1].string().text, text, given.text()});
}

Value expect_shape_transpose(RuleContext&, unsigned, const Residuals&, const Value& cotangent) { return cotangent; }

Value expect_shape_batch(Builder& builder, Call& call, const Batching& batching) {
  Shape shape = expected_type(builder, call).shape;
  shape.insert(0, batching.size);
  std::array<Value, max_rank> sizes;
  call.args[3] = Value();
  return ops::call(builder, expect_shape_entry(), call.args, extents_of(builder, shape, sizes));
}

Type expect_size_type(ShapeBuilder&, const Call&) { return {Dtype::i64, {}}; }

Value expect_size_eager(Builder&, Call& call) {
  const int64_t size = integer_argument(call, 0), other = integer_argument(call, 1);
  if (size == other) return size;
  const auto text = [&](unsigned i) { return call.args[i].string().text; };
  const auto label = [&](unsigned argument, unsigned name, int64_t has) {
    return ArgumentLabel{static_cast<int>(integer_argument(call, argument)),
                         text(name) + " has " + std::to_string(has)};
  };
  fail(message("vmap_sizes"), {text(2), text(3), std::to_string(size), text(4), std::to_string(other)},
       {label(5, 3, size), label(6, 4, other)});
}

Type max_apart_type(ShapeBuilder&, const Call&) { return {Dtype::i64, {}}; }

Value max_apart_eager(Builder&, Call& call) { return call.args[0]; }

}  // namespace

const Entry& fit_to_entry() {
  static const Entry entry{
      .name = "fit_to",
      .doc = "`x` summed to a shape, or repeated to fill it, whichever fits; its `leading` axes stay.",
      .parameters = {tensor_parameter("x"), attribute("leading"), attribute("shape", Value())},
      .variadic = true,
      .variadic_at = 2,
      .type = fit_type,
      .eager = fit_eager,
      .derivative = Derivative::linearly(1, fit_transpose),
      .batch = fit_batch,
      .pattern = pattern_of_sum_to,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& expect_shape_entry() {
  static const Entry entry{
      .name = "expect_shape",
      .doc = "`x`, which must have a shape: a cotangent or tangent that was given.",
      .parameters = {tensor_parameter("x"), attribute("what"), attribute("dtype"), attribute("shape", Value())},
      .variadic = true,
      .variadic_at = 3,
      .carries = true,
      .type = expected_type,
      .eager = expect_shape_eager,
      .derivative = Derivative::linearly(1, expect_shape_transpose),
      .batch = expect_shape_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& expect_size_entry() {
  static const Entry entry{
      .name = "expect_size",
      .doc = "A number of examples, which must be that of another argument of a vmap.",
      .parameters = {attribute("size"), attribute("other"), attribute("what"), attribute("name"),
                     attribute("other_name"), attribute("argument"), attribute("other_argument")},
      .carries = true,
      .type = expect_size_type,
      .eager = expect_size_eager,
      .derivative = Derivative::none("gives a number of examples"),
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& max_apart_entry() {
  static const Entry entry{
      .name = "max_apart",
      .doc =
          "Up to how many examples run one by one: `most`, or fewer where the compiler finds that this is faster. Each "
          "choice has a `number` of its own.",
      .parameters = {attribute("most"), attribute("number")},
      .type = max_apart_type,
      .eager = max_apart_eager,
      .derivative = Derivative::none("gives a number of examples"),
      .internal = true,
  };
  return entry;
}

Family shape_fit_entries() {
  static const Entry* const entries[] = {&fit_to_entry(), &expect_shape_entry(), &expect_size_entry(),
                                         &max_apart_entry()};
  return entries;
}

}  // namespace covec::ops
