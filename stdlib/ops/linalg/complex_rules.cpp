#include "stdlib/ops/linalg/complex_rules.hpp"

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

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
  return square ? square_or_asked(builder, call, 0) : matrix_operand(call, 0);
}

Value value_of(Builder& builder, const ComplexMatrix& x) { return complex_value(builder, x.re, x.im); }

Dim last_dim(const Type& type) { return type.shape[type.shape.rank() - 1]; }
Dim rows_dim(const Type& type) { return type.shape[type.shape.rank() - 2]; }

// [..., 1, 1] as [...].
Value scalar(Builder& builder, const Value& x) {
  const Matrices m(builder);
  return m.without_column(m.without_column(x));
}

}  // namespace

// Vectors and stacks as the real operator takes them, by a system of twice the size.
Value complex_solve(Builder& builder, Call& call) {
  for (const unsigned i : {0u, 1u}) {
    if (!is_complex(call.args[i])) require_operand(builder, call, i);
  }
  Steps steps(builder);
  const Dtype of_a = logical_type(real_part(call.args[0])).dtype, of_b = logical_type(real_part(call.args[1])).dtype;
  const Dtype dtype = float_dtype(product_dtype(of_a, of_b));
  const ComplexMatrix a = operand_parts(builder, call, 0, dtype), b = operand_parts(builder, call, 1, dtype);
  const auto system = [&](const Value& matrix, const Value& right) {
    Value args[] = {matrix, right};
    Call part{call.entry, args, {}};
    return spread_system(builder, part);
  };
  Value matrix[] = {a.re};
  Call asked{call.entry, matrix, {}};
  square_or_asked(builder, asked, 0);
  const System re = system(a.re, b.re), im = system(a.im, b.im);
  // Here, for the system of twice the size would name its own.
  builder.require_equal(last_dim(logical_type(re.left)), rows_dim(logical_type(re.right)), {});
  ComplexMatrix x = ComplexMatrices(steps).solve({re.left, im.left}, {re.right, im.right});
  const Matrices m(builder);
  if (re.vector) x = {m.without_column(x.re), m.without_column(x.im)};
  return value_of(builder, x);
}

Value complex_inv(Builder& builder, Call& call) {
  Steps steps(builder);
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, true);
  return value_of(builder, ComplexMatrices(steps).inverse(a, last_dim(type)));
}

Value complex_det(Builder& builder, Call& call) {
  ComplexMatrix a;
  parts_type(builder, call, a, true);
  const Matrices m(builder);
  const Value packed = ops::call(builder, packed_complex_det_entry(), {a.re, a.im});
  const auto at = [&](int64_t i) { return scalar(builder, m.columns(packed, Dim(i), Dim(1))); };
  return complex_value(builder, at(3), at(4));
}

Value complex_slogdet(Builder& builder, Call& call) {
  ComplexMatrix a;
  parts_type(builder, call, a, true);
  const Matrices m(builder);
  const Value packed = ops::call(builder, packed_complex_det_entry(), {a.re, a.im});
  const auto at = [&](int64_t i) { return scalar(builder, m.columns(packed, Dim(i), Dim(1))); };
  return make_tuple({complex_value(builder, at(0), at(1)), at(2)});
}

Value complex_qr(Builder& builder, Call& call) {
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, false);
  const Matrices m(builder);
  const Dim rows = rows_dim(type), columns = last_dim(type);
  const Value packed = ops::call(builder, packed_complex_qr_entry(), {a.re, a.im, Value(is_complete_qr(call, 1))});
  const Dim twice = builder.add(rows, rows);
  const auto q = [&](Dim at) { return m.transposed(m.columns(packed, at, rows)); };
  return make_tuple({complex_value(builder, q(Dim(0)), q(rows)),
                     complex_value(builder, m.columns(packed, twice, columns),
                                   m.columns(packed, builder.add(twice, columns), columns))});
}

Value complex_svd(Builder& builder, Call& call) {
  const bool full = flag_argument(call, 1);
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, false);
  const Matrices m(builder);
  const Dim rows = rows_dim(type), columns = last_dim(type);
  if (full && rows != columns) fail_attribute(call, 1, "false for complex matrices that are not square");
  const Value packed = ops::call(builder, packed_complex_svd_entry(), {a.re, a.im});
  const auto u = [&](Dim at) { return m.transposed(m.columns(packed, at, rows)); };
  const Dim of_s = builder.add(rows, rows), of_v = builder.add(of_s, Dim(1));
  return make_tuple({complex_value(builder, u(Dim(0)), u(rows)), m.without_column(m.columns(packed, of_s, Dim(1))),
                     complex_value(builder, m.columns(packed, of_v, columns),
                                   m.columns(packed, builder.add(of_v, columns), columns))});
}

Value complex_eigh(Builder& builder, Call& call) {
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, true);
  const Matrices m(builder);
  const Dim n = last_dim(type);
  const Value packed = ops::call(builder, packed_complex_eigh_entry(), {a.re, a.im});
  const auto v = [&](Dim at) { return m.transposed(m.columns(packed, at, n)); };
  return make_tuple({m.without_column(m.columns(packed, Dim(0), Dim(1))),
                     complex_value(builder, v(Dim(1)), v(builder.add(n, Dim(1))))});
}

}  // namespace covec::ops
