// check_grad: a derivative against finite differences.
#pragma once

#include "stdlib/autodiff/transformed.hpp"

namespace covec::autodiff {

// The worst leaf's largest difference, relative to that leaf's largest derivative.
double check_grad(ops::Builder& builder, const Value& f, std::span<const Value> args);

}  // namespace covec::autodiff
