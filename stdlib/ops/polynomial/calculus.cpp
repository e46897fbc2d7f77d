// polyder and polyint: coefficients, the highest power first, times or divided by the powers. Made of other operators.
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/expect.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/polynomial/family.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr unsigned of_m = 1, of_k = 2;  // operand numbers, in the order of polyint's parameters
constexpr int64_t max_times = 1000;     // as the message says

int64_t times_argument(const Call& call) {
  const int64_t m = integer_argument(call, of_m);
  if (m < 0 || m > max_times) fail_attribute(call, of_m, "between 0 and 1000");
  return m;
}

// n, n − 1, … 1.
Value falling(Steps& steps, Dim n) {
  return steps.call(handles().arange, {steps.builder().extent(n), Value(int64_t{0}), Value(int64_t{-1}), Value()});
}

Value polyder_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  vector_operand(builder, call, 0);
  const int64_t m = times_argument(call);
  Value p = std::move(call.args[0]);
  for (int64_t i = 0; i < m; ++i) {
    p = steps.neighbours(p, 0).before;
    const Type type = logical_type(p);
    const Value powers = falling(steps, type.shape[0]);
    p = steps.mul(std::move(p), is_float(type.dtype) ? steps.cast(powers, type.dtype) : powers);
  }
  return p;
}

// The constants of integration, one for each time.
std::vector<Value> constants(Builder& builder, Call& call, int64_t m, Dtype dtype) {
  const Value& k = call.args[of_k];
  constexpr std::string_view must_be = "a number, or a number for each of the `m` times";
  if (k.is_none()) return std::vector<Value>(size_for<Value>(m), Value::number(dtype, 0.0));
  std::vector<Value> numbers;
  if (k.is(ObjectKind::tuple) || k.is(ObjectKind::list)) {
    numbers = *children(k);
  } else {
    Steps steps(builder);
    const Shape shape = operand_of(builder, call, of_k).shape;
    if (shape.rank() > 1) fail_attribute(call, of_k, must_be);
    if (shape.rank() == 1) {
      const Value length = builder.extent(shape[0]);
      expect_all(steps, steps.equal(length, Value(m)), call, of_k, must_be, length);
    }
    for (int64_t i = 0; i < m; ++i) numbers.push_back(shape.rank() == 0 ? k : steps.take(k, 0, Value(i)));
  }
  if (numbers.size() != static_cast<size_t>(m)) fail_attribute(call, of_k, must_be);
  for (Value& number : numbers) {
    if (!is_operand(number) || logical_type(number).shape.rank() != 0) fail_attribute(call, of_k, must_be);
    number = cast_to(builder, std::move(number), dtype);
  }
  return numbers;
}

Value polyint_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Dtype dtype = float_dtype(vector_operand(builder, call, 0).dtype);
  const int64_t m = times_argument(call);
  const std::vector<Value> added = constants(builder, call, m, dtype);
  if (m == 0) return std::move(call.args[0]);
  Value p = cast_to(builder, std::move(call.args[0]), dtype);
  for (const Value& constant : added) {
    const Value powers = falling(steps, logical_type(p).shape[0]);
    Value parts[] = {steps.div(std::move(p), steps.cast(powers, dtype)), reshape(builder, constant, {Dim(1)})};
    p = concat(builder, parts, 0);
  }
  return p;
}

// Constants that are left out are 0 in both parts.
Value polyint_complex(Builder& builder, Call& call) {
  return call.args[of_k].is_none() ? by_parts(builder, call) : call_by_parts(builder, call, 1u << of_k | 1);
}

const Entry& polyder_entry() {
  static const Entry entry{
      .name = "polyder",
      .doc =
          "The coefficients, the highest power first, of the `m`th derivative of the polynomial with the coefficients "
          "`p`. That of a constant has none.",
      .parameters = {any_parameter("p"), attribute("m", int64_t{1})},
      .eager = polyder_eager,
      .complex = by_parts,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[2.0, -1.0, 3.0, 5.0]", .expected = "[6.0, -2.0, 3.0]", .differentiate = true},
                  {.arguments = "[2, -1, 3, 5], 2", .expected = "[12, -2]"},
                  {.arguments = "[2.5, 1.0], m=0", .expected = "[2.5, 1.0]"},
                  {.arguments = "f32([0.5, 1, 2])", .expected = "f32([1, 1])"},
                  {.arguments = "[5.0]", .expected = "zeros(0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& polyint_entry() {
  static const Entry entry{
      .name = "polyint",
      .doc =
          "The coefficients, the highest power first, of the `m`th integral of the polynomial with the coefficients "
          "`p`.\n\n"
          "`k` are the constants of integration, in the order in which they are added: 0 when they are left out, one "
          "number for all, or `m` numbers.",
      .parameters = {any_parameter("p"),
                     attribute("m", int64_t{1}),
                     {.name = "k", .kind = ParameterKind::any, .required = false, .fallback = {}}},
      .eager = polyint_eager,
      .complex = polyint_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[6.0, -2.0, 3.0]", .expected = "[2.0, -1.0, 3.0, 0.0]", .differentiate = true},
                  {.arguments = "[12, -2], 2, k=[3, 5]", .expected = "[2.0, -1.0, 3.0, 5.0]"},
                  {.arguments = "[1.0, 4.0], k=2.5", .expected = "[0.5, 4.0, 2.5]", .differentiate = true},
                  {.arguments = "zeros(0), k=3", .expected = "[3.0]"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family polynomial_calculus_entries() {
  static const Entry* const entries[] = {&polyder_entry(), &polyint_entry()};
  return entries;
}

}  // namespace covec::ops
