// CompiledCode: the interpreter as the compiler uses it (Walker in interpreter/compiler.hpp). It stages functions. It
// also serves compiled code while that runs: errors in the program's words, statements that were not compiled, calls.
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/apply/call_stack.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

struct Parts;

class CompiledCode final : public Walker {
 public:
  explicit CompiledCode(Parts& parts) : parts_(parts) {}

  void stage(const Value& function, std::span<Value> args, ops::Builder& builder, Staging& staging,
             FunctionRef<void(Value)> then) override;
  [[noreturn]] void raise_in(const OpError& error, const StagedSource& place,
                             std::span<const WalkedCall> calls) override;
  Flow run_statement(const core::Stmt& statement, std::span<Value> slots, std::span<const WalkedCall> calls,
                     Value& result) override;
  Value within(std::span<const WalkedCall> calls, FunctionRef<Value()> f) override;
  Value call_in(const Value& function, std::span<Value> args, const StagedSource& place,
                std::span<const WalkedCall> calls) override;
  int64_t calls_left(size_t bytes) const override;
  std::optional<ProgramCall> call_of_program(Span place, std::span<const WalkedCall> calls) const override;
  std::string place_text(Span span) const override;
  std::string_view source(Span span) const override;
  ops::Builder& eager_builder() override;

 private:
  Parts& parts_;
};

}  // namespace covec
