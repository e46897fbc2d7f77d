// What Jacobians, dense and sparse, are made from: the float leaves of the parameters and of the result, in order, and
// one run of the function with tangents.
#pragma once

#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/ops/derivatives/transformed.hpp"

namespace covec::autodiff {

// The float leaves of a tree (or several): their types and where each begins in the basis.
struct Basis {
  std::vector<Type> types;
  std::vector<Dim> offsets;
  Dim size = 0;
  void append(ops::Builder& b, std::span<const Type> more);
  static Dim elements_of(ops::Builder& b, const Shape& shape);
};

// An error if a parameter of `wrt` has complex numbers.
void refuse_complex(std::string_view transform, const Arguments& arguments, const Parameters& wrt);

// Appends the float leaves of the parameters of `wrt`; gives for each the tree with true in place of these leaves.
std::vector<Value> count_inputs(ops::Builder& b, std::string_view transform, const Arguments& arguments,
                                const Parameters& wrt, Basis& inputs);

// Calls f with a tangent at each of these leaves. Gives the result's tree with the tangents of its float leaves, and
// none elsewhere. `any`: whether one of them is there; `plain`: the result. `passes_rule` and `runs_again` as OpenLevel
// has them.
Value tangents_along(ops::Builder& b, Callable& f, const Arguments& arguments, const Parameters& wrt,
                     FunctionRef<Value(size_t leaf)> tangent, Value& any, Value& plain, bool* passes_rule = nullptr,
                     bool runs_again = false);

}  // namespace covec::autodiff
