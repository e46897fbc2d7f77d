// Writes launches of kernels as C loops over the elements. Start at write_launch().
#pragma once

#include "jit/emit/frame.hpp"

namespace covec::emit {

void write_launch(Frame& frame, const loops::Launch& launch);

// The elements of a tensor, row by row, in loops over `extents`: how far an element lies from the next one along each
// axis; 0 where an axis of 1 repeats.
std::vector<Size> repeated_strides(const SlotType& type, std::span<const Size> extents);

}  // namespace covec::emit
