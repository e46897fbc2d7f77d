// Levels: each open transformation (a jvp, a tape, a vmap) has a number, given in order of opening and never used
// again. The highest level among an operator's operands acts. It unwraps its own values and applies operators to the
// values below. Values of lower levels are constants to it. So nested transformations cannot confuse each other's
// perturbations. A value whose level has been closed is a constant for all. Scopes close on every exit, errors
// included. The number below each level is reserved for values that its tape moves apart (split.hpp).
#pragma once

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::autodiff {

class Tape;
class Pattern;

struct OpenLevel {
  TraceKind kind;
  uint64_t level;
  OpenLevel* outer;
  Tape* tape = nullptr;        // tape
  Dim size = 0;                // batch: the number of examples
  bool ieee = false;           // zero="ieee": a zero cotangent is nothing special
  bool split = false;          // jvp: below a tape that is split (split.hpp)
  Pattern* pattern = nullptr;  // jvp: its tangents are sets of inputs (pattern.hpp)
  bool* passes_rule =
      nullptr;  // what is to be set where it goes through a function that has a rule of the other mode alone
  bool notes_rules = false;   // a tape that calls of functions with reverse rules are noted on (note_rule)
  bool of_all_ranks = false;  // a tape of one function of all ranks together (parallel.grad): collectives may be on it
  bool sweeps_once = false;  // a tape that is swept once, as soon as the function has returned, with no special options
  // jvp: what runs has run before on a tape of one rank, where its collectives have given constants. This level does
  // not follow them.
  bool runs_again = false;
  mutable bool acts = false;  // on a collective, or on a function that may hold some (collectives.hpp)
  // A tape that no sweep will go through: it only tells what depends on its inputs (origins/dependence.hpp). An
  // operator without a derivative is no error, and rules of functions are not asked.
  bool only_looks = false;
};

class LevelScope {
 public:
  LevelScope(ops::Context& context, TraceKind kind);
  LevelScope(const LevelScope&) = delete;
  LevelScope& operator=(const LevelScope&) = delete;
  ~LevelScope() { close(); }
  void close();  // early
  OpenLevel& open() { return open_; }
  uint64_t level() const { return open_.level; }

 private:
  ops::Context& context_;
  OpenLevel open_;
  bool is_open_ = true;
};

// The open transformation of that number; nullptr when it has been closed.
const OpenLevel* find_level(const ops::Context& context, uint64_t level);
bool is_tape_open(const ops::Context& context);

// The value below, moved out when nobody else holds the wrapper: so updates in place reach through levels.
inline Value take_primal(Value&& value) {
  Value wrapper(std::move(value));
  if (wrapper.unique()) return std::move(wrapper.traced().primal);
  return wrapper.traced().primal;
}
inline bool is_traced_at(const Value& value, uint64_t level) {
  return value.is_traced() && value.traced().level == level;
}

// New wrappers.
Value make_jvp(uint64_t level, Value primal, Value tangent);
Value make_tape(uint64_t level, Value primal, uint32_t node);
Value make_batch(uint64_t level, Value examples);

// Maps every leaf of a tree, also those that its functions have captured (and the functions captured there …).
Value map_deep(const Value& tree, FunctionRef<Value(const Value&)> leaf);
// The tree without what `level` and later ones have wrapped around its leaves, through the captures of functions.
Value strip(const Value& tree, uint64_t level);
// Whether a derivative that is open follows any leaf of the tree, those that its functions have captured included.
bool is_active(const ops::Context& context, const Value& tree);
// Every derivative's wrapping removed, batches kept: a constant to all derivatives.
Value without_derivatives(const Value& tree);
// The same for derivatives; a pattern still knows which arguments the values depend on.
Value stopped(const Value& tree);

}  // namespace covec::autodiff
