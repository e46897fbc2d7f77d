// roll and pad: they move elements to other positions of a tensor of the same or a larger size.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& roll_axis_entry();  // (x, shift, axis): along one axis, counted from the front
const Entry& rim_entry();        // (x, value, *widths): before and after, for each axis
// (size, before, after, mode): the positions of an axis that stand in its padded form
const Entry& padded_places_entry();

}  // namespace covec::ops
