// See binding.hpp.
#include "frontend/core/binding.hpp"

#include <algorithm>
#include <string>

#include "frontend/common/nearest.hpp"
#include "frontend/source/fixes.hpp"
#include "frontend/source/foreign_syntax.hpp"
#include "frontend/source/messages.hpp"

namespace covec::resolve {

using messages::message;

namespace {

std::string counted(size_t n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); }

Span place_of(const ast::Argument& a) { return a.name.empty() ? a.value->span : a.name_span; }

// The parameter that the hint names ("write limits=(low, high)"); "" where it is of another form.
std::string_view parameter_in(std::string_view hint) {
  constexpr std::string_view write = "write ";
  if (hint.find(' ') == std::string_view::npos) return hint;
  const std::string_view name = hint.starts_with(write) ? hint.substr(write.size()) : std::string_view();
  const size_t end = name.find_first_of("= (");
  return end != std::string_view::npos && name[end] == '=' ? name.substr(0, end) : std::string_view();
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "it has `" : ", `") + std::string(name) + "`";
  return all;
}

bool names(std::string_view written, const BuiltinParameter& parameter) {
  return written == parameter.name || (!written.empty() && written == parameter.other_name);
}

// A hint that is nothing but another parameter's name.
std::optional<Fix> fix_of_keyword(Span place, std::string_view keyword, std::string_view hint,
                                  const std::vector<std::string_view>& known) {
  const std::string_view near = only_nearest_name(keyword, known);
  for (const std::string_view name : known) {
    const std::string written(name);
    if (hint == "write " + written + "=" || (name == near && hint == "did you mean `" + written + "`?"))
      return Fix{place, written};
  }
  return {};
}

bool bind_keyword(const Builtin& builtin, const core::Argument& argument, Span place, core::Op& op,
                  Diagnostic& problem) {
  std::vector<std::string_view> known;
  for (size_t i = 0; i < builtin.parameters.size(); ++i) {
    known.push_back(builtin.parameters[i].name);
    if (!names(argument.name, builtin.parameters[i])) continue;
    bool taken = op.args[i] != nullptr || (i == 0 && op.method) || (i == builtin.variadic_at && !op.rest.empty());
    if (taken) problem = messages::make(message("given_twice"), place, {argument.name});
    op.args[i] = argument.value;
    return !taken;
  }
  problem = messages::make(message("unknown_parameter"), place, {builtin.name, argument.name});
  problem.hint = hint_for_keyword(builtin.name, argument.name, known);
  problem.fix = fix_of_keyword(place, argument.name, problem.hint, known);
  if (problem.hint.empty()) problem.hint = listed(known);
  return false;
}

// Puts each argument in its place.
bool place_arguments(const Builtin& builtin, const std::vector<core::Argument>& arguments, const ast::Call& call,
                     core::Op& op, Diagnostic& problem) {
  size_t next = op.method ? 1 : 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].name.empty()) {
      if (!bind_keyword(builtin, arguments[i], place_of(call.arguments[i]), op, problem)) return false;
    } else if (builtin.variadic && next >= builtin.variadic_at) {
      op.rest.push_back(arguments[i].value);
    } else if (next < op.args.size()) {
      op.args[next++] = arguments[i].value;
    } else {
      size_t given = arguments.size() + (op.method ? 1 : 0);
      problem = messages::make(message("too_many_arguments"), place_of(call.arguments[i]),
                               {builtin.name, counted(op.args.size()), std::to_string(given)});
      problem.hint = foreign_syntax::replacement(foreign_syntax::At::surplus, builtin.name);
      return false;
    }
  }
  return true;
}

bool all_required_given(const Builtin& builtin, const ast::Call& call, const core::Op& op, Diagnostic& problem) {
  for (size_t i = op.method ? 1 : 0; i < op.args.size(); ++i) {
    bool given = op.args[i] != nullptr || (i == builtin.variadic_at && builtin.variadic && !op.rest.empty());
    if (given || !builtin.parameters[i].required) continue;
    problem = messages::make(message("missing_argument"), call.span, {builtin.name, builtin.parameters[i].name});
    problem.hint = foreign_syntax::replacement(foreign_syntax::At::lacking, builtin.name);
    return false;
  }
  return true;
}

}  // namespace

std::string hint_for_keyword(std::string_view builtin, std::string_view keyword,
                             const std::vector<std::string_view>& known) {
  const std::string of_builtin = std::string(builtin) + "." + std::string(keyword);
  if (const auto own = foreign_syntax::replacement(foreign_syntax::At::argument, of_builtin); !own.empty())
    return std::string(own);
  std::string other;  // a hint of its own, where no parameter has that meaning
  for (const foreign_syntax::ForeignSyntax& foreign : foreign_syntax::words()) {
    if (foreign.at != foreign_syntax::At::argument || foreign.word != keyword) continue;
    const std::string_view hint = foreign.replacement, parameter = parameter_in(hint);
    const bool renamed = std::find(known.begin(), known.end(), parameter) != known.end();
    if (renamed) return parameter == hint ? "write " + std::string(hint) + "=" : std::string(hint);
    if (parameter.empty() && !builtin.empty()) other = hint;
  }
  if (!other.empty()) return other;
  const std::string_view near = nearest_name(keyword, known);
  return near.empty() ? "" : "did you mean `" + std::string(near) + "`?";
}

bool bind_arguments(const Builtin& builtin, const std::vector<core::Argument>& arguments, const ast::Call& call,
                    core::Op& op, Diagnostic& problem) {
  op.builtin = &builtin;
  op.entry = builtin.entry;
  op.args.assign(builtin.parameters.size(), nullptr);
  return place_arguments(builtin, arguments, call, op, problem) && all_required_given(builtin, call, op, problem);
}

}  // namespace covec::resolve
