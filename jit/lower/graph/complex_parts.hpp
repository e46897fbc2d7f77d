// The two parts of a complex value have one shape. Where branches, loops, calls and lists hand a value on, each part
// gets extents that only the run knows: those of one part become those of the other, so that code takes the steps that
// eager code takes.
#pragma once

#include "jit/lower/graph/graph_writer.hpp"

namespace covec::ir {

// The same tree; of its complex values an extent that is a part's own is the other part's.
Value with_parts_of_one_shape(GraphWriter& writer, const Value& tree);

}  // namespace covec::ir
