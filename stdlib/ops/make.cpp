// Tensors of given shapes and values, and number grids with NumPy's arithmetic. Start at the entries at the end of the file.
#include "stdlib/ops/make.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/attributes.hpp"
#include "stdlib/ops/families.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/ops/shape.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

constexpr int64_t clear_grain = 1 << 20;  // bytes

Shape variadic_shape(const Call& call) {
  if (!variadic_given(call)) return {};  // zeros() is a number
  return shape_of_integers(call, variadic_integers(call));
}

Value zero_filled(Builder& builder, const Type& type) {
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  if (result.is_scalar()) return result;
  std::byte* data = result.tensor().data();
  const int64_t bytes = result.tensor().size() * static_cast<int64_t>(size_of(type.dtype));
  if (bytes <= clear_grain) {
    std::memset(data, 0, static_cast<size_t>(bytes));
  } else {
    kernels::parallel_for(builder.context(), bytes, clear_grain, [&](int64_t begin, int64_t end) {
      std::memset(data + begin, 0, static_cast<size_t>(end - begin));
    });
  }
  return result;
}

Value one(Dtype dtype) {
  switch (dtype) {
    case Dtype::boolean: return Value(true);
    case Dtype::i32: return Value(int32_t{1});
    case Dtype::i64: return Value(int64_t{1});
    case Dtype::f32: return Value(1.0f);
    case Dtype::f64: return Value(1.0);
  }
  return Value(1.0);
}

// --- zeros, ones, and of another's shape ---

Type shaped_type(ShapeBuilder&, const Call& call) { return {dtype_argument(call, 1, Dtype::f64), variadic_shape(call)}; }

Type like_type(ShapeBuilder&, const Call& call) {
  const Type x = operand_type(call, 0);
  return {dtype_argument(call, 1, x.dtype), x.shape};
}

template <Type (*type)(ShapeBuilder&, const Call&)>
Value zeros_eager(Builder& builder, Call& call) {
  return zero_filled(builder, type(builder, call));
}

template <Type (*type)(ShapeBuilder&, const Call&)>
Value ones_eager(Builder& builder, Call& call) {
  const Type result = type(builder, call);
  return broadcast_to(builder, one(result.dtype), result.shape);
}

Value like_batch(Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); }

// --- full ---

Type full_type(ShapeBuilder&, const Call& call) {
  const Type value = operand_type(call, 1);
  return {dtype_argument(call, 2, value.dtype), shape_of_integers(call, integers_argument(call, 0))};
}

Value full_eager(Builder& builder, Call& call) {
  const Type type = full_type(builder, call);
  return broadcast_to(builder, cast_to(builder, std::move(call.args[1]), type.dtype), type.shape);
}

Value full_transpose(RuleContext& rule, unsigned, const Kept& kept, const Value& cotangent) {
  return rule.sum_to(cotangent, kept.types[1]);
}

Value full_batch(Builder& builder, Call& call, const Batching& batching) {
  Type type = full_type(builder, call);
  if (!batching.batched[1]) return Value::unbound();
  Value value = align_batch(builder, cast_to(builder, std::move(call.args[1]), type.dtype), type.shape.rank());
  type.shape.insert(0, Dim(batching.size));
  return broadcast_to(builder, std::move(value), type.shape);
}

// --- eye ---

Type eye_type(ShapeBuilder&, const Call& call) {
  Integers sizes;
  sizes.push(integer_argument(call, 0));
  sizes.push(call.args[1].is_none() ? sizes[0] : integer_argument(call, 1));
  return {dtype_argument(call, 2, Dtype::f64), shape_of_integers(call, sizes)};
}

Value eye_eager(Builder& builder, Call& call) {
  const Type type = eye_type(builder, call);
  Value result = zero_filled(builder, type);
  Tensor& matrix = result.tensor();
  const Value diagonal = one(type.dtype);
  const size_t width = size_of(type.dtype);
  const int64_t count = std::min(matrix.dim(0), matrix.dim(1));
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(matrix.data() + static_cast<size_t>(i * (matrix.dim(1) + 1)) * width, diagonal.scalar_data(), width);
  }
  return result;
}

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
    fail(message("grid_bound"), {std::string(call.entry.name), std::string(operand_name(call, operand))}, {label_of(call, operand)});
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

Type arange_type(ShapeBuilder&, const Call& call) {
  const Grid grid = grid_of(call);
  return {dtype_argument(call, 3, grid.whole ? Dtype::i64 : Dtype::f64), {Dim(grid.count)}};
}

// NumPy's way: the second element is start + step, and the step taken is what came of that.
template <class T>
void fill_real(T* numbers, const Grid& grid) {
  numbers[0] = static_cast<T>(grid.real_first);
  if (grid.count == 1) return;
  numbers[1] = static_cast<T>(grid.real_first + grid.real_step);
  const T first = numbers[0], delta = numbers[1] - numbers[0];
  for (int64_t i = 2; i < grid.count; ++i) numbers[i] = first + static_cast<T>(i) * delta;
}

Value arange_eager(Builder& builder, Call& call) {
  const Grid grid = grid_of(call);
  const Dtype dtype = dtype_argument(call, 3, grid.whole ? Dtype::i64 : Dtype::f64);
  const Dtype computed = grid.whole ? Dtype::i64 : dtype == Dtype::f32 ? Dtype::f32 : Dtype::f64;
  Value result = make_tensor(builder.pool(), computed, {Dim(grid.count)});
  Tensor& numbers = result.tensor();
  if (grid.count == 0) return cast_to(builder, std::move(result), dtype);
  if (computed == Dtype::f32) fill_real(numbers.as<float>(), grid);
  if (computed == Dtype::f64) fill_real(numbers.as<double>(), grid);
  for (int64_t i = 0; computed == Dtype::i64 && i < grid.count; ++i) {
    numbers.as<int64_t>()[i] = static_cast<int64_t>(static_cast<uint64_t>(grid.first) + static_cast<uint64_t>(i) * static_cast<uint64_t>(grid.step));
  }
  return cast_to(builder, std::move(result), dtype);
}

// --- linspace ---

int64_t point_count(const Call& call) {
  const int64_t count = integer_argument(call, 2);
  if (count < 0) fail(message("negative_size"), {"linspace", std::to_string(count)}, {label_of(call, 2)});
  return count;
}

Type linspace_type(ShapeBuilder&, const Call& call) {
  for (unsigned i = 0; i < 2; ++i) {
    if (operand_type(call, i).shape.rank() != 0) fail_attribute(call, i, "a number");
  }
  return {dtype_argument(call, 4, Dtype::f64), {Dim(point_count(call))}};
}

// NumPy's arithmetic: i * step + start, the last point being `stop` itself.
Value linspace_eager(Builder& builder, Call& call) {
  const Type type = linspace_type(builder, call);
  const double start = number_argument(call, 0), stop = number_argument(call, 1);
  const int64_t count = type.shape[0].number();
  const bool endpoint = flag_argument(call, 3);
  Value result = make_tensor(builder.pool(), Dtype::f64, type.shape);
  double* points = result.tensor().as<double>();
  const int64_t parts = endpoint ? count - 1 : count;
  const double delta = stop - start, step = delta / static_cast<double>(parts);
  for (int64_t i = 0; i < count; ++i) {
    const double place = static_cast<double>(i);
    const double from_start = parts <= 0 ? place * delta : step == 0 ? place / static_cast<double>(parts) * delta : place * step;
    points[i] = from_start + start;
  }
  if (endpoint && count > 1) points[count - 1] = stop;
  return cast_to(builder, std::move(result), type.dtype);
}

// Linear in start and stop together: the points are start·(1 - t) + stop·t.
Value linspace_jvp(RuleContext& rule, const Kept& kept, std::span<const Value> tangents) {
  if (tangents[0].is_none() && tangents[1].is_none()) return Value();
  Value args[5] = {tangents[0].is_none() ? Value(0.0) : tangents[0], tangents[1].is_none() ? Value(0.0) : tangents[1],
                   kept.operands[2], kept.operands[3], kept.operands[4]};
  return call(rule.builder(), linspace_entry(), args);
}

void linspace_vjp(RuleContext& rule, const Kept& kept, Value cotangent, Cotangents& cotangents) {
  for (unsigned i = 0; i < 2; ++i) {
    if (!cotangents.wants(i)) continue;
    Value args[5] = {Value(i == 0 ? 1.0 : 0.0), Value(i == 0 ? 0.0 : 1.0), kept.operands[2], kept.operands[3], Value()};
    Value weights = call(rule.builder(), linspace_entry(), args);
    cotangents.add(i, rule.sum_to(rule.mul(cotangent, rule.cast(std::move(weights), kept.result_type->dtype)), kept.types[i]));
  }
}

constexpr const char* no_operands = "has no tensor operands";

}  // namespace

Value zeros(Builder& builder, const Type& type) {
  std::array<Value, max_rank> sizes;
  for (unsigned i = 0; i < type.shape.rank(); ++i) sizes[i] = Value(type.shape[i].number());
  Value args[] = {Value(), type.dtype == Dtype::f64 ? Value() : function_of(cast_entry(type.dtype))};
  return call(builder, zeros_entry(), args, {sizes.data(), type.shape.rank()});
}

const Entry& zeros_entry() {
  static const Entry entry{
      .name = "zeros",
      .doc = "A tensor of zeros: `zeros(2, 3)` or `zeros((2, 3))`, `dtype=` f64 unless said otherwise.",
      .parameters = {attribute("shape", Value()), attribute("dtype", Value())},
      .variadic = true,
      .type = shaped_type,
      .eager = zeros_eager<shaped_type>,
      .derivative = Derivative::none(no_operands),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "2, 3", .expected = "[[0.0, 0, 0], [0, 0, 0]]"},
                  {.arguments = "(2,), dtype=i32", .expected = "i32([0, 0])"},
                  {.arguments = "", .expected = "0.0"},
                  {.arguments = "0", .expected = "[1.0][1:]"}},
  };
  return entry;
}

const Entry& ones_entry() {
  static const Entry entry{
      .name = "ones",
      .doc = "A tensor of ones: `ones(2, 3)` or `ones((2, 3))`, `dtype=` f64 unless said otherwise.",
      .parameters = {attribute("shape", Value()), attribute("dtype", Value())},
      .variadic = true,
      .type = shaped_type,
      .eager = ones_eager<shaped_type>,
      .derivative = Derivative::none(no_operands),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "2, 2", .expected = "[[1.0, 1], [1, 1]]"},
                  {.arguments = "2, dtype=bool", .expected = "[true, true]"},
                  {.arguments = "", .expected = "1.0"}},
  };
  return entry;
}

const Entry& full_entry() {
  static const Entry entry{
      .name = "full",
      .doc = "A tensor of a shape (a number or a tuple) filled with `value`, in its dtype unless `dtype=` says another.",
      .parameters = {attribute("shape"), tensor_parameter("value"), attribute("dtype", Value())},
      .type = full_type,
      .eager = full_eager,
      .derivative = Derivative::linearly(2, full_transpose),
      .batch = full_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "(2, 2), 7.5", .expected = "[[7.5, 7.5], [7.5, 7.5]]"},
                  {.arguments = "3, 1", .expected = "[1, 1, 1]"},
                  {.arguments = "(2, 2), [1.0, 2]", .expected = "[[1.0, 2], [1, 2]]"},
                  {.arguments = "2, 1, dtype=f32", .expected = "f32([1, 1])"}},
  };
  return entry;
}

const Entry& eye_entry() {
  static const Entry entry{
      .name = "eye",
      .doc = "The matrix of n rows (and m columns) with ones on its diagonal.",
      .parameters = {attribute("n"), attribute("m", Value()), attribute("dtype", Value())},
      .type = eye_type,
      .eager = eye_eager,
      .derivative = Derivative::none(no_operands),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "2", .expected = "[[1.0, 0], [0, 1]]"},
                  {.arguments = "2, 3, dtype=i64", .expected = "[[1, 0, 0], [0, 1, 0]]"},
                  {.arguments = "0", .expected = "zeros(0, 0)"}},
  };
  return entry;
}

const Entry& arange_entry() {
  static const Entry entry{
      .name = "arange",
      .doc = "Numbers from start (0) up to but not including stop, `step` (1) apart: `arange(5)`, `arange(1, 2, 0.25)`.\n\n"
             "i64 when all are integers, else f64. Element i is start + i * step as NumPy rounds it.",
      .parameters = {attribute("start"), attribute("stop", Value()), attribute("step", Value()), attribute("dtype", Value())},
      .type = arange_type,
      .eager = arange_eager,
      .derivative = Derivative::none("gives a grid of numbers"),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "4", .expected = "[0, 1, 2, 3]"},
                  {.arguments = "5, 0, -2", .expected = "[5, 3, 1]"},
                  {.arguments = "1.0, 2.0, 0.25", .expected = "[1.0, 1.25, 1.5, 1.75]"},
                  {.arguments = "0, 0.7, 0.1", .expected = "[0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6000000000000001]"},
                  {.arguments = "3, dtype=f32", .expected = "f32([0, 1, 2])"},
                  {.arguments = "3, 1", .expected = "i64(zeros(0))"}},
  };
  return entry;
}

const Entry& linspace_entry() {
  static const Entry entry{
      .name = "linspace",
      .doc = "`n` points evenly from start to stop, both included (stop is left out with `endpoint=false`).",
      .parameters = {tensor_parameter("start"), tensor_parameter("stop"), attribute("n", int64_t{50}),
                     attribute("endpoint", true), attribute("dtype", Value())},
      .type = linspace_type,
      .eager = linspace_eager,
      .derivative = Derivative::by_hand(0, linspace_jvp, linspace_vjp),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "0, 1, 5", .expected = "[0.0, 0.25, 0.5, 0.75, 1]", .differentiate = true},
                  {.arguments = "0, 0.3, 4", .expected = "[0.0, 0.09999999999999999, 0.19999999999999998, 0.3]"},
                  {.arguments = "1, 2, 2, endpoint=false", .expected = "[1.0, 1.5]"},
                  {.arguments = "3.0, 9.0, 1", .expected = "[3.0]"},
                  {.arguments = "0, 1, 0", .expected = "zeros(0)"}},
  };
  return entry;
}

const Entry& zeros_like_entry() {
  static const Entry entry{
      .name = "zeros_like",
      .doc = "Zeros of x's shape and dtype.",
      .parameters = {tensor_parameter("x"), attribute("dtype", Value())},
      .type = like_type,
      .eager = zeros_eager<like_type>,
      .derivative = Derivative::piecewise_constant(),
      .batch = like_batch,
      .samples = {{.arguments = "[1.5, 2]", .expected = "[0.0, 0]"}, {.arguments = "[1, 2], dtype=f32", .expected = "f32([0, 0])"}},
  };
  return entry;
}

const Entry& ones_like_entry() {
  static const Entry entry{
      .name = "ones_like",
      .doc = "Ones of x's shape and dtype.",
      .parameters = {tensor_parameter("x"), attribute("dtype", Value())},
      .type = like_type,
      .eager = ones_eager<like_type>,
      .derivative = Derivative::piecewise_constant(),
      .batch = like_batch,
      .samples = {{.arguments = "[1.5, 2]", .expected = "[1.0, 1]"}, {.arguments = "3", .expected = "1"}},
  };
  return entry;
}

Family make_family() {
  static const Entry* const entries[] = {&zeros_entry(),  &ones_entry(),     &full_entry(),      &eye_entry(),   &arange_entry(),
                                         &linspace_entry(), &zeros_like_entry(), &ones_like_entry(), &tensor_entry()};
  return entries;
}

}  // namespace covec::ops
