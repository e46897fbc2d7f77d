// Runs calls of compiled functions: which code fits, who makes the call (tiering.hpp), and what happens where code
// cannot finish it. A call like the last one takes the short way through run(). Start there.
#pragma once

#include <span>

#include "jit/compiler/compiled.hpp"
#include "jit/specialize/signature.hpp"

namespace covec::jit {

struct CompilerParts;

class CallRunner {
 public:
  explicit CallRunner(CompilerParts& parts);
  CallRunner(const CallRunner&) = delete;
  CallRunner& operator=(const CallRunner&) = delete;

  ops::Builder& eager() const { return eager_; }
  // Calls a compiled function.
  Value run(Compiled& compiled, std::span<Value> args, LastCalls& last);

 private:
  Value run_watched(Compiled& compiled, std::span<Value> args, LastCalls& last);
  Value run_any_way(Compiled& compiled, std::span<Value> args, LastCalls& last);
  Value run_code(Compiled& compiled, std::span<Value> args, const LastCalls& last);
  Value run_any(Compiled& compiled, std::span<Value> args, LastCalls& last, uint64_t began);
  Value run_active(Compiled& compiled, std::span<Value> args, Signature& signature, LastCalls& last, uint64_t began);
  Value run_with_replay(Compiled& compiled, std::span<Value> args, const LastCalls& last);
  Value run_last(const Specialization& made, std::span<const Value> captured, std::span<Value> args);
  template <class Run>
  Value with_replay(Specialization& made, Compiled& compiled, std::span<Value> args, Run run);
  bool can_run(const Specialization& made) const;
  Value execute(const Specialization& made, std::span<Value> inputs);

  CompilerParts& parts_;
  ops::Builder& eager_;
  Signature spare_signature_;  // for its memory
  bool watching_ = false;      // a call that is watched (run_watched) is under way
};

}  // namespace covec::jit
