// Calls: of closures, compiled functions and every other callable. Arguments go straight into the callee's slots if it
// has neither defaults nor annotations and all come by position. Otherwise they are bound by name. A frame is a window
// of the value stack; leaving it, by return or by error, empties it. Start at call().
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/apply/call_stack.hpp"
#include "interpreter/eval/apply/iteration.hpp"
#include "interpreter/eval/walk/binding.hpp"

namespace covec {

struct Parts;

class Calls {
 public:
  explicit Calls(Parts& parts) : parts_(parts) {}

  // Whether a failing call leaves a variable that it was to replace as it was; if not, the variable's value may move
  // into the call.
  void set_keep_globals(bool keep) { keep_globals_ = keep; }

  Raw call(const core::Call& node, Frame& f);
  Raw method_call(const core::MethodCall& node, Frame& f);
  // The body, in a frame that holds its arguments and is the innermost.
  Raw run_body(const core::Function& function, Frame& frame);
  // Code made of a closure, with arguments that are still to be bound.
  Raw call_code(Callable& code, const Closure& body, const Given& given, const Span& span, Frame* caller);

 private:
  Flow run_statements(const core::Block& body, Frame& frame);
  Raw call_by(const core::Call& node, Frame& f);
  Raw call_method(const core::MethodCall& node, Frame& f);
  Raw call_plain(const Closure& closure, const core::Call& node, Frame& f);
  Raw call_closure(const Closure& closure, const std::vector<core::Argument>& args, const Span& span, Frame& f);
  Raw call_value(const Value& callee, const std::vector<core::Argument>& args, const Span& span, Span callee_span,
                 Frame& f);
  Raw call_other(Callable& callable, const std::vector<core::Argument>& args, const Span& span, Frame& f);
  Raw call_with_names(Callable& callable, std::span<Value> values, const std::vector<std::string_view>& names,
                      const std::vector<core::Argument>& args, const Span& span, Frame& f);
  Raw call_compiled(Callable& callable, const Closure& body, const std::vector<core::Argument>& args, const Span& span,
                    Frame& f);
  Raw call_compiled_plain(Callable& callable, const core::Call& node, Frame& f);
  void evaluate_operands(const core::Call& node, Value* to, Frame& f);
  struct Expanded;
  Raw call_spread(const Value& callee, const std::vector<core::Argument>& args, const Value* first, const Span& span,
                  Span callee_span, Frame& f);
  Raw call_expanded(Callable& callable, Expanded& given, const Span& span, Frame& f);
  void expand_map(const Value& map, Span span, Expanded& out, const Frame& f) const;
  void expand(const core::Argument& arg, Expanded& out, Frame& f);
  Value call_at(Callable& callable, std::span<Value> args, const Span& span, Frame* caller);
  void evaluate(const std::vector<core::Argument>& args, Window& values, Frame& f);
  void give_up(const core::Expr& expr, Frame& f) const;
  [[noreturn]] void not_callable(const Value& callee, const core::Expr* expr, Span span, const Frame& f) const;
  void say_unused(const core::MethodCall& node, const Frame& f) const;
  [[noreturn]] void no_method(const core::MethodCall& node, const Value& object, const Frame& f) const;

  bool keep_globals_ = true;
  Parts& parts_;
};

}  // namespace covec
