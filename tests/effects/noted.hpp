// An operator for tests that has a type rule, a derivative, a batch rule and an outside effect: noted(x) is x, and
// writes on the session's output what it has got. So what is written shows in which order, and how often, such effects
// happen.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::test {

// It fails, after it has written, where the first element ends in 7 before the point.
const ops::Entry& noted_entry();

}  // namespace covec::test
