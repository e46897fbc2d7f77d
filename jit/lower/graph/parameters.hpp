// The parameters of the graph: a Symbol for each leaf of the arguments and of what the function has captured. Start at
// add().
#pragma once

#include <string>

#include "jit/lower/graph/graph_writer.hpp"

namespace covec::ir {

class Parameters {
 public:
  explicit Parameters(GraphWriter& writer) : writer_(writer) {}
  // A Symbol of its dtype and rank for a number or tensor; also for a list of one type; one of which nothing is known
  // for text and what is long.
  Value add(const Value& like, std::string name);
  // The same parameter, of which the extent along an axis is known from the start, or is that of another axis.
  Value with_dim(const Value& parameter, unsigned axis, Dim extent);

 private:
  Id numeric(const Value& like);
  Id open(const Value& like);

  GraphWriter& writer_;
};

}  // namespace covec::ir
