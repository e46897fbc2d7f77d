// Reductions in the language's order (docs/language.md, "The order of reductions"). Start at write_reduction().
#pragma once

#include "jit/emit/frame.hpp"

namespace covec::emit {

// `axes`: the set of axes that are reduced.
void write_reduction(Frame& frame, const ops::Entry& entry, uint32_t axes, const Argument& x, const Argument& result,
                     uint32_t place);

// The reduced axes are not empty.
void check_elements(Frame& frame, const std::string& name, uint32_t axes, const SlotType& x, uint32_t place);

// Where the first largest or smallest element is along neighbouring axes: its number, or a mask of x's shape.
void write_positions(Frame& frame, bool smallest, uint32_t axes, const Argument& x, const Argument& result, bool mask,
                     uint32_t place);

}  // namespace covec::emit
