// Tensors of given shapes and values. The family's grids are in grid.cpp, its literals in literal.cpp.
#include "stdlib/ops/create/create.hpp"

#include <algorithm>
#include <cstring>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/create/family.hpp"
#include "stdlib/ops/create/matrix.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

constexpr int64_t clear_grain = 1 << 20;  // bytes

Shape variadic_shape(ShapeBuilder& shapes, const Call& call) {
  if (!variadic_given(call)) return {};  // zeros() is a number
  return shape_of_sizes(call, variadic_sizes(shapes, call));
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

Value one(Dtype dtype) { return Value::number(dtype, int64_t{1}); }

// --- zeros, ones, and of another's shape ---

Type shaped_type(ShapeBuilder& shapes, const Call& call) {
  return {dtype_argument(call, 1, Dtype::f64), variadic_shape(shapes, call)};
}

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

Type full_type(ShapeBuilder& shapes, const Call& call) {
  const Type value = operand_type(call, 1);
  return {dtype_argument(call, 2, value.dtype), shape_of_sizes(call, sizes_argument(shapes, call, 0))};
}

Value full_eager(Builder& builder, Call& call) {
  const Type type = full_type(builder, call);
  return broadcast_to(builder, cast_to(builder, std::move(call.args[1]), type.dtype), type.shape);
}

Value full_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rule.sum_to(cotangent, residuals.types[1]);
}

Value full_batch(Builder& builder, Call& call, const Batching& batching) {
  Type type = full_type(builder, call);
  if (!batching.batched[1]) return Value::unbound();
  Value value = align_batch(builder, cast_to(builder, std::move(call.args[1]), type.dtype), type.shape.rank());
  type.shape.insert(0, batching.size);
  return broadcast_to(builder, std::move(value), type.shape);
}

// --- eye ---

Type eye_type(ShapeBuilder& shapes, const Call& call) {
  Sizes sizes;
  sizes.push(size_argument(shapes, call, 0));
  sizes.push(call.args[1].is_none() ? sizes[0] : size_argument(shapes, call, 1));
  return {dtype_argument(call, 2, Dtype::f64), shape_of_sizes(call, sizes)};
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

constexpr const char* no_operands = "has no tensor operands";

}  // namespace

const Entry& zeros_entry() {
  static const Entry entry{
      .name = "zeros",
      .doc = "A tensor of zeros: `zeros(2, 3)` or `zeros((2, 3))`, `dtype=` f64 unless said otherwise.",
      .parameters = {attribute("shape", Value()), attribute("dtype", Value())},
      .variadic = true,
      .type = shaped_type,
      .eager = zeros_eager<shaped_type>,
      .complex = with_zeros,
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
      .complex = with_zeros,
      .derivative = Derivative::none(no_operands),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "2, 2", .expected = "[[1.0, 1], [1, 1]]"},
                  {.arguments = "2, dtype=bool", .expected = "[true, true]"},
                  {.arguments = "", .expected = "1.0"}},
  };
  return entry;
}

namespace {

// Whether a real dtype is asked for.
bool asks_for_real(const Value& dtype) {
  return dtype.is(ObjectKind::function) && dtype.function().entry() != nullptr && dtype.function().entry()->dtype;
}

Value full_complex(Builder& builder, Call& call) {
  const std::optional<Dtype> dtype = asked_part_dtype(call.entry, call.args);
  if (asks_for_real(call.args[2])) fail(message("complex_into_real"), {"a tensor of the requested dtype"});
  if (!dtype) return call_by_parts(builder, call, 2);
  const Value part = function_of(cast_entry(*dtype)), value = call.args[1];
  Value re = ops::call(builder, call.entry, {call.args[0], real_part(value), part}, call.literals);
  Value im = ops::call(builder, call.entry, {call.args[0], imaginary_part(builder, value), part}, call.literals);
  return complex_value(builder, std::move(re), std::move(im));
}

}  // namespace

const Entry& full_entry() {
  static const Entry entry{
      .name = "full",
      .doc =
          "A tensor of a shape (a number or a tuple) filled with `value`, in its dtype unless `dtype=` says another.",
      .parameters = {attribute("shape"), tensor_parameter("value"), attribute("dtype", Value())},
      .type = full_type,
      .eager = full_eager,
      .complex = full_complex,
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
      .complex = with_zeros,
      .derivative = Derivative::none(no_operands),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "2", .expected = "[[1.0, 0], [0, 1]]"},
                  {.arguments = "2, 3, dtype=i64", .expected = "[[1, 0, 0], [0, 1, 0]]"},
                  {.arguments = "0", .expected = "zeros(0, 0)"}},
  };
  return entry;
}

namespace {

Value ones_like_complex(Builder& builder, Call& call) {
  if (asked_part_dtype(call.entry, call.args)) call.args[0] = real_part(call.args[0]);
  if (!is_complex(call.args[0])) return with_zeros(builder, call);
  if (asks_for_real(call.args[1])) return ops::call(builder, call.entry, {real_part(call.args[0]), call.args[1]});
  const Complex& z = complex_of(call.args[0]);
  Value re = ops::call(builder, call.entry, {z.re(), call.args[1]});
  Value im = ops::call(builder, zeros_like_entry(), {z.im(), call.args[1]});
  return is_complex(re) ? re : complex_value(builder, std::move(re), std::move(im));
}
Value zeros_like_complex(Builder& builder, Call& call) {
  if (asked_part_dtype(call.entry, call.args)) call.args[0] = real_part(call.args[0]);
  if (asks_for_real(call.args[1])) return ops::call(builder, call.entry, {real_part(call.args[0]), call.args[1]});
  return is_complex(call.args[0]) ? by_parts(builder, call) : with_zeros(builder, call);
}

}  // namespace

const Entry& zeros_like_entry() {
  static const Entry entry{
      .name = "zeros_like",
      .doc = "Zeros of x's shape and dtype.",
      .parameters = {tensor_parameter("x"), attribute("dtype", Value())},
      .carries = true,
      .type = like_type,
      .eager = zeros_eager<like_type>,
      .complex = zeros_like_complex,
      .derivative = Derivative::piecewise_constant(),
      .batch = like_batch,
      .samples = {{.arguments = "[1.5, 2]", .expected = "[0.0, 0]"},
                  {.arguments = "[1, 2], dtype=f32", .expected = "f32([0, 0])"}},
  };
  return entry;
}

const Entry& ones_like_entry() {
  static const Entry entry{
      .name = "ones_like",
      .doc = "Ones of x's shape and dtype.",
      .parameters = {tensor_parameter("x"), attribute("dtype", Value())},
      .carries = true,
      .type = like_type,
      .eager = ones_eager<like_type>,
      .complex = ones_like_complex,
      .derivative = Derivative::piecewise_constant(),
      .batch = like_batch,
      .samples = {{.arguments = "[1.5, 2]", .expected = "[1.0, 1]"}, {.arguments = "3", .expected = "1"}},
  };
  return entry;
}

Family create_entries() {
  static const Entry* const entries[] = {&zeros_entry(), &ones_entry(),       &full_entry(),
                                         &eye_entry(),   &zeros_like_entry(), &ones_like_entry()};
  return entries;
}

}  // namespace covec::ops
