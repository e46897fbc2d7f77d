#include "stdlib/ops/linalg/parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stdlib/decompositions/elimination.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

void require_matrix(const Call& call, unsigned operand, const Type& type) {
  if (type.shape.rank() < 2)
    fail(message("matrix_rank"), {shown_name(call.entry), type.text()}, {label_of(call, operand)});
}

}  // namespace

Type matrix_operand(const Call& call, unsigned operand) {
  const Type type = operand_type(call, operand);
  require_matrix(call, operand, type);
  return type;
}

namespace {

struct Square {
  const Call& call;
  unsigned operand;
  const Type& type;
};

std::vector<std::string> square_parts(const void* self, int64_t, int64_t) {
  const Square& square = *static_cast<const Square*>(self);
  return {shown_name(square.call.entry), square.type.text()};
}
std::vector<ArgumentLabel> square_labels(const void* self, int64_t, int64_t) {
  const Square& square = *static_cast<const Square*>(self);
  return {label_of(square.call, square.operand)};
}

}  // namespace

Type square_operand(ShapeBuilder& shapes, const Call& call, unsigned operand) {
  const Type type = matrix_operand(call, operand);
  const Square square{call, operand, type};
  const unsigned rank = type.shape.rank();
  shapes.require_equal(type.shape[rank - 2], type.shape[rank - 1],
                       {&message("matrix_square"), square_parts, square_labels, &square});
  return type;
}

Type square_or_asked(Builder& builder, const Call& call, unsigned operand) {
  return builder.is_eager() ? square_operand(builder, call, operand) : matrix_operand(call, operand);
}

Type float_square(ShapeBuilder& shapes, const Call& call) {
  const Type type = square_operand(shapes, call, 0);
  return {float_dtype(type.dtype), type.shape};
}

std::string matrix_number(int64_t number, int64_t count) {
  return count == 1 ? "" : " (number " + std::to_string(number) + " of the stack)";
}

void fail_decomposition(const Call& call, int64_t number, int64_t count,
                        ArgumentLabel (*label)(const Call&, unsigned)) {
  fail(message("no_decomposition"), {shown_name(call.entry), matrix_number(number, count)}, {label(call, 0)});
}

Stack Stack::of(Builder& builder, Value x, Dtype dtype, bool own) {
  Value cast = contiguous(builder.pool(), cast_to(builder, std::move(x), dtype));
  const Tensor& t = cast.tensor();
  const unsigned rank = t.rank();
  const int64_t rows = t.dim(rank - 2), columns = t.dim(rank - 1);
  int64_t count = 1;
  for (unsigned i = 0; i + 2 < rank; ++i) count *= t.dim(i);
  if (own) writable(cast, builder.pool());
  return {std::move(cast), count, rows, columns};
}

Stack Stack::empty(Builder& builder, Dtype dtype, Shape shape) {
  const unsigned rank = shape.rank();
  int64_t count = 1;
  for (unsigned i = 0; i + 2 < rank; ++i) count *= shape[i].number();
  const int64_t rows = shape[rank - 2].number(), columns = shape[rank - 1].number();
  return {make_tensor(builder.pool(), dtype, shape), count, rows, columns};
}

Value stack_batch(Builder& builder, Call& call, const Batching& batching) {
  require_matrix(call, 0, example_type(call, 0, batching));  // vectors, with the axis of examples, would be one
  return ops::call(builder, call.entry, call.args);
}

Value operands_batch(Builder& builder, Call& call, const Batching& batching) {
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (call.entry.parameters[i].kind != ParameterKind::tensor) continue;
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, call.entry, call.args);
}

namespace {

// Takes the symmetric part. False where the matrix is far from it.
template <class T>
bool take_symmetric(T* a, int64_t n) {
  kernels::PlainNumbers<T> numbers;
  const kernels::Dense<T> matrix{a, n, n, n};
  return !kernels::take_symmetric(numbers, matrix, n);
}

template <class T>
void symmetric_part(const Call& call, T* a, int64_t n, int64_t number, int64_t count) {
  if (take_symmetric(a, n)) return;
  fail(message("not_symmetric"), {shown_name(call.entry), matrix_number(number, count)}, {label_of(call, 0)});
}
template <class T>
void hermitian_part(const Call& call, T* a, int64_t n, int64_t number, int64_t count) {
  if (take_symmetric(a, n)) return;
  fail(message("not_hermitian"), {shown_name(call.entry), matrix_number(number, count)}, {label_of_doubled(call, 0)});
}

}  // namespace

void take_symmetric_part(const Call& call, float* a, int64_t n, int64_t number, int64_t count) {
  symmetric_part(call, a, n, number, count);
}
void take_symmetric_part(const Call& call, double* a, int64_t n, int64_t number, int64_t count) {
  symmetric_part(call, a, n, number, count);
}
void take_hermitian_part(const Call& call, float* a, int64_t n, int64_t number, int64_t count) {
  hermitian_part(call, a, n, number, count);
}
void take_hermitian_part(const Call& call, double* a, int64_t n, int64_t number, int64_t count) {
  hermitian_part(call, a, n, number, count);
}

ArgumentLabel label_of_doubled(const Call& call, unsigned operand) {
  Type type = operand_type(call, operand);
  for (unsigned back = 1; back <= 2; ++back) {
    Dim& extent = type.shape[type.shape.rank() - back];
    if (extent.known()) extent = Dim(extent.number() / 2);
  }
  const std::string parts = type.text();
  const std::string dtype = type.dtype == Dtype::f32 ? "c64" : "c128";
  return {static_cast<int>(operand),
          std::string(operand_name(call, operand)) + " is " + dtype + parts.substr(parts.find('['))};
}

unsigned rank_of_value(const Value& x) { return logical_type(x).shape.rank(); }

Dim smaller(ShapeBuilder& shapes, Dim m, Dim n) {
  if (m == n) return m;
  return m.known() && n.known() ? Dim(std::min(m.number(), n.number())) : shapes.unknown_dim();
}
Dim larger(ShapeBuilder& shapes, Dim m, Dim n) {
  if (m == n) return m;
  return m.known() && n.known() ? Dim(std::max(m.number(), n.number())) : shapes.unknown_dim();
}

Value Matrices::transposed(Value x) const {
  const unsigned rank = rank_of_value(x);
  std::vector<unsigned> order(rank);
  for (unsigned i = 0; i < rank; ++i) order[i] = i;
  std::swap(order[rank - 2], order[rank - 1]);
  return permute(builder_, std::move(x), order);
}

Value Matrices::columns(Value x, Dim start, Dim size) const {
  const unsigned axis = rank_of_value(x) - 1;
  return narrow(builder_, std::move(x), axis, start, size);
}

Value Matrices::rows(Value x, Dim start, Dim size) const {
  const unsigned axis = rank_of_value(x) - 2;
  return narrow(builder_, std::move(x), axis, start, size);
}

Value Matrices::hstack(Value x, Value y) const {
  const unsigned rank = rank_of_value(x);
  Value both[2] = {std::move(x), std::move(y)};
  return concat(builder_, both, rank - 1);
}

Value Matrices::vstack(Value x, Value y) const {
  const unsigned rank = rank_of_value(x);
  Value both[2] = {std::move(x), std::move(y)};
  return concat(builder_, both, rank - 2);
}

Value Matrices::zeros_like(const Value& x) const { return zeros(builder_, logical_type(x)); }

Value Matrices::solve(Value a, Value b) const { return solve_stack(builder_, std::move(a), std::move(b)); }

Value Matrices::as_column(Value x) const {
  const unsigned rank = rank_of_value(x);
  return unsqueeze(builder_, std::move(x), rank);
}

Value Matrices::as_row(Value x) const {
  const unsigned rank = rank_of_value(x);
  return unsqueeze(builder_, std::move(x), rank - 1);
}

Value Matrices::without_column(Value x) const {
  Shape shape = logical_type(x).shape;
  shape.erase(shape.rank() - 1);
  return reshape(builder_, std::move(x), shape);
}

Value Matrices::eye(Dim n, Dtype dtype) const {
  return cast_to(builder_, ops::call(builder_, handles().eye, {builder_.extent(n)}), dtype);
}

Value Matrices::number(double value, Dtype dtype) const {
  return dtype == Dtype::f32 ? Value(static_cast<float>(value)) : Value(value);
}

Value Matrices::diagonal(const Value& x) const { return ops::diagonal(builder_, x, Value(int64_t{0})); }

Value Matrices::lower(Value x, bool with_diagonal) const {
  return ops::call(builder_, handles().tril, {std::move(x), Value(int64_t{with_diagonal ? 0 : -1})});
}

Value Matrices::triangle(Value x, bool lower, bool with_diagonal) const {
  if (lower) return this->lower(std::move(x), with_diagonal);
  return transposed(this->lower(transposed(std::move(x)), with_diagonal));
}

Value Matrices::trace(const Value& x) const {
  return ops::call(builder_, handles().sum, {diagonal(x), Value(int64_t{-1}), Value(false)});
}

Value Matrices::symmetric(const Value& x) const {
  const Dtype dtype = logical_type(x).dtype;
  return mul(add(x, transposed(x)), number(0.5, dtype));
}

Value Matrices::add(Value a, Value b) const { return ops::call(builder_, handles().add, {std::move(a), std::move(b)}); }
Value Matrices::sub(Value a, Value b) const {
  return ops::call(builder_, handles().subtract, {std::move(a), std::move(b)});
}
Value Matrices::mul(Value a, Value b) const {
  return ops::call(builder_, handles().multiply, {std::move(a), std::move(b)});
}
Value Matrices::div(Value a, Value b) const {
  return ops::call(builder_, handles().divide, {std::move(a), std::move(b)});
}
Value Matrices::neg(Value x) const { return ops::call(builder_, handles().negate, {std::move(x)}); }

}  // namespace covec::ops
