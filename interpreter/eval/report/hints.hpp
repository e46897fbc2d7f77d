// Guesses what was meant if a value has no such part or is misused. It runs only when an error is reported.
#pragma once

#include "frontend/core/core.hpp"
#include "interpreter/eval/report/reporter.hpp"
#include "interpreter/eval/values/frame.hpp"

namespace covec {

// object.name without a call, and object.name(…), where there is no such part.
std::string hint_for_attribute(const Reporter& reporter, const core::Field& node, const Value& object);
std::string hint_for_method(const Reporter& reporter, const core::MethodCall& node, const Value& object);
std::string hint_for_name_of_module(const Reporter& reporter, const std::string& module,
                                    const std::vector<std::string_view>& names, std::string_view name);
std::string hint_for_name_of_module(const Reporter& reporter, const Module& module, std::string_view name);

// `callee(…)`, where it cannot be called: an element is wanted, a product, or the builtin that the variable hides.
// A builtin's name gets a second place, where it became a variable.
std::string hint_for_call(const Reporter& reporter, const Value& callee, const core::Expr* expr, Span span,
                          const Frame& f, std::vector<Label>& labels);

// What is no bool, as a condition.
std::string hint_for_condition(const Value& value);
// A name without a value, which may be what a module that does not exist was to be called.
std::string hint_for_module(std::string_view name);
// A global variable that gets its value further down in the text.
std::string hint_for_later(const Reporter& reporter, const core::Global& node, const Frame& f);
// A variable of the frame that has no value.
std::string hint_for_unassigned(const Frame* f, std::string_view name);

// An error in a loop over `over`, written at `iterable`: it gets a hint where that is a record or map and the loop's
// variable is taken for a value there.
void hint_at_names(const Reporter& reporter, const core::Target& target, Span iterable, const Value& over,
                   CovecError& error);

}  // namespace covec
