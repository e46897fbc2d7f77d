// One compilation: a function for one set of types, with everything that running and explaining it needs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jit/dispatch/standing.hpp"
#include "jit/lower/graph/active.hpp"
#include "jit/pipeline.hpp"
#include "jit/specialize/example_arguments.hpp"
#include "jit/specialize/pattern.hpp"
#include "jit/specialize/share.hpp"

namespace covec::jit {

// A walk for a prepared call: extents are numbers, and so are numbers that are no part of an argument. Of each
// parameter of the graph the value that it stands for, and whether the call gives another one.
struct FixedWalk {
  struct Parameter {
    Value value;
    bool given = false;
  };
  size_t given = 0;  // as many of the arguments, the first ones
  std::vector<Parameter> parameters;
};

struct Specialization : std::enable_shared_from_this<Specialization> {
  // The key: captures and arguments; and the module-level names that the function reads, with what they were.
  std::vector<uint64_t> words;
  bool open = false;  // its arguments were walked so
  std::vector<Value> fixed;
  std::vector<Value*> globals;
  std::vector<uint64_t> global_words;
  std::vector<const void*> homes;  // the texts of all functions in it
  // The globals are of the same types now; their leaves are put behind the others.
  bool globals_match(Signature& signature) const;

  // What must be looked at in each call beyond one thing for each argument.
  static constexpr size_t few_looks = 12;  // are made in less than it takes to ask
  // What that takes beyond what is needed anyway, in ns.
  static uint64_t look_ns(size_t looks) {
    constexpr uint64_t each = 40;
    return looks <= few_looks ? 0 : looks * each;
  }
  uint64_t look_ns() const { return look_ns(looks()); }
  size_t looks() const {
    constexpr size_t of_function = 4;
    const size_t all = words.size() + global_words.size();
    return all - std::min(all, of_function + argument_types.size());
  }

  mutable Signature globals_now;  // room of globals_match, empty between calls

  // What the arguments and the globals looked like, where a call may compare them in place; and whether nothing else
  // goes in than arguments that are numbers and tensors.
  bool comparable = false, plain = false;
  size_t arguments = 0;
  Pattern pattern;
  void prepare_comparison(const Value& function, std::span<const Value> args);
  // Whether this is the code for such arguments; false also where that cannot be seen so quickly.
  bool fits(std::span<const Value> args) const {
    if (!comparable || args.size() != arguments) return false;
    Pattern::Walk walk(pattern);
    for (const Value& arg : args) {
      if (!walk.matches(arg, open)) return false;
    }
    for (const Value* global : globals) {
      if (!walk.matches(*global)) return false;
    }
    return true;
  }

  // An error is said by the interpreter, which makes the call again; nothing else has happened by then.
  bool says_errors_again = false;
  bool interpreted = false;     // no code: the function is run by the interpreter
  bool by_choice = false;       // it could be compiled whole, and `reason` speaks against it
  bool stays_code = false;      // there is nothing to decide: its code makes all calls
  std::string reason;           // why it is interpreted, or might better be
  Span reason_at;               // unknown where no one place is the cause
  bool recursive = false;       // it calls itself
  uint32_t frames = 0;          // how many calls that are part of it are open at once
  int64_t elements = 0;         // of the largest tensor among the arguments that it was weighed for
  const char* aside = nullptr;  // why it is out of date
  bool again = false;           // takes the place of one that was set aside
  // It is not whole, and the program could do something about it: what its calls have taken so far, and how much of
  // that the interpreter (ns). Not watched any more once that was said.
  mutable bool watched = false;
  mutable uint64_t taken = 0, taken_by_interpreter = 0;
  ir::ActiveNodes active;                   // where arguments are active
  FixedWalk* fixed_walk = nullptr;          // of a prepared call
  const WrittenExtents* written = nullptr;  // of the arguments' leaves, the first ones: what is known of their extents
  // To be staged once more.
  void begin_again() {
    globals.clear();
    global_words.clear();
    active = {};
    if (fixed_walk != nullptr) fixed_walk->parameters.clear();
    interpreted = false;
    reason.clear();
    reason_at = {};
  }
  void interpret(std::string why, Span at = {}) {
    interpreted = true;
    says_errors_again = false;
    reason = std::move(why);
    reason_at = at;
  }
  // The code is still to be made of this: little is expected of it (jit/dispatch).
  std::unique_ptr<ir::Graph> waiting;
  bool waits() const { return waiting != nullptr; }
  Standing& standing(int64_t elements) {
    if (standings_ == nullptr) standings_ = std::make_unique<Standings>();
    return standings_->of_class[Standings::class_of(elements)];
  }
  Code code;
  // Nothing of it is left to the interpreter.
  bool whole() const { return !interpreted && code.graph->unstaged.empty(); }
  // What explain says does not depend on a clock.
  bool reads_interpreted() const { return interpreted || by_choice; }
  const std::string& why_not_whole() const { return interpreted ? reason : code.graph->unstaged.front().reason; }

  // For explain.
  std::string name;
  unsigned number = 0;                      // in order of making
  std::vector<std::string> argument_types;  // "x: f64[_]"
  std::string types;                        // all of them
  std::string cause;                        // why it was made
  Share share;

 private:
  std::unique_ptr<Standings> standings_;
};

}  // namespace covec::jit
