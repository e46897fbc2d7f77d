// SavedFrames: the calls that were open where the last error was raised, with copies of their variables. A prompt looks
// at them afterwards. Only sessions that ask for it keep any: a copy is 16 bytes and a reference for each variable of a
// call that the report lists, once for each error. A breakpoint makes the same list of calls that are still open.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/eval/values/frame.hpp"

namespace covec {

// One call, or the text of a module.
struct SavedFrame {
  Value function;                           // none: the text of a module
  const LoadedUnit* source_unit = nullptr;  // nullptr: this stands for `left_out` calls of a deep recursion
  std::vector<Value> slots;
  std::vector<Value> globals;  // of the text of a module, which loses them where its import fails
  bool has_variables = false;  // false: compiled code ran it, which has none
  Span place;                  // where it was
  size_t left_out = 0;
  Frame* open = nullptr;  // at a breakpoint: the call itself

  const Closure* closure() const;                           // nullptr: the text of a module
  const std::vector<std::string_view>& slot_names() const;  // one for each slot; that of a temporary is no name
};

// Whether the slot's value was moved out at its last use: a move leaves the payload behind, and `none` has zero.
bool was_moved(const Value& slot);

// A deep recursion has thousands of calls: of `count` calls the innermost and the outermost tell enough. Gives how many
// are left out behind the first `listed_inner_calls`.
inline constexpr size_t listed_inner_calls = 8, listed_outer_calls = 4;  // calls
constexpr size_t left_out_calls(size_t count) {
  return count > listed_inner_calls + listed_outer_calls + 1 ? count - listed_inner_calls - listed_outer_calls : 0;
}

// Innermost first; `place` is where the innermost one is.
std::vector<SavedFrame> frames_from(Frame* innermost, Span place);

class SavedFrames {
 public:
  // From now on errors keep frames, or do not.
  void enable(bool enabled) { enabled_ = enabled; }
  bool is_enabled() const { return enabled_; }
  // `diagnostic` is about to be thrown in `f`, at `place`.
  void take(const Diagnostic& diagnostic, const Frame* f, Span place);
  void forget() { frames_.clear(); }
  // Their texts stay as long as they do.
  void hold(std::shared_ptr<const void> texts) { texts_ = std::move(texts); }
  // Those of an error that has ended a run; none where another error came last.
  const std::vector<SavedFrame>& of(const Diagnostic& diagnostic) const;

 private:
  bool enabled_ = false;
  std::string message_;  // of the error
  std::vector<SavedFrame> frames_;
  std::shared_ptr<const void> texts_;
};

}  // namespace covec
