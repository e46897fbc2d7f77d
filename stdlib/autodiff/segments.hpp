// Bounds the memory of a loop on a tape (grad's `memory`) by checkpointing. The loop's iterations are recorded in
// segments. When a segment has recorded too much, its entries are dropped. One entry replaces them and keeps the
// variables as they were before the segment. The sweep runs the segment again from there, on the same tape, and goes
// back through it. These are the same operations with the same operands, so every cotangent is added in the same order
// as without segments.
//
// The number of iterations need not be known. A segment is closed when the gradient's memory nears the bound. If the
// kept variables take more than an eighth of the bound, segments grow with them. Then n iterations keep about sqrt(n)
// copies of the variables, record about sqrt(n) iterations at a time, and run twice. (J. Sternberg and A. Griewank,
// "Reduction of storage requirement by checkpointing for time-dependent optimal control problems in ODEs", 1994, have
// the general case.) Inner loops have segments of their own. A segment that runs again has none, but loops in it may.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stdlib/autodiff/replay.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/gate/effect_journal.hpp"

namespace covec::autodiff {

// The tape with a bound that would record what is done now: that of the one derivative that is open, perhaps inside and
// around vmaps. nullptr where there is none.
const OpenLevel* bounded_level(const ops::Context& context);

class Segments {
 public:
  // Runs passes from … to - 1 with the variables as they are given, and leaves them as they are afterwards.
  using Rerun = std::function<void(std::span<Value> variables, int64_t from, int64_t to)>;

  // The same value, where walks over captures find all that it holds (with_replayed_pullbacks).
  using Shown = Value (*)(const ops::Context&, const Value&);

  // `level`: what bounded_level() gave. The variables are all that iterations hand on to each other.
  Segments(ops::Context& context, const OpenLevel& level, std::span<Value> variables, Rerun rerun, Shown shown);
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;

  // Before each iteration, from 0 on.
  void before_iteration(int64_t iteration) {
    if (iteration == 0 || is_full()) begin(iteration);
  }

 private:
  bool is_full() const;
  void begin(int64_t iteration);
  void close(int64_t iteration);

  ops::Context& context_;
  Tape& tape_;
  const uint64_t level_;
  const std::span<Value> variables_;
  const Rerun rerun_;
  const Shown shown_;
  uint64_t before_ = 0;  // bytes in use before the loop, and when the segment began
  uint64_t at_begin_ = 0;
  // The segment: its first iteration, and how things were before it.
  int64_t from_ = 0;
  std::vector<Value> kept_;
  Tape::Mark mark_{};
  Surroundings then_;
  std::unique_ptr<ops::EffectJournal> effects_;  // what they gave, for the time that it runs again
  std::optional<ops::EffectScope> effects_of_run_;
};

}  // namespace covec::autodiff
