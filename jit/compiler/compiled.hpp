// A compiled function as a value. A call finds the code for its arguments' types, or makes it. Code cannot be used
// under vmap, under derivatives of several levels, or while another function is staged. There the function itself is
// called, which gives the same result.
#pragma once

#include "jit/specialize/specialization.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/compiler.hpp"

namespace covec::jit {

class CallRunner;

// The code that the last calls used: the next one most likely does, too.
struct LastCalls {
  static constexpr size_t most = Family::max_members + 1;  // codes: those of a family may take turns
  Specialization* known[most] = {};                        // the first ones
  Specialization* made = nullptr;                          // the last one's
  uint64_t generation = 0;                                 // of the table that they stand in
  std::vector<Value> captured;  // the function's own leaves: what it has captured never changes
  unsigned by_interpreter = 0;  // calls in turn
  uint64_t stands_for = 1;      // calls that the next one to be looked at stands for
  unsigned next = 0;            // of `known`, to be replaced
  unsigned may_be_timed = 0;    // calls from the next on; several types may take turns
  bool generic = false;         // some of the code is for generic keys: it is looked for first

  // The code for such arguments, where one of the last calls has used it; or nullptr.
  Specialization* find(std::span<const Value> args, uint64_t now) const {
    if (generation != now) return nullptr;
    for (Specialization* each : known) {
      if (each == nullptr) return nullptr;
      if (each->guard.fits(args, each->key)) return each;
    }
    return nullptr;
  }
  void add(Specialization& used, uint64_t now);
};

class Compiled final : public Callable {
 public:
  Compiled(CallRunner& calls, Value function, CompileRequest request);
  Value call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) override;
  Value call_bound(ops::Builder& builder, std::span<Value> args) override;
  void know_arguments(ops::Builder& builder, std::span<Value> args) override {
    function_.function().know_arguments(builder, args);
  }
  std::string name() const override { return function_.function().name(); }
  std::vector<std::string_view> parameter_names() const override { return function_.function().parameter_names(); }
  int rest_parameter() const override { return function_.function().rest_parameter(); }
  bool takes_options() const override { return function_.function().takes_options(); }
  std::vector<std::string_view> option_names() const override { return function_.function().option_names(); }
  std::string signature() const override { return function_.function().signature(); }
  std::string doc() const override { return function_.function().doc(); }
  std::string text() const override { return function_.function().text(); }
  std::vector<Value> captures() const override { return {function_}; }
  Value with_captures(std::vector<Value> values) const override;
  std::string staging_key() const override { return "compiled"; }
  bool has_staging_key() const override { return true; }
  const Value* compiled_from() const override { return &function_; }
  const Value& function() const { return function_; }
  const CompileRequest& request() const { return request_; }
  // With strict=true, code that leaves something to the interpreter does not suit.
  bool suits(const Specialization& made) const { return !request_.strict || made.whole() || made.by_choice; }
  // What its code takes, which is made from now on too.
  void measure() {
    measured_ = true;
    clear_tier();
  }
  bool is_measured() const { return measured_; }

 private:
  bool takes_code(const ops::Builder& builder) const;

  CallRunner& calls_;
  const Value function_;
  const CompileRequest request_;
  LastCalls last_;
  bool measured_ = false;
};

}  // namespace covec::jit
