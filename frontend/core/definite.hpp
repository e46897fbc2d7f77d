// Definite assignment: finds which reads of locals have a value on every path, so that engines need not check them.
#pragma once

#include "frontend/core/core.hpp"

namespace covec::resolve {

// Sets Local::may_be_unbound throughout a function's body for its first `named` slots; the others are temporaries,
// always bound before they are read.
void mark_definite(core::Function& function, uint32_t named);

}  // namespace covec::resolve
