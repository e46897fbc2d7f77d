// jvp and vjp: derivatives of any function along given tangents or cotangents.
#pragma once

#include "stdlib/ops/derivatives/transformed.hpp"

namespace covec::autodiff {

Value jvp(ops::Builder& builder, const Value& f, const Value& primals, const Value& tangents);  // (value, tangent)
Value vjp(ops::Builder& builder, const Value& f, const Value& primals);                         // (result, pullback)
// Whether a function is what vjp gives while a function is staged: its tape holds values of the graph, so it may be
// called there and nowhere else.
bool is_staged_pullback(const Value& function);
// The tape of a pullback hides the values that it holds: no walk over captures finds them. The same tree, where
// functions that show them stand for its pullbacks, those that functions have captured included. Others stay, also
// where no open level has traced what they hold.
Value with_replayed_pullbacks(const ops::Context& context, const Value& tree);

}  // namespace covec::autodiff
