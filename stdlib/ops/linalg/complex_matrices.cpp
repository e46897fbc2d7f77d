#include "stdlib/ops/linalg/complex_matrices.hpp"

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

ComplexMatrix ComplexMatrices::product(const ComplexMatrix& a, const ComplexMatrix& b) const {
  const auto by = [&](const Value& x, const Value& y) { return m_.product(x, y); };
  if (a.is_real()) return each_part(b, [&](const Value& part) { return by(a.re, part); });
  if (b.is_real()) return each_part(a, [&](const Value& part) { return by(part, b.re); });
  return {rule_.sub(by(a.re, b.re), by(a.im, b.im)), rule_.add(by(a.re, b.im), by(a.im, b.re))};
}

ComplexMatrix ComplexMatrices::mul(const ComplexMatrix& a, const ComplexMatrix& b) const {
  const auto by = [&](const Value& x, const Value& y) { return rule_.mul(x, y); };
  if (a.is_real()) return each_part(b, [&](const Value& part) { return by(a.re, part); });
  if (b.is_real()) return each_part(a, [&](const Value& part) { return by(part, b.re); });
  return {rule_.sub(by(a.re, b.re), by(a.im, b.im)), rule_.add(by(a.re, b.im), by(a.im, b.re))};
}

ComplexMatrix ComplexMatrices::div(const ComplexMatrix& a, const ComplexMatrix& b) const {
  if (b.is_real()) return each_part(a, [&](const Value& part) { return rule_.div(part, b.re); });
  Steps steps(rule_.builder());
  const Value zero = steps.number(0, logical_type(b.re).dtype), one = steps.number(1, logical_type(b.re).dtype);
  // In units of the larger part, so that no square leaves the range.
  const Value size = constant_of(steps.maximum(steps.absolute(b.re), steps.absolute(b.im)));
  const Value unit = steps.where(steps.equal(size, zero), one, size);
  const Value x = steps.div(b.re, unit), y = steps.div(b.im, unit);
  const Value divisor = steps.mul(steps.add(steps.mul(x, x), steps.mul(y, y)), unit);
  return mul(a, {steps.div(x, divisor), steps.neg(steps.div(y, divisor))});
}

ComplexMatrix ComplexMatrices::add(const ComplexMatrix& a, const ComplexMatrix& b) const {
  const Value im = a.is_real() ? b.im : b.is_real() ? a.im : rule_.add(a.im, b.im);
  return {rule_.add(a.re, b.re), im};
}

ComplexMatrix ComplexMatrices::sub(const ComplexMatrix& a, const ComplexMatrix& b) const { return add(a, neg(b)); }

ComplexMatrix ComplexMatrices::neg(const ComplexMatrix& a) const {
  return each_part(a, [&](const Value& part) { return rule_.neg(part); });
}

ComplexMatrix ComplexMatrices::conj(const ComplexMatrix& a) const {
  return {a.re, a.is_real() ? Value() : rule_.neg(a.im)};
}

ComplexMatrix ComplexMatrices::transposed(const ComplexMatrix& a) const {
  return each_part(a, [&](const Value& part) { return m_.transposed(part); });
}

ComplexMatrix ComplexMatrices::columns(const ComplexMatrix& a, Dim start, Dim size) const {
  return each_part(a, [&](const Value& part) { return m_.columns(part, start, size); });
}

ComplexMatrix ComplexMatrices::rows(const ComplexMatrix& a, Dim start, Dim size) const {
  return each_part(a, [&](const Value& part) { return m_.rows(part, start, size); });
}

ComplexMatrix ComplexMatrices::zeros_like(const ComplexMatrix& a) const {
  return each_part(a, [&](const Value& part) { return m_.zeros_like(part); });
}

ComplexMatrix ComplexMatrices::vstack(const ComplexMatrix& a, const ComplexMatrix& b) const {
  return {m_.vstack(a.re, b.re), m_.vstack(a.im, b.im)};
}

ComplexMatrix ComplexMatrices::hstack(const ComplexMatrix& a, const ComplexMatrix& b) const {
  return {m_.hstack(a.re, b.re), m_.hstack(a.im, b.im)};
}

ComplexMatrix ComplexMatrices::as_row(const ComplexMatrix& a) const {
  return each_part(a, [&](const Value& part) { return m_.as_row(part); });
}

ComplexMatrix ComplexMatrices::as_column(const ComplexMatrix& a) const {
  return each_part(a, [&](const Value& part) { return m_.as_column(part); });
}

ComplexMatrix ComplexMatrices::diagonal(const ComplexMatrix& a) const {
  return each_part(a, [&](const Value& part) { return m_.diagonal(part); });
}

ComplexMatrix ComplexMatrices::lower(const ComplexMatrix& a, bool with_diagonal) const {
  return each_part(a, [&](const Value& part) { return m_.lower(part, with_diagonal); });
}

ComplexMatrix ComplexMatrices::triangle(const ComplexMatrix& a, bool lower, bool with_diagonal) const {
  return each_part(a, [&](const Value& part) { return m_.triangle(part, lower, with_diagonal); });
}

ComplexMatrix ComplexMatrices::on_diagonal(const ComplexMatrix& vector, Dim n) const {
  const Value eye = m_.eye(n, logical_type(vector.re).dtype);
  return each_part(vector, [&](const Value& part) { return rule_.mul(m_.as_column(part), eye); });
}

ComplexMatrix ComplexMatrices::constant(const ComplexMatrix& a) const {
  return each_part(a, [](const Value& part) { return constant_of(part); });
}

Value ComplexMatrices::imaginary(const ComplexMatrix& a) const {
  return a.is_real() ? rule_.zeros(logical_type(a.re)) : a.im;
}

Value ComplexMatrices::column_sums(const Value& a) const {
  return rule_.call(handles().sum, {a, Value(int64_t{-2}), Value(false)});
}

Value ComplexMatrices::doubled(const ComplexMatrix& a) const {
  const Value left = m_.vstack(a.re, a.im);
  return m_.hstack(left, m_.vstack(rule_.neg(a.im), a.re));
}

ComplexMatrix ComplexMatrices::of_doubled(const Value& x, Dim rows, Dim columns) const {
  const Value left = m_.columns(x, Dim(0), columns);
  const unsigned axis = rank_of_value(left) - 2;
  Builder& builder = rule_.builder();
  return {narrow(builder, left, axis, Dim(0), rows), narrow(builder, left, axis, rows, rows)};
}

Value ComplexMatrices::interleaved(const ComplexMatrix& a, Dim n) const {
  Builder& builder = rule_.builder();
  Shape shape = logical_type(a.re).shape;
  const unsigned rank = shape.rank();
  shape[rank - 1] = builder.add(n, n);
  const auto row_of_blocks = [&](const Value& left, const Value& right) {
    Value both[2] = {left, right};
    return rule_.reshape(stack(builder, both, rank), shape);
  };
  Value rows[2] = {row_of_blocks(a.re, rule_.neg(a.im)), row_of_blocks(a.im, a.re)};
  const Value whole = stack(builder, rows, rank - 1);
  shape[rank - 2] = shape[rank - 1];
  return rule_.reshape(whole, shape);
}

ComplexMatrix ComplexMatrices::of_interleaved(const Value& x, Dim n) const {
  Steps steps(rule_.builder());
  Shape blocks = logical_type(x).shape;
  const unsigned rank = blocks.rank();
  blocks[rank - 2] = n;
  blocks[rank - 1] = Dim(2);
  blocks.push_back(n);
  blocks.push_back(Dim(2));
  const Value zero(int64_t{0}), one(int64_t{1});
  const Value left = steps.take(rule_.reshape(x, blocks), rank + 1, zero);
  return {steps.take(left, rank - 1, zero), steps.take(left, rank - 1, one)};
}

ComplexMatrix ComplexMatrices::solve(const ComplexMatrix& a, const ComplexMatrix& b) const {
  Builder& builder = rule_.builder();
  if (a.is_real()) return each_part(b, [&](const Value& part) { return solve_stack(builder, a.re, part); });
  const Value x = solve_stack(builder, doubled(a), m_.vstack(b.re, imaginary(b)));
  const Shape& shape = logical_type(b.re).shape;
  const unsigned axis = shape.rank() - 2;
  const Dim n = shape[axis];
  return {narrow(builder, x, axis, Dim(0), n), narrow(builder, x, axis, n, n)};
}

ComplexMatrix ComplexMatrices::inverse_or_inf(const ComplexMatrix& a, Dim n) const {
  return inverse_by(inv_or_inf_entry(), a, n);
}

ComplexMatrix ComplexMatrices::inverse(const ComplexMatrix& a, Dim n) const { return inverse_by(inv_entry(), a, n); }

ComplexMatrix ComplexMatrices::inverse_by(const Entry& entry, const ComplexMatrix& a, Dim n) const {
  Builder& builder = rule_.builder();
  if (a.is_real()) return {ops::call(builder, entry, {a.re}), Value()};
  return of_doubled(ops::call(builder, entry, {doubled(a)}), n, n);
}

// Both parts of an operand, of one float dtype; of a real one zeros are the imaginary part.
ComplexMatrix operand_parts(Builder& builder, Call& call, unsigned operand, Dtype dtype) {
  const Value& given = call.args[operand];
  return {cast_to(builder, real_part(given), dtype), cast_to(builder, imaginary_part(builder, given), dtype)};
}

// The type of a matrix's parts; `call` goes on with the real one, of which errors speak.
Type parts_type(Builder& builder, Call& call, ComplexMatrix& parts, bool square) {
  const Value given = call.args[0];
  const Dtype dtype = float_dtype(logical_type(real_part(given)).dtype);
  parts = operand_parts(builder, call, 0, dtype);
  call.args[0] = parts.re;
  return square ? square_for_sure(builder, call, 0) : matrix_operand(call, 0);
}

Value value_of(Builder& builder, const ComplexMatrix& x) { return complex_value(builder, x.re, x.im); }

}  // namespace covec::ops
