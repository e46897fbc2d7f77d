#include "jit/lower/graph/marks.hpp"

#include "jit/lower/graph/region_tape.hpp"
#include "stdlib/autodiff/level.hpp"

namespace covec::ir {

size_t Marks::mark() {
  Mark& mark = marks_.emplace_back(Mark{writer_.position(), {}});
  for (const autodiff::OpenLevel* level = context_.innermost; level != nullptr; level = level->outer) {
    if (level->kind == TraceKind::tape) mark.tapes.emplace_back(level->tape, level->tape->last());
  }
  return marks_.size() - 1;
}

void Marks::rollback(size_t mark) {
  writer_.rollback(marks_[mark].position);
  for (const auto& [tape, last] : marks_[mark].tapes) cut_back(*tape, last);
  marks_.resize(mark);
}

}  // namespace covec::ir
