// Entrance: how the walk is entered: module-level text that runs, a session's calls, and calls of closures by those who
// know them as callables only (derivatives, tree_map, hosts, compiled code).
#pragma once

#include <optional>

#include "interpreter/eval/calls.hpp"

namespace covec {

class Entrance {
 public:
  Entrance(CallStack& stack, Applier& applier, const Reporter& reporter, Expressions& expressions,
           Statements& statements, Calls& calls, Binding& binding, Signatures& signatures,
           const StagedStatements& staged_statements)
      : stack_(stack),
        applier_(applier),
        reporter_(reporter),
        expressions_(expressions),
        statements_(statements),
        calls_(calls),
        binding_(binding),
        signatures_(signatures),
        staged_statements_(staged_statements) {}

  // Module-level code; the value of its last statement when that is an expression.
  std::optional<Value> run(const LoadedUnit& unit);
  // Any callable. The last keywords.size() arguments are named.
  Value call(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords);
  Value call(const Closure& closure, ops::Builder& builder, std::span<Value> args,
             std::span<const std::string_view> keywords, bool bound);
  // Code made of `body`, with arguments that are still to be bound.
  Value call_code(Callable& code, const Closure& body, ops::Builder& builder, std::span<Value> args);
  std::string source_of(Span span) const { return reporter_.source_of(span); }

 private:
  CallStack& stack_;
  Applier& applier_;
  const Reporter& reporter_;
  Expressions& expressions_;
  Statements& statements_;
  Calls& calls_;
  Binding& binding_;
  Signatures& signatures_;
  const StagedStatements& staged_statements_;
};

}  // namespace covec
