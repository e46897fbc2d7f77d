// Binding: binds arguments to parameters: by position, by name, then defaults.
#pragma once

#include "interpreter/eval/apply/call_stack.hpp"
#include "interpreter/eval/walk/expressions.hpp"

namespace covec {

struct Parts;

// Arguments of one call, evaluated.
struct Given {
  std::span<Value> values;
  std::span<const std::string_view> names;               // of the last ones
  const std::vector<core::Argument>* written = nullptr;  // as the program has them; nullptr for a call from outside
  bool bound = false;                                    // they come as Callable::call_bound gets them
  // What was written for parameter `number`; nullptr when nothing was, or not in a program.
  const core::Expr* expression(const core::Function& function, size_t number) const;
};

class Binding {
 public:
  explicit Binding(Parts& parts) : parts_(parts) {}

  // Arguments into the slots of `frame` by position, then by name; then defaults, in the callee's frame, in order, so
  // that they may use earlier parameters.
  void bind(const core::Function& function, const Given& given, Frame& frame, const Frame* caller, Span span);
  // What the parameters in `slots` have been bound to, as Callable::call_bound gets it.
  static std::vector<Value> bound_arguments(const core::Function& function, Value* slots);

 private:
  class Named;
  void bind_named(const core::Function& function, const Given& given, Frame& frame, const Frame* caller,
                  Span span) const;
  void fill_in(const core::Function& function, Frame& frame, const Frame* caller, Span span);
  [[noreturn]] void too_many(const core::Function& function, const Given& given, const Frame* caller, Span span) const;

  Parts& parts_;
};

}  // namespace covec
