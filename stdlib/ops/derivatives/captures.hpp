// The values that functions have captured, for modules written in Covec: rules of functions that take functions compute
// with it.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& active_captures_entry();  // (f): a text of 0 and 1
const Entry& captures_entry();         // (f, active): a tuple
const Entry& with_captures_entry();    // (f, values): a function

}  // namespace covec::ops
