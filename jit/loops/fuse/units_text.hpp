// The units of a function as text: `covec dump --nests`. A line is a unit:
//
//   kernel %10 multiply, %11 add; stores %11; frees %0        elementwise operations, together
//   kernel %10 multiply, %11 sum (reduces)                    with the reduction of the last one
//   kernel %12 add; epilogue of %11 matmul                    with the product of matrices that it goes on with
//   kernel %12 add; stored by %13 index_update                with what stores its result into a part of a tensor
//   %12 matmul; row tile 0                                    an operation by itself, and one of those whose rows may
//                                                             go through all of them
//
// "stores": what is needed after a kernel. "frees": what nobody needs afterwards. "%11 apart: order": why an
// operation's kernel does not hold the operation that an operand of it comes from as well. An operation without a
// result is known by its number in its region: #3. Its regions follow, indented.
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
