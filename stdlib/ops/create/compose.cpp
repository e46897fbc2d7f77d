// logspace, geomspace and block_diag, each composed of a few other operators.
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/expect.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/create/family.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

void require_number(Builder& builder, Call& call, unsigned operand) {
  if (operand_of(builder, call, operand).shape.rank() != 0) fail_attribute(call, operand, "a number");
}

Value even_points(Steps& steps, const Value& start, const Value& stop, Dim n, bool endpoint) {
  return steps.call(linspace_entry(), {start, stop, steps.builder().extent(n), Value(endpoint), Value()});
}

// --- logspace, geomspace ---

Dim count_of_points(Steps& steps, const Call& call, unsigned operand) {
  steps.at_least(call, operand, 0, "0 or more");
  return size_argument(steps.builder(), call, operand);
}

Value logspace_eager(Builder& builder, Call& call) {
  constexpr unsigned of_n = 2, of_base = 3, of_endpoint = 4,
                     of_dtype = 5;  // operand numbers, in the order of parameters
  Steps steps(builder);
  for (const unsigned operand : {0u, 1u, of_base}) require_number(builder, call, operand);
  const Dim n = count_of_points(steps, call, of_n);
  const Value exponents = even_points(steps, call.args[0], call.args[1], n, flag_argument(call, of_endpoint));
  const Value points = steps.call(handles().power, {steps.cast(call.args[of_base], Dtype::f64), exponents});
  return steps.cast(points, dtype_argument(call, of_dtype, Dtype::f64));
}

// NumPy's way: powers of ten, so that those among them are exact, and the ends themselves.
Value geomspace_eager(Builder& builder, Call& call) {
  constexpr unsigned of_n = 2, of_endpoint = 3, of_dtype = 4;  // operand numbers, in the order of parameters
  Steps steps(builder);
  for (const unsigned operand : {0u, 1u}) require_number(builder, call, operand);
  const Dim n = count_of_points(steps, call, of_n);
  const bool endpoint = flag_argument(call, of_endpoint);
  const Value start = steps.cast(call.args[0], Dtype::f64), stop = steps.cast(call.args[1], Dtype::f64);
  const Value zero(0.0), negative = steps.less(start, zero);
  const Value one_sign = steps.both(negative, steps.less(stop, zero));
  const Value signs = steps.either(one_sign, steps.both(steps.less(zero, start), steps.less(zero, stop)));
  const Value unknown = steps.either(steps.isnan(start), steps.isnan(stop));
  expect_all(steps, steps.either(unknown, steps.inverse(steps.equal(start, zero))), call, 0, "a number other than 0",
             start);
  expect_all(steps, steps.either(unknown, signs), call, 1, "a number other than 0, of the sign of start", stop);
  const auto exponent = [&](const Value& end) { return steps.call(handles().log10, {steps.absolute(end)}); };
  const Value exponents = even_points(steps, exponent(start), exponent(stop), n, endpoint);
  const Value sizes = steps.call(handles().power, {Value(10.0), exponents});
  const Value points = steps.where(negative, steps.neg(sizes), sizes);
  const Value count = builder.extent(n);
  const Value places = steps.call(arange_entry(), {count, Value(), Value(), Value()});
  const Value last = steps.equal(places, steps.sub(count, Value(int64_t{1})));
  const Value to_end = endpoint ? steps.where(last, stop, points) : points;
  const Value whole = steps.where(steps.equal(places, Value(int64_t{0})), start, to_end);
  return steps.cast(whole, dtype_argument(call, of_dtype, Dtype::f64));
}

// --- block_diag ---

// Of a vector one row, of a number one element.
Value block_of(Builder& builder, Call& call, unsigned operand) {
  require_operand(builder, call, operand);
  Value& x = call.operand(operand);
  const Shape shape = logical_type(x).shape;
  if (shape.rank() > 2) fail_attribute(call, operand, "a matrix, a vector or a number");
  if (shape.rank() == 2) return std::move(x);
  return reshape(builder, std::move(x), {Dim(1), shape.rank() == 1 ? shape[0] : Dim(1)});
}

Value block_diag_eager(Builder& builder, Call& call) {
  const auto first = static_cast<unsigned>(call.args.size()), count = static_cast<unsigned>(call.rest.size());
  if (count == 0) fail(message("join_empty"), {std::string(call.entry.name)});
  std::vector<Value> blocks;
  std::vector<Dim> behind(count + 1, Dim(0)), before(count + 1, Dim(0));
  const auto width = [&](unsigned i) { return logical_type(blocks[i]).shape[1]; };
  for (unsigned i = 0; i < count; ++i) {
    blocks.push_back(block_of(builder, call, first + i));
    before[i + 1] = builder.add(before[i], width(i));
  }
  for (unsigned i = count; i-- > 0;) behind[i] = builder.add(behind[i + 1], width(i));
  std::vector<Value> rows;
  for (unsigned i = 0; i < count; ++i) {
    const Type type = logical_type(blocks[i]);
    std::vector<Value> parts;
    if (i > 0) parts.push_back(zeros(builder, {type.dtype, {type.shape[0], before[i]}}));
    parts.push_back(std::move(blocks[i]));
    if (i + 1 < count) parts.push_back(zeros(builder, {type.dtype, {type.shape[0], behind[i + 1]}}));
    rows.push_back(concat(builder, parts, 1));
  }
  return concat(builder, rows, 0);
}

Parameter base_parameter() {
  return {.name = "base", .kind = ParameterKind::any, .required = false, .fallback = Value(10.0)};
}

const Entry& logspace_entry() {
  static const Entry entry{
      .name = "logspace",
      .doc =
          "`n` powers of `base` whose exponents go evenly from start to stop, both included (stop is left out with "
          "`endpoint=false`).",
      .parameters = {any_parameter("start"), any_parameter("stop"), attribute("n", int64_t{50}), base_parameter(),
                     attribute("endpoint", true), attribute("dtype", Value())},
      .eager = logspace_eager,
      .complex = with_zeros,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "0, 2, 3", .expected = "[1.0, 10, 100]", .differentiate = true},
                  {.arguments = "-1.5, 0.5, 3",
                   .expected = "[0.0316227766016838, 0.31622776601683794, 3.1622776601683795]",
                   .ulp = 2,
                   .differentiate = true},
                  {.arguments = "0, 3, 4, base=2", .expected = "[1.0, 2, 4, 8]", .differentiate = true},
                  {.arguments = "0, 4, 2, 2, endpoint=false", .expected = "[1.0, 4]"},
                  {.arguments = "0, 2, 3, dtype=f32", .expected = "f32([1, 10, 100])"},
                  {.arguments = "1, 2, 0", .expected = "zeros(0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& geomspace_entry() {
  static const Entry entry{
      .name = "geomspace",
      .doc =
          "`n` numbers from start to stop, both included (stop is left out with `endpoint=false`), each the same "
          "multiple of the one before. Both have one sign, and neither is 0.",
      .parameters = {any_parameter("start"), any_parameter("stop"), attribute("n", int64_t{50}),
                     attribute("endpoint", true), attribute("dtype", Value())},
      .eager = geomspace_eager,
      .complex = with_zeros,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "1, 1000, 4", .expected = "[1.0, 10, 100, 1000]", .differentiate = true},
                  {.arguments = "-2.5, -40.0, 3", .expected = "[-2.5, -10, -40]", .ulp = 4, .differentiate = true},
                  {.arguments = "1, 256, 8, endpoint=false", .expected = "[1.0, 2, 4, 8, 16, 32, 64, 128]", .ulp = 8},
                  {.arguments = "3, 7, 1", .expected = "[3.0]"},
                  {.arguments = "1, 100, 3, dtype=f32", .expected = "f32([1, 10, 100])"},
                  {.arguments = "1, 2, 0", .expected = "zeros(0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& block_diag_entry() {
  static const Entry entry{
      .name = "block_diag",
      .doc =
          "A matrix that has the given matrices along its diagonal, one after the other, and zeros elsewhere. A vector "
          "is a matrix of one row, a number one of one element.",
      .parameters = {{.name = "matrices", .kind = ParameterKind::any, .required = false, .fallback = {}}},
      .variadic = true,
      .carries = true,
      .eager = block_diag_eager,
      .complex = by_parts_of_rest,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.0, 2], [3, 4]], [[5.0, 6, 7]]",
                   .expected = "[[1.0, 2, 0, 0, 0], [3, 4, 0, 0, 0], [0, 0, 5, 6, 7]]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[[1], [2]], [3, 4], 5",
                   .expected = "[[1, 0, 0, 0], [2, 0, 0, 0], [0, 3, 4, 0], [0, 0, 0, 5]]",
                   .source = "scipy"},
                  {.arguments = "[[1, 2]], [[0.5]]", .expected = "[[1.0, 2, 0], [0, 0, 0.5]]", .source = "scipy"},
                  {.arguments = "zeros(0, 2), [[1.0]]", .expected = "[[0.0, 0, 1]]", .source = "scipy"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family create_compose_entries() {
  static const Entry* const entries[] = {&logspace_entry(), &geomspace_entry(), &block_diag_entry()};
  return entries;
}

}  // namespace covec::ops
