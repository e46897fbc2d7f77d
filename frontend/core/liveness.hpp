// Finds last uses: the last read of a slot before it is assigned again or the frame ends. There the value may be moved
// out and updated in place.
#pragma once

#include "frontend/core/core.hpp"
#include "frontend/core/module_scope.hpp"

namespace covec::resolve {

// Sets Local::last_use in a function's body.
void mark_last_uses(core::Function& function);

// Sets Global::last_use in module-level code: x = f(x) may take x out of its slot, if no function reads x.
void mark_last_uses(core::Unit& unit, const ModuleScope& module);

}  // namespace covec::resolve
