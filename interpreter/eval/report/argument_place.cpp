#include "interpreter/eval/report/argument_place.hpp"

#include "frontend/core/walk.hpp"

namespace covec {

namespace {

class ArgumentSearch {
 public:
  ArgumentSearch(Span call, std::string_view name) : call_(call), name_(name) {}

  void block(const core::Block& statements) {
    for (const core::Stmt* statement : statements) {
      resolve::each_part(
          *statement, [&](core::Expr* each) { expression(each); }, [](const core::Target&) {},
          [&](const core::Block& each) { block(each); });
    }
  }
  Span found() const { return found_; }

 private:
  void expression(core::Expr* root) {
    resolve::each_below(root, [&](core::Expr* each) {
      if (each->kind == core::ExprKind::make_closure) function(*static_cast<core::MakeClosure*>(each)->function);
      if (each->span.begin != call_.begin || each->span.end != call_.end) return;
      if (each->kind == core::ExprKind::call) arguments(static_cast<core::Call*>(each)->args);
      if (each->kind == core::ExprKind::method_call) arguments(static_cast<core::MethodCall*>(each)->args);
    });
  }
  void function(const core::Function& function) {
    for (const core::Parameter& parameter : function.parameters) {
      if (parameter.fallback != nullptr) expression(parameter.fallback);
    }
    if (function.expression != nullptr) expression(function.expression);
    block(function.body);
  }
  void arguments(const std::vector<core::Argument>& arguments) {
    for (const core::Argument& each : arguments) {
      if (each.name == name_) found_ = each.name_span;
    }
  }

  const Span call_;
  const std::string_view name_;
  Span found_;
};

}  // namespace

Span place_of_argument(const core::Unit& text, Span call, std::string_view name) {
  if (call.file != text.file) return {};
  ArgumentSearch search(call, name);
  search.block(text.body);
  return search.found();
}

}  // namespace covec
