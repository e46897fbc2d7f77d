// Writes the units of a function as text: `covec dump --kernels`. A line is a unit:
//
//   kernel %10 multiply, %11 add; stores %11; frees %0        elementwise operations, together
//   kernel %10 multiply, %11 sum (reduces)                    with the reduction of the last one
//   kernel %12 add; epilogue of %11 matmul                    with the matrix product whose epilogue it is
//   kernel %12 add; stored by %13 index_update                with the update that stores its result into a slice
//   %12 matmul; row tile 0                                    an operation by itself; its rows may go through all units
//                                                             of this row tile
//
// "stores" lists values that are needed after a kernel, "frees" values that are dead after it. "%11 apart: order" says
// why the kernel of operation %11 does not also contain an operation that made one of its operands. An operation
// without a result is named by its number in its region: #3. Its regions follow, indented.
#pragma once

#include <string>
#include <string_view>

#include "jit/loops/fuse/fuse.hpp"

namespace covec::loops {

std::string print(const Block& block);
// The text that print() makes, read back, for a region of the graph. Throws std::runtime_error with the line that it
// does not understand.
Block parse_units(const ir::Graph& graph, const ir::Region& region, std::string_view text);

}  // namespace covec::loops
