// The two parts of a complex value have one shape. Where branches, loops, calls and lists hand a value on, each part
// gets extents that only the run knows: those of one part become those of the other, so that code takes the steps that
// eager code takes.
#pragma once

#include "jit/lower/graph/graph_writer.hpp"

namespace covec::ir {

// The same value, with these extents where it has extents of its own. It must have them in every run.
Value with_extents(GraphWriter& writer, const Value& value, const Shape& shape);

// The same tree; of its complex values an extent that is a part's own is the other part's.
Value with_parts_of_one_shape(GraphWriter& writer, const Value& tree);

}  // namespace covec::ir
