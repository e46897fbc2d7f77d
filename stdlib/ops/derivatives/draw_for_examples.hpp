// A draw under open vmaps that a compiled function has noted.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

// (draw, key, levels, in_order, *operands): what the next call of drawing_entry(draw) draws for the examples of that
// many open vmaps, under the key, or none: the session's. The operands are a number for each vmap, the outermost first,
// and those of the draw. The number is that of an example, if its bit of `in_order` is set; else it says how many there
// are, which are an axis in front of the result.
const Entry& draw_for_examples_entry();

}  // namespace covec::ops
