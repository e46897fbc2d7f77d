// Marks where the walk makes new values for derivatives (stdlib/autodiff/renewal.hpp): variables that an if or a loop
// assigns, and values that are passed on.
#pragma once

#include "interpreter/eval/values/frame.hpp"
#include "stdlib/autodiff/renewal.hpp"

namespace covec {

void renew_all_assigned(const core::Region& region, const ops::Context& context, Frame& f);

// In the order of their slots, that of their first appearance in the function.
inline void renew_assigned(const core::Region& region, const ops::Context& context, Frame& f) {
  if (context.innermost != nullptr) [[unlikely]]
    renew_all_assigned(region, context, f);
}

// What goes into a list, or is taken out of one.
inline Value new_item(const ops::Context& context, Value item) {
  autodiff::renew_if_open(context, item);
  return item;
}

Raw renewed_in_derivative(const ops::Context& context, Raw raw);

// What a call or a conditional expression gives.
inline Raw renewed(const ops::Context& context, Raw raw) {
  return context.innermost == nullptr ? raw : renewed_in_derivative(context, raw);
}

}  // namespace covec
