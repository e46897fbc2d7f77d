// Wrong arguments are the caller's error: it is reported in the caller's frame, at the call or at the keyword.
#include "interpreter/eval/walk/binding.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include <algorithm>

#include "frontend/core/binding.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

using eval::row;

namespace {

std::string count_of(size_t count, const char* what) {
  if (count == 0) return std::string("no ") + what + "s";
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

void Binding::too_many(const core::Function& function, size_t given, const Frame* caller, Span span) const {
  size_t required = 0;
  for (const core::Parameter& parameter : function.parameters) required += parameter.fallback == nullptr;
  std::string takes = count_of(function.parameters.size(), "argument");
  if (required < function.parameters.size()) takes = "at most " + takes;
  parts_.reporter.fail(row("too_many_arguments"), {signature_of(function), takes, std::to_string(given)}, {{span, ""}},
                       caller);
}

const core::Expr* Given::expression(const core::Function& function, size_t number) const {
  if (!written) return nullptr;
  const bool by_name = function.rest >= 0 && number >= static_cast<size_t>(function.rest);
  if (!by_name && number < written->size() && (*written)[number].name.empty()) return (*written)[number].value;
  for (const core::Argument& arg : *written) {
    if (arg.name == function.parameters[number].name) return arg.value;
  }
  return nullptr;
}

// Where a keyword is written: before its value.
Span Binding::keyword_span(std::string_view name, Span value) const {
  constexpr uint32_t reach = 200;  // bytes before the value
  const uint32_t begin = value.begin > reach ? value.begin - reach : 0;
  const std::string before = parts_.reporter.source_of({value.file, begin, value.begin});
  const size_t at = before.rfind(name);
  if (at == std::string::npos) return value;
  const uint32_t first = begin + static_cast<uint32_t>(at);
  return {value.file, first, first + static_cast<uint32_t>(name.size())};
}

namespace {

Value rest_of(std::span<Value> positional, size_t first) {
  std::vector<Value> items;
  for (size_t i = first; i < positional.size(); ++i) items.push_back(std::move(positional[i]));
  return make_tuple(std::move(items));
}

}  // namespace

void Binding::bind(const core::Function& function, const Given& given, Frame& frame, const Frame* caller, Span span) {
  const size_t positional = given.values.size() - given.names.size();
  const size_t most = function.rest >= 0 ? static_cast<size_t>(function.rest) : function.parameters.size();
  if (positional > most && function.rest < 0) too_many(function, given.values.size(), caller, span);
  for (size_t i = 0; i < std::min(positional, most); ++i) frame.slots[i] = std::move(given.values[i]);
  if (function.rest >= 0) frame.slots[most] = rest_of(given.values.first(positional), most);
  for (size_t k = 0; k < given.names.size(); ++k) bind_named(function, given, k, frame, caller, span);
  fill_in(function, frame, caller, span);
}

// The name number `number`, and its value.
void Binding::bind_named(const core::Function& function, const Given& given, size_t number, Frame& frame,
                         const Frame* caller, Span span) const {
  const auto& parameters = function.parameters;
  const std::string_view name = given.names[number];
  const size_t at = given.values.size() - given.names.size() + number;
  size_t i = 0;
  while (i < parameters.size() && (parameters[i].name != name || is_rest(function, i))) ++i;
  const Span place = given.written ? keyword_span(name, (*given.written)[at].value->span) : span;
  if (i == parameters.size()) {
    std::vector<std::string_view> names;
    for (const core::Parameter& parameter : parameters) names.push_back(parameter.name);
    parts_.reporter.fail(row("unknown_keyword"), {signature_of(function), std::string(name)}, {{place, ""}}, caller,
                         resolve::hint_for_keyword({}, name, names));
  }
  if (!frame.slots[i].is_unbound()) {
    parts_.reporter.fail(row("duplicate_argument"), {signature_of(function), std::string(name)}, {{place, ""}}, caller);
  }
  frame.slots[i] = std::move(given.values[at]);
}

// A default is evaluated in the frame of the call, which may call the function again.
void Binding::fill_in(const core::Function& function, Frame& frame, const Frame* caller, Span span) {
  const auto& parameters = function.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!frame.slots[i].is_unbound()) continue;
    if (!parameters[i].fallback) {
      parts_.reporter.fail(row("missing_argument"), {signature_of(function), std::string(parameters[i].name)},
                           {{span, ""}}, caller);
    }
    const CallStack::FrameScope open(parts_.stack, &frame, 1);
    frame.slots[i] = parts_.expressions.value_of(*parameters[i].fallback, frame);
  }
}

}  // namespace covec
