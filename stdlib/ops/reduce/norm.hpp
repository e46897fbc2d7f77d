// What norm's derivatives say.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

// All that it does beside computing is a warning, once in a session: it may be done again.
bool only_warns(const Entry& entry);

}  // namespace covec::ops
