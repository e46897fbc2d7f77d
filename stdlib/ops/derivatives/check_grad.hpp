// check_grad: a derivative against finite differences.
#pragma once

#include "stdlib/ops/derivatives/transformed.hpp"

namespace covec::autodiff {

// The worst leaf's largest difference, relative to that leaf's largest derivative; 1e-8 at most where the error of the
// differences themselves explains it. `holomorphic`: also from the
// equations of Cauchy and Riemann, of complex arguments and results.
double check_grad(ops::Builder& builder, const Value& f, std::span<const Value> args, bool holomorphic);

}  // namespace covec::autodiff
