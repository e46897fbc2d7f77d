// Wrong arguments are the caller's error: it is reported in the caller's frame, at the call or at the keyword.
#include "interpreter/eval/walk/binding.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include <algorithm>

#include "frontend/core/binding.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

using eval::row;

namespace {

std::string count_of(size_t count, const char* what) {
  if (count == 0) return std::string("no ") + what + "s";
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

void Binding::too_many(const core::Function& function, const Given& given, const Frame* caller, Span span) const {
  size_t required = 0;
  for (const core::Parameter& parameter : function.parameters) required += parameter.fallback == nullptr;
  const size_t most = function.parameters.size() - function.options;
  std::string takes = count_of(most, "argument");
  if (required - function.options < most) takes = "at most " + takes;
  // Options are never too many.
  const size_t positional = given.values.size() - given.names.size();
  const std::string got = std::to_string(function.options ? positional : given.values.size());
  const bool is_of_options = function.options && given.values[most].is(ObjectKind::record);
  parts_.reporter.fail(row("too_many_arguments"), {signature_of(function), takes, got}, {{span, ""}}, caller,
                       is_of_options ? "options are given by name; `**` before a record spreads it" : "");
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

namespace {

Value rest_of(std::span<Value> positional, size_t first) {
  std::vector<Value> items;
  for (size_t i = first; i < positional.size(); ++i) items.push_back(std::move(positional[i]));
  return make_tuple(std::move(items));
}

// Whether so many arguments are those of all parameters, as bound_arguments() gives them.
bool are_all(const core::Function& function, size_t given) {
  const size_t parameters = function.parameters.size();
  return function.rest >= 0 ? given + 1 >= parameters : given == parameters;
}

void take_bound(const core::Function& function, std::span<Value> values, Value* slots) {
  const size_t parameters = function.parameters.size();
  size_t next = 0;
  for (size_t i = 0; i < parameters; ++i) {
    if (!function.is_rest(i)) {
      slots[i] = std::move(values[next++]);
      continue;
    }
    const size_t end = values.size() - (parameters - 1 - i);
    slots[i] = rest_of(values.first(end), next);
    next = end;
  }
}

}  // namespace

// The named arguments of one call. Those that no parameter takes are options, in the order of the call.
class Binding::Named {
 public:
  Named(const Binding& binding, const core::Function& function, Frame& frame, const Frame* caller)
      : parts_(binding.parts_), function_(function), frame_(frame), caller_(caller) {}

  // place(): where the name is written.
  void bind(std::string_view name, Value value, FunctionRef<Span()> place) {
    const auto& parameters = function_.parameters;
    size_t i = 0;
    while (i < parameters.size() && (parameters[i].name != name || !function_.stars_of(i).empty())) ++i;
    if (i == parameters.size())
      return function_.options ? add_option(name, std::move(value), place) : unknown(name, place());
    if (!frame_.slots[i].is_unbound()) given_twice(name, place());
    frame_.slots[i] = std::move(value);
  }
  Value options() {
    auto layout = std::make_shared<const RecordLayout>(RecordLayout{std::move(names_)});
    return make_record(std::move(layout), std::move(values_));
  }

 private:
  void add_option(std::string_view name, Value value, FunctionRef<Span()> place) {
    if (std::ranges::find(names_, name) != names_.end()) given_twice(name, place());
    names_.emplace_back(name);
    values_.push_back(std::move(value));
  }
  [[noreturn]] void unknown(std::string_view name, Span place) const {
    std::vector<std::string_view> names;
    for (const core::Parameter& parameter : function_.parameters) names.push_back(parameter.name);
    parts_.reporter.fail(row("unknown_keyword"), {signature_of(function_), std::string(name)}, {{place, ""}}, caller_,
                         resolve::hint_for_keyword({}, name, names));
  }
  [[noreturn]] void given_twice(std::string_view name, Span place) const {
    parts_.reporter.fail(row("duplicate_argument"), {signature_of(function_), std::string(name)}, {{place, ""}},
                         caller_);
  }

  Parts& parts_;
  const core::Function& function_;
  Frame& frame_;
  const Frame* const caller_;
  std::vector<std::string> names_;
  std::vector<Value> values_;
};

void Binding::bind(const core::Function& function, const Given& given, Frame& frame, const Frame* caller, Span span) {
  if (given.bound && are_all(function, given.values.size())) return take_bound(function, given.values, frame.slots);
  const size_t positional = given.values.size() - given.names.size();
  const size_t plain = function.parameters.size() - function.options;
  const size_t most = function.rest >= 0 ? static_cast<size_t>(function.rest) : plain;
  if (positional > most && function.rest < 0) too_many(function, given, caller, span);
  for (size_t i = 0; i < std::min(positional, most); ++i) frame.slots[i] = std::move(given.values[i]);
  if (function.rest >= 0) frame.slots[most] = rest_of(given.values.first(positional), most);
  bind_named(function, given, frame, caller, span);
  fill_in(function, frame, caller, span);
}

void Binding::bind_named(const core::Function& function, const Given& given, Frame& frame, const Frame* caller,
                         Span span) const {
  if (given.names.empty() && !function.options) return;
  Named named(*this, function, frame, caller);
  const std::span<Value> values = given.values.last(given.names.size());
  for (size_t k = 0; k < values.size(); ++k) {
    const std::string_view name = given.names[k];
    if (name == all_options) {
      const Record& options = values[k].record();
      for (size_t i = 0; i < options.items.size(); ++i)
        named.bind(options.layout->names[i], options.items[i], [&] { return span; });
      continue;
    }
    named.bind(name, std::move(values[k]), [&] {
      return given.written == nullptr ? span : (*given.written)[given.values.size() - values.size() + k].name_span;
    });
  }
  if (function.options) frame.slots[function.parameters.size() - 1] = named.options();
}

std::vector<Value> Binding::bound_arguments(const core::Function& function, Value* slots) {
  std::vector<Value> values;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (!function.is_rest(i)) {
      values.push_back(std::move(slots[i]));
      continue;
    }
    const std::vector<Value>& rest = *children(slots[i]);
    values.insert(values.end(), rest.begin(), rest.end());
  }
  return values;
}

namespace {

// Suggests what to write for the first option that the function does not have.
std::string hint_for_options(const core::Function& function, const Value* slots) {
  if (function.option_names.empty()) return "";
  std::vector<std::string_view> known = function.option_names;
  for (const core::Parameter& parameter : function.parameters) known.push_back(parameter.name);
  for (const std::string& name : slots[function.parameters.size() - 1].record().layout->names) {
    if (std::ranges::find(known, name) == known.end()) return resolve::hint_for_keyword({}, name, known);
  }
  return "";
}

}  // namespace

// A default is evaluated in the frame of the call, which may call the function again.
void Binding::fill_in(const core::Function& function, Frame& frame, const Frame* caller, Span span) {
  const auto& parameters = function.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!frame.slots[i].is_unbound()) continue;
    if (!parameters[i].fallback) {
      parts_.reporter.fail(row("missing_argument"), {signature_of(function), std::string(parameters[i].name)},
                           {{span, ""}}, caller, hint_for_options(function, frame.slots));
    }
    const CallStack::FrameScope open(parts_.stack, &frame, 1);
    frame.slots[i] = parts_.expressions.value_of(*parameters[i].fallback, frame);
  }
}

}  // namespace covec
