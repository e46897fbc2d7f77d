// A loop on a tape whose memory is bounded (grad's `memory`). Its passes are recorded in segments: when what a segment
// has recorded is too much, its entries are dropped, and one entry stands for them that has kept the variables as they
// were before it. The sweep runs such a segment again from there, on the same tape, and goes back through it: the same
// operations with the same operands, so every cotangent is added in the order in which it would have been without.
//
// How many passes there will be need not be known. A segment is closed when the memory that the gradient has taken
// nears the bound; where the variables kept so far take more than an eighth of it, segments grow with them, so that n
// passes take about sqrt(n) of both kinds and run twice (J. Sternberg and A. Griewank, "Reduction of storage
// requirement by checkpointing for time-dependent optimal control problems in ODEs", 1994, have the general case).
// Loops inside have segments of their own; a segment that runs again has none, but loops in it may.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stdlib/autodiff/replay.hpp"
#include "stdlib/autodiff/tape.hpp"

namespace covec::autodiff {

// The tape with a bound that would record what is done now: that of the one derivative that is open, perhaps inside and
// around vmaps. nullptr where there is none.
const OpenLevel* bounded_level(const ops::Context& context);

class Segments {
 public:
  // Runs passes from … to - 1 with the variables as they are given, and leaves them as they are afterwards.
  using Rerun = std::function<void(std::span<Value> variables, int64_t from, int64_t to)>;

  // `level`: what bounded_level() gave. The variables are all that passes hand on to each other.
  Segments(const ops::Context& context, const OpenLevel& level, std::span<Value> variables, Rerun rerun);
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;

  // Before each pass, from 0 on.
  void before_pass(int64_t pass) {
    if (pass == 0 || is_full()) begin(pass);
  }

 private:
  bool is_full() const;
  void begin(int64_t pass);
  void close(int64_t pass);

  const ops::Context& context_;
  Tape& tape_;
  const uint64_t level_;
  const std::span<Value> variables_;
  const Rerun rerun_;
  uint64_t before_ = 0;  // bytes in use before the loop, and when the segment began
  uint64_t at_begin_ = 0;
  // The segment: its first pass, and how things were before it.
  int64_t from_ = 0;
  std::vector<Value> kept_;
  Tape::Mark mark_{};
  Surroundings then_;
};

}  // namespace covec::autodiff
