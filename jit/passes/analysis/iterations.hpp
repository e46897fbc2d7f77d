// How many iterations a loop counts for where costs are compared.
#pragma once

#include <algorithm>

#include "jit/ir/graph.hpp"

namespace covec::passes {

constexpr double usual_iterations = 32;  // of a loop where their number is not known

inline double iterations_of(const ir::Operation& loop) {
  const bool known = loop.kind == ir::Kind::for_ && loop.args[0].tag() == Tag::i64;
  return known ? static_cast<double>(std::max(loop.args[0].i64(), int64_t{0})) : usual_iterations;
}

}  // namespace covec::passes
