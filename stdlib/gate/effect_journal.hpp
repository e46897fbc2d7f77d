// What outside effects (files, the clock, functions of a host, …) have given in a call that may be made again. Code
// that cannot say what is wrong leaves that to the interpreter, which makes the call from its beginning. Nothing is
// done twice: what the code has done gives what it gave then, or the error that it ended with. Behind that the effects
// happen. A part of a program that its derivative runs again (checkpoint, a segment of `memory=`) has a journal of its
// own: see EffectScope.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include "stdlib/value/context.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/value.hpp"

namespace covec::ops {

// The operator of an effect.
struct Effecting {
  const Entry* entry;
  std::string_view name;
  bool outside, meets;  // of its effects
};

class EffectJournal {
 public:
  // Bytes that are kept by default. A call that would need more is made by the interpreter from there on.
  static constexpr uint64_t default_most = uint64_t{64} << 20;
  static constexpr uint64_t unlimited = UINT64_MAX;
  explicit EffectJournal(uint64_t most = default_most) : most_(most) {}
  // What is more happens, but is not kept: where the journal is full, the call is not made again.
  void keep_what_fits() { keeps_what_fits_ = true; }
  // An EffectScope's: no derivative of the second run goes through collectives, which give what they gave. Those that
  // have given functions or traced values are made again.
  void keep_collectives() { keeps_collectives_ = true; }

  // What act() gives, or gave if the session has a journal.
  static Value perform(Context& context, const Effecting& by, FunctionRef<Value()> act);
  // An effect is happening. Those inside it are part of it.
  bool is_acting() const { return acting_; }
  bool is_full() const { return full_; }
  // Somebody has changed variables in an effect (at a breakpoint), which the journal cannot do once more.
  void note_changed_variables() {
    for (EffectJournal* journal = this; journal != nullptr; journal = journal->around_)
      journal->changed_variables_ = true;
  }
  bool has_changed_variables() const { return changed_variables_; }

  // A call that may be made again begins at place(), and ends or is made again from there. One lies inside the other.
  void begin() { ++open_; }
  void end() { --open_; }
  size_t place() const { return next_; }
  void begin_again(size_t place);
  // The same of examples that were tried all at once and are now run one by one: their effects happen anew.
  void rollback(size_t place);
  // What happens from now on is noted in that journal, too; nullptr: in none.
  void set_around(EffectJournal* around) { around_ = around; }
  // An EffectScope's: it does not note collectives, unless it keeps them.
  bool is_of_derivative() const { return of_derivative_; }
  // From now on an effect is an error, which names `who` runs the function.
  void refuse(std::string_view who) { refused_by_ = who; }
  // For EffectScope alone.
  void enter(EffectJournal* around, bool again);
  void leave(bool again);

 private:
  struct Effect {
    const Entry* entry;
    size_t around;  // the place in the journal around it
    uint64_t bytes;
    Value result;
    std::optional<OpError> error;
    std::exception_ptr other_error;
    std::optional<Random> random;  // where draws inside it have come to
    bool is_made_again = false;    // a collective: it stands before the effects inside it
  };
  Value given_or_done(Context& context, const Effecting& by, FunctionRef<Value()> act);
  Value given(Context& context);
  Value happen(Context& context, const Effecting& by, FunctionRef<Value()> act);
  Value noted(Context& context, const Effecting& by, FunctionRef<Value()> act);
  Value meet(Context& context, const Effecting& by, FunctionRef<Value()> act);
  bool takes_notes();
  void add(Effect effect);
  void erase(size_t from, size_t to);

  const uint64_t most_;  // bytes
  std::vector<Effect> effects_;
  size_t next_ = 0;    // of them
  size_t redone_ = 0;  // so many are those of calls that are made again
  uint64_t bytes_ = 0;
  unsigned open_ = 0;
  bool acting_ = false, full_ = false;
  bool keeps_what_fits_ = false, keeps_collectives_ = false, changed_variables_ = false;
  bool of_derivative_ = false;       // an EffectScope's
  EffectJournal* around_ = nullptr;  // in which what happens is noted, too
  std::string_view refused_by_ = {};
};

// While a part of a program runs that its derivative will run again, or runs again: its effects happen the first time.
// Later they give what they gave then. Collectives are the exception: all ranks make them again, as their derivatives
// need the operands. A journal may keep them (keep_collectives), where this rank alone may run the part again.
class EffectScope {
 public:
  EffectScope(Context& context, EffectJournal& journal, bool again);
  EffectScope(const EffectScope&) = delete;
  EffectScope& operator=(const EffectScope&) = delete;
  ~EffectScope();

 private:
  Context& context_;
  EffectJournal& journal_;
  EffectJournal* const around_;
  const bool again_;
};

}  // namespace covec::ops
