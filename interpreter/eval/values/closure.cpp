// A closure's properties as a callable.
#include "interpreter/eval/values/closure.hpp"

namespace covec {

namespace {

std::string starred_name(const core::Function& function, size_t parameter) {
  return std::string(function.stars_of(parameter)) + std::string(function.parameters[parameter].name);
}

}  // namespace

Value Closure::call(ops::Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) {
  return caller.call(*this, builder, args, keywords, false);
}

Value Closure::call_bound(ops::Builder& builder, std::span<Value> args) {
  return caller.call(*this, builder, args, {}, true);
}

void Closure::know_arguments(ops::Builder& builder, std::span<Value> args) {
  caller.know_arguments(*this, builder, args);
}

Value Closure::call_code(Callable& code, ops::Builder& builder, std::span<Value> args,
                         std::span<const std::string_view> keywords) {
  return caller.call_code(code, *this, builder, args, keywords);
}

std::string Closure::signature() const {
  std::string text = name() + "(";
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const core::Parameter& parameter = function.parameters[i];
    text += (i > 0 ? ", " : "") + starred_name(function, i);
    if (parameter.annotation) text += ": " + caller.source_of(parameter.annotation->span);
    if (parameter.fallback) text += "=" + caller.source_of(parameter.fallback->span);
  }
  return text + ")";
}

std::string Closure::name() const { return function.name.empty() ? "a lambda" : std::string(function.name); }

std::vector<std::string_view> Closure::parameter_names() const {
  std::vector<std::string_view> names;
  for (const core::Parameter& parameter : function.parameters) names.push_back(parameter.name);
  return names;
}

// Passes make those of code anew, which stay code's. A program that such a one reaches keeps its text all the same.
Value Closure::with_captures(std::vector<Value> values) const {
  return Value::adopt(new Closure(caller, function, source_unit, std::move(values), holder));
}

bool Closure::same_but_captures(const Callable& other) const {
  return other.callable_kind == CallableKind::closure && &static_cast<const Closure&>(other).function == &function;
}

std::string signature_of(const core::Function& function) {
  std::string text(function.name.empty() ? "a lambda" : function.name);
  text += '(';
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (i > 0) text += ", ";
    text += starred_name(function, i);
  }
  return text + ')';
}

}  // namespace covec
