// jvp and vjp: derivatives of any function along given tangents or cotangents.
#pragma once

#include "stdlib/autodiff/transformed.hpp"

namespace covec::autodiff {

Value jvp(ops::Builder& builder, const Value& f, const Value& primals, const Value& tangents);  // (value, tangent)
Value vjp(ops::Builder& builder, const Value& f, const Value& primals);                         // (result, pullback)

}  // namespace covec::autodiff
