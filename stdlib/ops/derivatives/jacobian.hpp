// jacobian and hessian: all derivatives of all outputs in one vectorized pass, or sparse in few products.
#pragma once

#include "stdlib/ops/derivatives/transformed.hpp"

namespace covec::autodiff {

enum class JacobianMode : uint8_t { automatic, forward, reverse };

Value make_jacobian(std::string_view transform, Value f, Parameters wrt, JacobianMode mode);
Value make_hessian(Value f, Parameters wrt);

// The option `sparse`: whether it is false. It is an error where it is neither a bool nor a sparse matrix.
bool wants_dense(std::string_view transform, const Value& sparse);
// Functions that give sparse matrices (sparse_plan.hpp): of the pattern `sparse`, or where it is true of one that they
// look for.
Value sparse_jacobian(ops::Builder& b, const Value& f, Parameters wrt, JacobianMode mode, const Value& sparse,
                      bool check);
Value sparse_hessian(ops::Builder& b, const Value& f, Parameters wrt, const Value& sparse, bool check);
// A function for arguments like these (transform, f, args, wrt, mode, check): the module sparse's.
const ops::Entry& sparse_prepare_entry();

}  // namespace covec::autodiff
