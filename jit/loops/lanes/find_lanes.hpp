// Finds loops whose iterations are independent, so that several can be computed at once, one in each lane of a vector:
// examples of a vmap or a comprehension, columns of a Jacobian, and such loops as programs write them. Each gets code
// for lanes (LaneLoop) beside its own. Start at find_lanes, at the end.
//
// The loop counts; nothing of an iteration but elements of tensors is read outside it; iterations set elements at their
// own number along an axis, in tensors of which none reads any. So an iteration may be begun again at any time, and
// where one cannot be computed in a lane (it fails, prints, or needs a step of the runtime), the loop itself does it.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

void find_lanes(Plan& plan);

}  // namespace covec::loops
