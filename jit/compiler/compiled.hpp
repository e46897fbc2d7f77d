// A compiled function as a value: calls find the code made for their arguments' types, or make it. Where code cannot be
// used (under vmap and derivatives of several levels, or while another function is staged) the function itself is
// called, which means the same.
#pragma once

#include "jit/compiler/contest.hpp"
#include "jit/compiler/specialization.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/compiler.hpp"

namespace covec::jit {

class JitCompiler;

// The code that the last call used: the next call most likely does.
struct LastCall {
  const Specialization* made = nullptr;
  uint64_t generation = 0;      // of the table that it stands in
  std::vector<Value> captured;  // the function's own leaves: what it has captured never changes
  unsigned in_vain = 0;         // looks in turn that found no code
  unsigned lent = 0;            // how many calls go without a look after this one
  unsigned glances = 0;         // looks at the types alone, of calls that are not lent
  Contest contest;              // where calls of its code cost much beside what they are for
  bool open = false;            // some of the code is for open keys: it is looked for first
};

class Compiled final : public Callable {
 public:
  Compiled(JitCompiler& compiler, Value function, CompileRequest request);
  Value call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) override;
  Value call_bound(ops::Builder& builder, std::span<Value> args) override;
  std::string name() const override { return function_.function().name(); }
  std::vector<std::string_view> parameter_names() const override { return function_.function().parameter_names(); }
  int rest_parameter() const override { return function_.function().rest_parameter(); }
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
  // What its code takes, which is made from now on too.
  void measure() {
    measured_ = true;
    take_back();
  }
  bool is_measured() const { return measured_; }

 private:
  bool takes_code(const ops::Builder& builder) const;

  JitCompiler& compiler_;
  const Value function_;
  const CompileRequest request_;
  LastCall last_;
  bool measured_ = false;
};

}  // namespace covec::jit
