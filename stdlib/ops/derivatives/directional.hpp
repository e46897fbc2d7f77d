// jvp and vjp: derivatives of any function along given tangents or cotangents.
#pragma once

#include "stdlib/ops/derivatives/transformed.hpp"

namespace covec::autodiff {

Value jvp(ops::Builder& builder, const Value& f, const Value& primals, const Value& tangents);  // (value, tangent)
Value vjp(ops::Builder& builder, const Value& f, const Value& primals);                         // (result, pullback)
// Whether a function is what vjp gives while a function is staged: its tape holds values of the graph, so it may be
// called there and nowhere else.
bool is_staged_pullback(const Value& function);

}  // namespace covec::autodiff
