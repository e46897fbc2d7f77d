// Numbers in even steps, with NumPy's arithmetic to the last bit: arange, linspace.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/create/family.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

// --- arange ---

struct Grid {
  bool whole = true;  // integers
  int64_t first = 0, step = 1;
  double real_first = 0, real_step = 1;
  int64_t count = 0;
};

double finite_argument(const Call& call, unsigned operand) {
  const double number = number_argument(call, operand);
  if (!std::isfinite(number)) {
    fail(message("grid_bound"), {std::string(call.entry.name), std::string(operand_name(call, operand))},
         {label_of(call, operand)});
  }
  return number;
}

void count_whole(Grid& grid, int64_t stop) {
  if (grid.step == 0) fail(message("arange_step"));
  const bool up = grid.step > 0;
  if (up ? grid.first >= stop : grid.first <= stop) return;
  // In unsigned numbers: the distance of two i64 always fits.
  const uint64_t distance = up ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(grid.first)
                               : static_cast<uint64_t>(grid.first) - static_cast<uint64_t>(stop);
  const uint64_t stride = up ? static_cast<uint64_t>(grid.step) : 0 - static_cast<uint64_t>(grid.step);
  const uint64_t count = (distance - 1) / stride + 1;
  grid.count = static_cast<int64_t>(std::min<uint64_t>(count, std::numeric_limits<int64_t>::max()));
}

void count_real(Grid& grid, double stop) {
  if (grid.real_step == 0) fail(message("arange_step"));
  const double count = std::ceil((stop - grid.real_first) / grid.real_step);
  if (!(count > 0)) return;
  if (count > 0x1p62) fail(message("arange_size"), {repr_of(Value(count))});
  grid.count = static_cast<int64_t>(count);
}

Grid grid_of(const Call& call) {
  const bool one_bound = call.args[1].is_none(), has_step = !call.args[2].is_none();
  Grid grid;
  for (unsigned i = 0; i < 3; ++i) grid.whole &= call.args[i].is_none() || is_integer(call.args[i]);
  const unsigned stop = one_bound ? 0 : 1;
  if (grid.whole) {
    grid.first = one_bound ? 0 : integer_argument(call, 0);
    grid.step = has_step ? integer_argument(call, 2) : 1;
    count_whole(grid, integer_argument(call, stop));
  } else {
    grid.real_first = one_bound ? 0 : finite_argument(call, 0);
    grid.real_step = has_step ? finite_argument(call, 2) : 1;
    count_real(grid, finite_argument(call, stop));
  }
  return grid;
}

bool is_whole(const Value& number) {
  return is_integer(number) || (number.is_symbol() && kind_of(symbol_type(number).dtype) == DtypeKind::integer);
}

// With bounds that only the run knows. As many as `stop` says where that cannot be negative.
Type symbolic_grid(ShapeBuilder& shapes, const Call& call) {
  bool whole = true;
  for (unsigned i = 0; i < 3; ++i) {
    const Value& bound = call.args[i];
    if (bound.is_symbol() && !symbol_type(bound).shape.empty()) fail_attribute(call, i, "a number");
    whole &= bound.is_none() || is_whole(bound);
  }
  const bool one_bound = call.args[1].is_none();
  const auto is_number = [](const Value& value, int64_t number) {
    return is_integer(value) && integer_of(value) == number;
  };
  const bool counts = whole && (one_bound || is_number(call.args[0], 0)) &&
                      (call.args[2].is_none() || is_number(call.args[2], 1)) &&
                      shapes.is_extent(call.args[one_bound ? 0 : 1]);
  const Dim count = counts ? shapes.dim_of(call.args[one_bound ? 0 : 1]) : shapes.unknown_dim();
  return {dtype_argument(call, 3, whole ? Dtype::i64 : Dtype::f64), {count}};
}

Type arange_type(ShapeBuilder& shapes, const Call& call) {
  for (unsigned i = 0; i < 3; ++i) {
    if (call.args[i].is_symbol()) return symbolic_grid(shapes, call);
  }
  const Grid grid = grid_of(call);
  return {dtype_argument(call, 3, grid.whole ? Dtype::i64 : Dtype::f64), {Dim(grid.count)}};
}

constexpr int64_t fill_grain = 1 << 15;  // elements in a piece for a thread

// NumPy's way: the second element is start + step, and the step taken is what came of that.
template <class T>
void fill_real(Builder& builder, T* numbers, const Grid& grid) {
  numbers[0] = static_cast<T>(grid.real_first);
  if (grid.count == 1) return;
  numbers[1] = static_cast<T>(grid.real_first + grid.real_step);
  const T first = numbers[0], delta = numbers[1] - numbers[0];
  kernels::parallel_for(builder.context(), grid.count - 2, fill_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin + 2; i < end + 2; ++i) numbers[i] = first + static_cast<T>(i) * delta;
  });
}

void fill_whole(Builder& builder, int64_t* numbers, const Grid& grid) {
  kernels::parallel_for(builder.context(), grid.count, fill_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      numbers[i] = static_cast<int64_t>(static_cast<uint64_t>(grid.first) +
                                        static_cast<uint64_t>(i) * static_cast<uint64_t>(grid.step));
    }
  });
}

Value arange_eager(Builder& builder, Call& call) {
  const Grid grid = grid_of(call);
  const Dtype dtype = dtype_argument(call, 3, grid.whole ? Dtype::i64 : Dtype::f64);
  const Dtype computed = grid.whole ? Dtype::i64 : dtype == Dtype::f32 ? Dtype::f32 : Dtype::f64;
  Value result = make_tensor(builder.pool(), computed, {Dim(grid.count)});
  Tensor& numbers = result.tensor();
  if (grid.count == 0) return cast_to(builder, std::move(result), dtype);
  if (computed == Dtype::f32) fill_real(builder, numbers.as<float>(), grid);
  if (computed == Dtype::f64) fill_real(builder, numbers.as<double>(), grid);
  if (computed == Dtype::i64) fill_whole(builder, numbers.as<int64_t>(), grid);
  return cast_to(builder, std::move(result), dtype);
}

// --- linspace ---

Type linspace_type(ShapeBuilder& shapes, const Call& call) {
  for (unsigned i = 0; i < 2; ++i) {
    if (operand_type(call, i).shape.rank() != 0) fail_attribute(call, i, "a number");
  }
  return {dtype_argument(call, 4, Dtype::f64), {size_argument(shapes, call, 2)}};
}

// NumPy's arithmetic: i * step + start, the last point being `stop` itself. Where the way from one to the other
// overflows: what lies at that part of it.
Value linspace_eager(Builder& builder, Call& call) {
  const Type type = linspace_type(builder, call);
  const double start = number_argument(call, 0), stop = number_argument(call, 1);
  const int64_t count = type.shape[0].number();
  const bool endpoint = flag_argument(call, 3);
  Value result = make_tensor(builder.pool(), Dtype::f64, type.shape);
  double* points = result.tensor().as<double>();
  const int64_t parts = endpoint ? count - 1 : count;
  const double delta = stop - start, step = delta / static_cast<double>(parts);
  const bool overflows = std::isinf(delta) && std::isfinite(start) && std::isfinite(stop) && parts > 0;
  kernels::parallel_for(builder.context(), count, fill_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double place = static_cast<double>(i);
      if (overflows) {
        const double part = place / static_cast<double>(parts);
        points[i] = start * (1 - part) + stop * part;
        continue;
      }
      const double from_start = parts <= 0  ? place * delta
                                : step == 0 ? place / static_cast<double>(parts) * delta
                                            : place * step;
      points[i] = from_start + start;
    }
  });
  if (endpoint && count > 1) points[count - 1] = stop;
  return cast_to(builder, std::move(result), type.dtype);
}

// Linear in start and stop together: the points are start·(1 - t) + stop·t.
Value linspace_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none() && tangents[1].is_none()) return Value();
  Value args[5] = {tangents[0].is_none() ? Value(0.0) : tangents[0], tangents[1].is_none() ? Value(0.0) : tangents[1],
                   residuals.operands[2], residuals.operands[3], residuals.operands[4]};
  return call(rule.builder(), linspace_entry(), args);
}

void linspace_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& cotangents) {
  for (unsigned i = 0; i < 2; ++i) {
    if (!cotangents.wants(i)) continue;
    Value args[5] = {Value(i == 0 ? 1.0 : 0.0), Value(i == 0 ? 0.0 : 1.0), residuals.operands[2], residuals.operands[3],
                     Value()};
    Value weights = call(rule.builder(), linspace_entry(), args);
    cotangents.add(i, rule.sum_to(rule.mul(cotangent, rule.cast(std::move(weights), residuals.result_type->dtype)),
                                  residuals.types[i]));
  }
}

// Of complex ends: from one's real part to the other's, and so of the imaginary parts.
Value linspace_complex(Builder& builder, Call& call) {
  if (!is_complex(call.args[0]) && !is_complex(call.args[1])) return with_zeros(builder, call);
  std::vector<Value> re(call.args.begin(), call.args.end());
  const std::optional<Dtype> asked = asked_part_dtype(call.entry, call.args);
  if (!asked && !call.args[4].is_none()) {
    const unsigned at = is_complex(call.args[0]) ? 0 : 1;
    fail(message("complex_into_real"), {std::string(name_of(dtype_argument(call, 4, Dtype::f64)))},
         {label_of(call, at)});
  }
  re[4] = function_of(cast_entry(asked.value_or(Dtype::f64)));
  std::vector<Value> im = re;
  for (const unsigned i : {0u, 1u}) {
    if (!is_complex(call.args[i])) require_operand(builder, call, i);
    if (logical_type(real_part(call.args[i])).shape.rank() != 0) fail_attribute(call, i, "a number");
    re[i] = real_part(call.args[i]);
    im[i] = imaginary_part(builder, call.args[i]);
  }
  Value of_re = ops::call(builder, call.entry, re), of_im = ops::call(builder, call.entry, im);
  return complex_value(builder, std::move(of_re), std::move(of_im));
}

}  // namespace

const Entry& arange_entry() {
  static const Entry entry{
      .name = "arange",
      .doc =
          "Numbers from start (0) up to but not including stop, `step` (1) apart: `arange(5)`, `arange(1, 2, "
          "0.25)`.\n\n"
          "i64 when all are integers, else f64. Element i is start + i * step as NumPy rounds it.",
      .parameters = {attribute("start"), attribute("stop", Value()), attribute("step", Value()),
                     attribute("dtype", Value())},
      .type = arange_type,
      .eager = arange_eager,
      .complex = with_zeros,
      .derivative = Derivative::none("gives a grid of numbers"),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "4", .expected = "[0, 1, 2, 3]"},
                  {.arguments = "5, 0, -2", .expected = "[5, 3, 1]"},
                  {.arguments = "1.0, 2.0, 0.25", .expected = "[1.0, 1.25, 1.5, 1.75]"},
                  {.arguments = "0, 0.7, 0.1",
                   .expected = "[0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6000000000000001]"},
                  {.arguments = "3, dtype=f32", .expected = "f32([0, 1, 2])"},
                  {.arguments = "3, 1", .expected = "i64(zeros(0))"}},
  };
  return entry;
}

const Entry& linspace_entry() {
  static const Entry entry{
      .name = "linspace",
      .doc =
          "`n` points evenly from start to stop, both included (stop is left out with `endpoint=false`). Of complex "
          "ends: on the line between them.",
      .parameters = {tensor_parameter("start"), tensor_parameter("stop"), attribute("n", int64_t{50}),
                     attribute("endpoint", true), attribute("dtype", Value())},
      .type = linspace_type,
      .eager = linspace_eager,
      .complex = linspace_complex,
      .derivative = Derivative::by_hand(0, linspace_jvp, linspace_vjp),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "0, 1, 5", .expected = "[0.0, 0.25, 0.5, 0.75, 1]", .differentiate = true},
                  {.arguments = "0, 0.3, 4", .expected = "[0.0, 0.09999999999999999, 0.19999999999999998, 0.3]"},
                  {.arguments = "1, 2, 2, endpoint=false", .expected = "[1.0, 1.5]"},
                  {.arguments = "3.0, 9.0, 1", .expected = "[3.0]"},
                  {.arguments = "1im, 2, 3", .expected = "[1im, 1.0 + 0.5im, 2.0 + 0im]"},
                  {.arguments = "0, 1, 0", .expected = "zeros(0)"}},
  };
  return entry;
}

Family create_grid_entries() {
  static const Entry* const entries[] = {&arange_entry(), &linspace_entry()};
  return entries;
}

}  // namespace covec::ops
