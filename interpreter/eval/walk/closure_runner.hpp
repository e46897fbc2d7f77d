// ClosureRunner: the entry points of the walk. These are module-level text, a session's calls, and calls of closures as
// plain callables (from derivatives, tree_map, hosts, compiled code).
#pragma once

#include <optional>

#include "interpreter/eval/walk/calls.hpp"

namespace covec {

struct Parts;

class ClosureRunner final : public ClosureCaller {
 public:
  explicit ClosureRunner(Parts& parts) : parts_(parts) {}

  // Module-level code; the value of its last statement when that is an expression.
  std::optional<Value> run(const LoadedUnit& unit);
  // The same as if nothing else were open: no call, no derivative, nothing that is staged.
  std::optional<Value> run_apart(const LoadedUnit& unit, ops::Builder& eager);
  // Any callable. The last keywords.size() arguments are named.
  Value call(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords);
  Value call(const Closure& closure, ops::Builder& builder, std::span<Value> args,
             std::span<const std::string_view> keywords, bool bound) override;
  void know_arguments(const Closure& closure, ops::Builder& builder, std::span<Value> args) override;
  Value call_code(Callable& code, const Closure& body, ops::Builder& builder, std::span<Value> args,
                  std::span<const std::string_view> keywords) override;
  std::string source_of(Span span) const override;

 private:
  Parts& parts_;
};

}  // namespace covec
