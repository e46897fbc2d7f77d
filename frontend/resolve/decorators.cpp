// See decorators.hpp.
#include "frontend/resolve/decorators.hpp"

#include <string>

#include "frontend/resolve/expressions.hpp"
#include "frontend/source/habits.hpp"

namespace covec::resolve {

using messages::message;

void Decorators::read(const ast::Function& function, core::Function& out) {
  for (const ast::Decorator& d : function.decorators) {
    if (d.name == "compile") {
      compile(d, out);
    } else if (d.name == "test") {
      test(d, out);
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
    argument.value = expressions_.read(a.value);
    out.compile_options.push_back(argument);
  }
}

void Decorators::test(const ast::Decorator& decorator, core::Function& out) {
  out.test = true;
  if (decorator.arguments.empty()) return;
  problems_.report(message("decorator_arguments"), decorator.span, {decorator.name, "takes no arguments"});
}

void Decorators::derivative(const ast::Decorator& decorator, core::Function& out) {
  bool one = decorator.arguments.size() == 1 && decorator.arguments[0].name == "of";
  if (one) {
    out.derivative_of = expressions_.read(decorator.arguments[0].value);
    references_.note_rule(*out.derivative_of);
  } else {
    problems_.report(message("decorator_arguments"), decorator.span, {decorator.name, "needs one argument, of=f"});
  }
}

void Decorators::report_unknown(const ast::Decorator& decorator) {
  Diagnostic& problem = problems_.report(message("unknown_decorator"), decorator.name_span, {decorator.name});
  std::string_view near = nearest_name(decorator.name, {"compile", "test", "derivative"});
  problem.hint = habits::cure(habits::At::decorator, decorator.name);
  if (!problem.hint.empty()) return;
  problem.hint = near.empty() ? "the decorators are @compile, @test and @derivative(of=f)"
                              : "did you mean `@" + std::string(near) + "`?";
}

void Decorators::report_option(const ast::Decorator& decorator, const ast::Argument& option) {
  bool unnamed = option.name.empty();
  std::string what = unnamed ? "takes options by name" : "has no option `" + std::string(option.name) + "`";
  Span place = unnamed ? option.value->span : option.name_span;
  problems_.report(message("decorator_arguments"), place, {decorator.name, what}).hint =
      "the options are device, strict and precision";
}

}  // namespace covec::resolve
