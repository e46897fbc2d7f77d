// The passes over the tensor IR, one file each. Each pass keeps every bit, error and print. Each takes a graph that
// verify() accepts and leaves one. The exception is `residuals`, whose input verify() does not accept yet.
#pragma once

#include "jit/ir/graph.hpp"

namespace covec::passes {

// Values of a forward region that its reverse uses are brought there: results of a branch, stacks of a loop.
void residuals(ir::Graph& graph);
// Its first part: loops of a gradient whose memory is bounded become segments, which run again when the sweep comes to
// them.
void segments(ir::Graph& graph);
// Functions that call themselves become graphs of their own (Graph::functions), which take what they use of others.
void outline(ir::Graph& graph);
// Drops what nobody needs: unused operations without effects, results of branches, values that loops carry for nothing.
void dce(ir::Graph& graph);
// Computes what is known: operations on numbers; branches and loops whose condition is a number.
void fold(ir::Graph& graph);
// Rewrites that keep bits: x·1, x/2^k, conversions there and back, broadcasts of what has the shape, …
void simplify(ir::Graph& graph);
// One of several equal operations, and of several stacks that hold the same. The latter gives whether there are any.
void cse(ir::Graph& graph);
bool equal_stacks(ir::Graph& graph);
// What does not change in a loop is computed before it (if it cannot fail, or the loop runs at least once).
void licm(ir::Graph& graph);

// A loop that only keeps values for its reverse becomes a part of the reverse loop.
void joined_loops(ir::Graph& graph);
// Loops that have nothing to do where a flag does not hold are skipped there.
void idle_loops(ir::Graph& graph);
// Zeros of which the diagonal is set, in place of a choice by row and column.
void diagonals(ir::Graph& graph);
// Rows that loops compute from rows are computed in loops over their elements.
void row_loops(ir::Graph& graph);
// Operations on short rows in loops are computed together, column by column.
void row_groups(ir::Graph& graph);
// Elements at indices that do not change in a loop are carried in registers.
void invariant_elements(ir::Graph& graph);
// Elements that one iteration of a loop sets and the next one reads are carried in registers.
void scalar_replacement(ir::Graph& graph);

// What a reverse loop adds to several elements goes into arrays, and is added by loops of their own.
void additions(ir::Graph& graph);

// Chooses between examples one by one and all at once, where a function has both forms: one by one where lanes of
// vectors can run them (what is not sure yet, examples_apart decides). On devices: all at once.
void examples_in_lanes(ir::Graph& graph);
void examples_apart(ir::Graph& graph);
void examples_together(ir::Graph& graph);

// Both ways of short branches on numbers are computed: for devices.
void speculate(ir::Graph& graph);

// Short loops of known length are written out, iteration by iteration.
void unroll(ir::Graph& graph);
// Tensors of a few known elements become numbers.
void scalarize(ir::Graph& graph);
// Lengths of vectors of numbers are scaled only where their squares are out of range.
void lengths(ir::Graph& graph);

}  // namespace covec::passes
