// One compilation: a function for one set of types, with everything that running and explaining it needs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jit/dispatch/tier_timing.hpp"
#include "jit/ir/first_values.hpp"
#include "jit/lower/graph/active.hpp"
#include "jit/pipeline.hpp"
#include "jit/specialize/guard.hpp"
#include "jit/specialize/interpreter_watch.hpp"
#include "jit/specialize/key.hpp"
#include "jit/specialize/share.hpp"

namespace covec::jit {

// Why it was made. For explain.
struct Cause {
  std::vector<std::string> argument_types;  // "x: f64[_]"
  std::string types;                        // all of them
  std::string text;
};

struct Specialization : std::enable_shared_from_this<Specialization> {
  Key key;
  std::shared_ptr<Family> family;
  Guard guard;  // prepared where a call may go by it

  // What must be looked at in each call beyond one thing for each argument.
  static constexpr size_t max_cheap_checks = 12;  // are made in less than it takes to ask
  // What that takes beyond what is needed anyway, in ns.
  static uint64_t check_ns(size_t checks) {
    constexpr uint64_t each = 40;  // ns of a check, an estimate
    return checks <= max_cheap_checks ? 0 : checks * each;
  }
  uint64_t check_ns() const { return check_ns(checks()); }
  size_t checks() const {
    constexpr size_t of_function = 4;  // words of the function's own key, an estimate
    const size_t all = key.words.size() + key.global_words.size();
    return all - std::min(all, of_function + cause.argument_types.size());
  }

  // An error is said by the interpreter, which makes the call again. By then it may have printed (repeats_prints) or
  // acted outside (repeats_effects), which the second call leaves out.
  bool replays_errors = false;
  bool repeats_prints = false;
  bool repeats_effects = false;
  // False: a call had more results from outside than are kept for a second one. Then the statements whose errors need
  // one are interpreted, and their errors are raised in place.
  bool may_replay = true;
  bool acts = false;                  // outside: the time that a call takes is not the code's alone
  bool interpreted = false;           // no code: the function is run by the interpreter
  bool by_choice = false;             // it could be compiled whole, and `reason` speaks against it
  bool stays_code = false;            // there is nothing to decide: its code makes all calls
  std::string reason;                 // why it is interpreted, or might better be
  Span reason_at;                     // unknown where no one place is the cause
  bool recursive = false;             // it calls itself
  uint32_t frames = 0;                // how many calls that are part of it are open at once
  int64_t elements = 0;               // of the largest tensor among the arguments that it was weighed for
  const char* why_invalid = nullptr;  // why it is out of date
  bool again = false;                 // takes the place of one that was invalidated
  bool joins = false;                 // a family that has members already
  mutable InterpreterWatch watch;     // it is not whole, and the program could do something about it
  ir::ActiveNodes active;             // where arguments are active
  // To be staged once more.
  void begin_again() {
    key.globals.clear();
    key.global_words.clear();
    active = {};
    first_values.clear();
    interpreted = false;
    reason.clear();
    reason_at = {};
  }
  void interpret(std::string why, Span at = {}) {
    interpreted = true;
    replays_errors = false;
    stays_code = false;
    reason = std::move(why);
    reason_at = at;
  }
  // The code is still to be made of this: little is expected of it (jit/dispatch).
  std::unique_ptr<ir::Graph> waiting;
  bool waits() const { return waiting != nullptr; }
  TierTiming& tier_timing(int64_t elements) { return family->tier_timings.of_class[TierTimings::class_of(elements)]; }
  Code code;
  // Nothing of it is left to the interpreter.
  bool whole() const { return !interpreted && code.graph->unstaged.empty(); }
  // What explain says does not depend on a clock.
  bool reads_interpreted() const { return interpreted || by_choice; }
  const std::string& why_not_whole() const { return interpreted ? reason : code.graph->unstaged.front().reason; }

  // For explain.
  std::string name;
  unsigned number = 0;  // in order of making
  Cause cause;
  std::vector<ir::FirstValue> first_values;  // of each leaf: of captures, arguments and globals
  Share share;
};

}  // namespace covec::jit
