// Marks points of a walk to go back to. Going back removes the operations staged since then in the region that was
// open, and what open tapes have recorded. Marks nest, like the statements that set them.
#pragma once

#include <utility>
#include <vector>

#include "jit/lower/graph/graph_writer.hpp"
#include "stdlib/autodiff/tape.hpp"

namespace covec::ir {

class Marks {
 public:
  Marks(const ops::Context& context, GraphWriter& writer) : context_(context), writer_(writer) {}
  size_t mark();
  void rollback(size_t mark);

 private:
  struct Mark {
    GraphWriter::Position position;
    std::vector<std::pair<autodiff::Tape*, autodiff::TapeEntry*>> tapes;  // the open ones, and their last entries
  };
  const ops::Context& context_;
  GraphWriter& writer_;
  std::vector<Mark> marks_;
};

}  // namespace covec::ir
