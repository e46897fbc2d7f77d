// CompiledCode: the interpreter as the compiler drives it (Walker in interpreter/compiler.hpp): staging a function, and
// what compiled code asks for while it runs: its errors in the program's words, statements that were not compiled,
// calls.
#pragma once

#include "interpreter/eval/applier.hpp"
#include "interpreter/eval/call_stack.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

class Statements;

class CompiledCode final : public Walker {
 public:
  CompiledCode(CallStack& stack, Applier& applier, const Reporter& reporter, const InterpreterHost& host,
               Statements& statements)
      : stack_(stack), applier_(applier), reporter_(reporter), host_(host), statements_(statements) {}

  void stage(const Value& function, std::span<Value> args, ops::Builder& builder, Staging& staging,
             FunctionRef<void(Value)> then) override;
  [[noreturn]] void raise_in(const OpError& error, const StagedPlace& place,
                             std::span<const WalkedCall> calls) override;
  Flow run_statement(const core::Stmt& statement, std::span<Value> slots, std::span<const WalkedCall> calls,
                     Value& result) override;
  Value within(std::span<const WalkedCall> calls, FunctionRef<Value()> f) override;
  Value call_in(const Value& function, std::span<Value> args, const StagedPlace& place,
                std::span<const WalkedCall> calls) override;
  int64_t calls_left(size_t bytes) const override { return stack_.calls_left(bytes); }
  std::string place_text(Span span) const override { return host_.place_text(span); }
  ops::Builder& eager_builder() override { return applier_.builder(); }

 private:
  CallStack& stack_;
  Applier& applier_;
  const Reporter& reporter_;
  const InterpreterHost& host_;
  Statements& statements_;
};

}  // namespace covec
