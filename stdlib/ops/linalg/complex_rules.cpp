// Operators of linear algebra on complex operands: by those of real ones, or by packed results.
#include "stdlib/ops/linalg/complex_matrices.hpp"

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
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
  return square ? square_for_sure(builder, call, 0) : matrix_operand(call, 0);
}

Value value_of(Builder& builder, const ComplexMatrix& x) { return complex_value(builder, x.re, x.im); }

Dim rows_dim(const Type& type) { return type.shape[type.shape.rank() - 2]; }

// [..., 1, 1] as [...].
Value scalar(Builder& builder, const Value& x) {
  const Matrices m(builder);
  return m.without_column(m.without_column(x));
}

}  // namespace

ComplexSystem complex_system(Builder& builder, Call& call) {
  for (const unsigned i : {0u, 1u}) {
    if (!is_complex(call.args[i])) require_operand(builder, call, i);
  }
  const bool real = !is_complex(call.args[0]);
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
  require_rows(builder, logical_type(a.re).shape, logical_type(b.re).shape, re.vector);
  return {{re.left, real ? Value() : im.left}, {re.right, im.right}, re.vector};
}

// Vectors and stacks as the real operator takes them, by a system of twice the size.
Value complex_solve(Builder& builder, Call& call) {
  Steps steps(builder);
  const ComplexSystem system = complex_system(builder, call);
  ComplexMatrix x = ComplexMatrices(steps).solve(system.left, system.right);
  const Matrices m(builder);
  if (system.vector) x = {m.without_column(x.re), m.without_column(x.im)};
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
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, false);
  const Matrices m(builder);
  const Dim rows = rows_dim(type), columns = last_dim(type);
  const bool full = flag_argument(call, 1) && rows != columns;
  const Value packed = ops::call(builder, packed_complex_svd_entry(), {a.re, a.im, Value(full)});
  const auto u = [&](Dim at) { return m.transposed(m.columns(packed, at, rows)); };
  const Dim of_s = builder.add(rows, rows), of_v = builder.add(of_s, Dim(1));
  ComplexMatrix left{u(Dim(0)), u(rows)};
  ComplexMatrix right{m.columns(packed, of_v, columns), m.columns(packed, builder.add(of_v, columns), columns)};
  Value s = m.without_column(m.columns(packed, of_s, Dim(1)));
  if (full) {
    // Each has as many vectors as the larger of them; min(m, n) is m + n without that.
    const unsigned rank = type.shape.rank();
    const Dim height = logical_type(packed).shape[rank - 2];
    const auto part = [&](Value& x, unsigned axis, Dim size) { x = narrow(builder, x, axis, Dim(0), size); };
    part(left.re, rank - 1, rows);
    part(left.im, rank - 1, rows);
    part(s, rank - 2, Steps(builder).without(builder.add(rows, columns), height));
    part(right.re, rank - 2, columns);
    part(right.im, rank - 2, columns);
  }
  return make_tuple({value_of(builder, left), s, value_of(builder, right)});
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

// The diagonal of the factor is real, so that its real form, block by block, is the factor of the matrix's real form.
Value complex_cholesky(Builder& builder, Call& call) {
  Steps steps(builder);
  ComplexMatrix a;
  const Dim n = last_dim(parts_type(builder, call, a, true));
  const ComplexMatrices c(steps);
  const ComplexMatrix l = c.of_interleaved(ops::call(builder, doubled_cholesky_entry(), {c.interleaved(a, n)}), n);
  return complex_value(builder, l.re, Matrices(builder).lower(l.im, false));
}

Value complex_pinv(Builder& builder, Call& call) {
  Steps steps(builder);
  ComplexMatrix a;
  const Type type = parts_type(builder, call, a, false);
  const ComplexMatrices c(steps);
  const Value inverse = ops::call(builder, doubled_pinv_entry(), {c.doubled(a), call.args[1]});
  return value_of(builder, c.of_doubled(inverse, last_dim(type), rows_dim(type)));
}

Value complex_function(Builder& builder, Call& call) {
  Steps steps(builder);
  ComplexMatrix a;
  const Dim n = last_dim(parts_type(builder, call, a, true));
  const ComplexMatrices c(steps);
  return value_of(builder, c.of_doubled(ops::call(builder, call.entry, {c.doubled(a)}), n, n));
}

}  // namespace covec::ops
