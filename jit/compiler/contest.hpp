// Code that must look at much in each call, or copies much so that the call can be made again, may take longer than the
// interpreter does altogether, by how much only the run shows. So each is timed now and then, and the calls until the
// next time are the faster one's: the more of them, the larger the difference was. Start at Contest::turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace covec::jit {

class Contest {
 public:
  static constexpr size_t few_words = 12;      // looked at in less than it takes to ask
  static constexpr uint64_t of_word = 40;      // ns, at most
  static constexpr uint64_t of_item = 8;       // of a list that is copied
  static constexpr uint64_t bytes_in_ns = 32;  // of a tensor that is copied
  static constexpr uint64_t worth = 1000;      // ns of copying

  // What a call of the code costs beyond what it is for, in ns; 0: nothing to speak of.
  void costs(uint64_t overhead) { overhead_ = overhead; }
  bool is_on() const { return overhead_ != 0; }

  enum class Turn : uint8_t { code, timed_code, timed_interpreter };
  Turn turn() {
    if (wait_ > 0) {
      --wait_;
      return Turn::code;
    }
    return code_ == 0 ? Turn::timed_code : Turn::timed_interpreter;
  }
  void code_took(uint64_t ns) {
    if (ns > most_times * overhead_)  // nearly all of that is what it is for
      wait_ = after(Result::no_contest, UINT64_MAX);
    else
      code_ = std::max<uint64_t>(ns, 1);
  }
  // Gives for how many calls from now on the interpreter is to be taken.
  unsigned interpreter_took(uint64_t ns) {
    if (code_ == 0) return 0;  // a call inside it has been timed
    const uint64_t more = std::max(ns, code_), less = std::max<uint64_t>(std::min(ns, code_), 1);
    const bool interpreter = ns < code_;
    code_ = 0;
    const unsigned calls = after(interpreter ? Result::interpreter : Result::code, more / less);
    wait_ = interpreter ? 0 : calls;
    return interpreter ? calls : 0;
  }

 private:
  enum class Result : uint8_t { none, no_contest, code, interpreter };
  static constexpr uint64_t most_times = 8, of_each = 64;
  static constexpr unsigned few_calls = 8, most_doublings = 12;

  // For how many calls a result holds: one alone may be a disturbance.
  unsigned after(Result result, uint64_t times) {
    doublings_ = result == last_ ? std::min(doublings_ + 3, most_doublings) : 0;
    last_ = result;
    return static_cast<unsigned>(
        std::min<uint64_t>(few_calls << doublings_, of_each * std::min<uint64_t>(times, few_calls << most_doublings)));
  }

  uint64_t overhead_ = 0;
  uint64_t code_ = 0;  // ns of its last call that was timed; 0: to be timed
  unsigned wait_ = 0;  // calls of the code until then
  unsigned doublings_ = 0;
  Result last_ = Result::none;
};

}  // namespace covec::jit
