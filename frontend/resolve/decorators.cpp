// See decorators.hpp.
#include "frontend/resolve/decorators.hpp"

#include <string>

#include "frontend/common/nearest.hpp"
#include "frontend/resolve/expressions.hpp"
#include "frontend/source/fixes.hpp"
#include "frontend/source/foreign_syntax.hpp"

namespace covec::resolve {

using messages::message;

void Decorators::read(const ast::Function& function, core::Function& out) {
  for (const ast::Decorator& d : function.decorators) {
    if (d.name == "compile") {
      compile(d, out);
    } else if (d.name == "test" || d.name == "bench") {
      (d.name == "test" ? out.test : out.bench) = true;
      check_no_arguments(d);
    } else if (d.name == "derivative") {
      derivative(d, out);
    } else {
      report_unknown(d);
    }
  }
}

void Decorators::compile(const ast::Decorator& decorator, core::Function& out) {
  out.compile = true;
  for (const ast::Argument& a : decorator.arguments) {
    if (a.name != "device" && a.name != "strict" && a.name != "precision") {
      report_option(decorator, a);
      continue;
    }
    core::Argument argument;
    argument.name = names_.intern(a.name);
    argument.name_span = a.name_span;
    argument.value = expressions_.read(a.value);
    out.compile_options.push_back(argument);
  }
}

void Decorators::check_no_arguments(const ast::Decorator& decorator) {
  if (decorator.arguments.empty()) return;
  problems_.report(message("decorator_arguments"), decorator.span, {decorator.name, "takes no arguments"});
}

void Decorators::derivative(const ast::Decorator& decorator, core::Function& out) {
  if (!check_derivative(decorator, out.derivative_of == nullptr)) return;
  for (const ast::Argument& a : decorator.arguments) {
    if (a.name == "mode") {
      out.forward_rule = is_forward(a);
    } else {
      out.derivative_of = expressions_.read(a.value);
    }
  }
  references_.note_rule(*out.derivative_of);
}

// One such decorator for a function, with of=f and perhaps mode=. (Nothing is given twice: the parser says so.)
bool Decorators::check_derivative(const ast::Decorator& decorator, bool first) {
  const auto refuse = [&](Span place, std::string what) {
    problems_.report(message("decorator_arguments"), place, {decorator.name, what}).hint =
        "write @derivative(of=f), or @derivative(of=f, mode=\"forward\")";
    return false;
  };
  if (!first)
    return refuse(decorator.span, "is used twice for one function: a function can be the rule of only one function");
  bool named = false;
  for (const ast::Argument& a : decorator.arguments) {
    named |= a.name == "of";
    if (a.name.empty()) return refuse(a.value->span, "takes arguments by name only");
    if (a.name != "of" && a.name != "mode") return refuse(a.name_span, "has no option `" + std::string(a.name) + "`");
  }
  return named || refuse(decorator.span, "needs the function that has the rule: of=f");
}

bool Decorators::is_forward(const ast::Argument& mode) {
  const auto* const text =
      mode.value->kind == ast::ExprKind::text ? static_cast<const ast::Text*>(mode.value) : nullptr;
  if (text != nullptr && (text->value == "forward" || text->value == "reverse")) return text->value == "forward";
  problems_.report(message("decorator_arguments"), mode.value->span,
                   {"derivative", "needs the literal \"forward\" or \"reverse\" for mode"});
  return false;
}

void Decorators::report_unknown(const ast::Decorator& decorator) {
  Diagnostic& problem = problems_.report(message("unknown_decorator"), decorator.name_span, {decorator.name});
  const std::vector<std::string_view> known = {"compile", "test", "bench", "derivative"};
  const std::string_view near = nearest_name(decorator.name, known);
  problem.hint = foreign_syntax::replacement(foreign_syntax::At::decorator, decorator.name);
  if (!problem.hint.empty()) return;
  if (!only_nearest_name(decorator.name, known).empty()) problem.fix = Fix{decorator.name_span, std::string(near)};
  problem.hint = near.empty() ? "the decorators are @compile, @test, @bench and @derivative(of=f)"
                              : "did you mean `@" + std::string(near) + "`?";
}

void Decorators::report_option(const ast::Decorator& decorator, const ast::Argument& option) {
  bool unnamed = option.name.empty();
  std::string what = unnamed ? "takes options by name only" : "has no option `" + std::string(option.name) + "`";
  Span place = unnamed ? option.value->span : option.name_span;
  problems_.report(message("decorator_arguments"), place, {decorator.name, what}).hint =
      "the options are device, strict and precision";
}

}  // namespace covec::resolve
