// Operators of linear algebra on complex operands (Entry::complex). Private to the family.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

bool is_complete_qr(const Call& call, unsigned operand);  // qr's mode

Value complex_solve(Builder& builder, Call& call);
Value solve_triangular_complex(Builder& builder, Call& call);
Value cho_solve_complex(Builder& builder, Call& call);
Value lu_complex(Builder& builder, Call& call);
Value complex_inv(Builder& builder, Call& call);
Value complex_det(Builder& builder, Call& call);
Value complex_slogdet(Builder& builder, Call& call);
Value complex_qr(Builder& builder, Call& call);
Value complex_svd(Builder& builder, Call& call);
Value complex_eigh(Builder& builder, Call& call);
Value complex_cholesky(Builder& builder, Call& call);
Value complex_pinv(Builder& builder, Call& call);
Value complex_lstsq(Builder& builder, Call& call);
// Of a function of matrices that commutes with their real form: the operator itself of that.
Value complex_function(Builder& builder, Call& call);

}  // namespace covec::ops
