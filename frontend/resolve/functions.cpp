// Functions: parameters, annotations, decorators, and the slots of a body. Slot order: parameters, dimension names,
// names assigned, then targets of comprehensions and temporaries as they are met.
#include <algorithm>

#include "frontend/resolve/resolver.hpp"

namespace covec::resolve {

using messages::message;

FunctionScope* Resolver::new_scope(const ast::Function& function) {
  scopes_.push_back(std::make_unique<FunctionScope>());
  FunctionScope& scope = *scopes_.back();
  scope.parent = scope_;
  scope.function = unit_.make<core::Function>();
  scope.function->name = intern(function.name);
  return &scope;
}

// In a function, the functions that a block defines see each other: those whose name is bound once. In a module they
// are globals, looked up at each call.
Siblings Resolver::declare_siblings(const ast::Block& body) {
  Siblings out;
  if (scope_->is_module()) return out;
  for (const ast::Stmt* stmt : body) {
    if (stmt->kind != ast::StmtKind::function) continue;
    const ast::Function& function = *static_cast<const ast::FunctionStmt*>(stmt)->function;
    std::string_view name = intern(function.name);
    const LocalName& local = scope_->locals.at(name.data());
    if (local.bindings == 1 && local.updates == 0) out[name.data()] = new_scope(function);
  }
  return out;
}

core::Stmt* Resolver::function_statement(const ast::FunctionStmt& stmt) {
  const ast::Function& function = *stmt.function;
  auto* out = make<core::Assign>(stmt.span);
  out->name = intern(function.name);
  slot_of(out->name, out->slot);
  auto sibling = block_siblings_->find(out->name.data());
  FunctionScope* scope = sibling != block_siblings_->end() ? sibling->second : new_scope(function);
  if (!scope_->is_module()) scope->siblings = block_siblings_;
  out->value = define(function, *scope);
  return out;
}

core::MakeClosure* Resolver::function_expression(const ast::FunctionExpr& expr) {
  return define(*expr.function, *new_scope(*expr.function));
}

core::MakeClosure* Resolver::define(const ast::Function& function, FunctionScope& scope) {
  auto* maker = make<core::MakeClosure>(function.span);
  maker->function = scope.function;
  scope.makers.push_back(maker);
  scope.function->doc = function.doc;
  scope.function->span = function.span;
  scope.function->name_span = function.name_span;
  decorators(function, *scope.function);
  FunctionScope* outer = scope_;
  const Siblings* outer_siblings = block_siblings_;
  uint32_t outer_unsure = unsure_from_;
  unsure_from_ = UINT32_MAX;
  scope_ = &scope;
  declare(function, scope);
  parameters(function, scope);
  if (function.expression != nullptr)
    scope.function->expression = expr(function.expression);
  else
    scope.function->body = block(function.body);
  scope_ = outer;
  block_siblings_ = outer_siblings;
  unsure_from_ = outer_unsure;
  return maker;
}

// --- slots ---

void Resolver::declare(const ast::Function& function, FunctionScope& scope) {
  for (const ast::Parameter& p : function.parameters) {
    std::string_view name = intern(p.name);
    scope.locals[name.data()] = {scope.new_slot(name), 1, 0};
  }
  for (const ast::Parameter& p : function.parameters) declare_dimensions(p.annotation, scope);
  declare_dimensions(function.result, scope);
  std::vector<Assigned> assigned;
  collect_assigned(function.body, assigned);
  for (const Assigned& a : assigned) {
    std::string_view name = intern(a.name);
    auto [local, is_new] = scope.locals.try_emplace(name.data());
    if (is_new) local->second.slot = scope.new_slot(name);
    ++(a.update ? local->second.updates : local->second.bindings);
  }
  scope.named_slots = static_cast<uint32_t>(scope.slot_names.size());
}

// A plain name as a dimension is a name of the body too.
void Resolver::declare_dimensions(const ast::Annotation* annotation, FunctionScope& scope) {
  if (annotation == nullptr) return;
  for (const ast::AnnotationField& f : annotation->fields) declare_dimensions(f.type, scope);
  for (const ast::Dimension& d : annotation->dimensions) {
    if (d.value == nullptr || d.value->kind != ast::ExprKind::name) continue;
    std::string_view name = intern(static_cast<const ast::Name*>(d.value)->name);
    if (name == "_") continue;
    auto [local, is_new] = scope.locals.try_emplace(name.data());
    if (!is_new) continue;
    local->second = {scope.new_slot(name), 1, 0};
    scope.function->dimension_names.push_back(name);
  }
}

void Resolver::parameters(const ast::Function& function, FunctionScope& scope) {
  uint32_t signature = function.parameters.size() + static_cast<uint32_t>(scope.function->dimension_names.size());
  bool simple = function.result == nullptr;
  for (uint32_t i = 0; i < function.parameters.size(); ++i) {
    const ast::Parameter& p = function.parameters[i];
    core::Parameter out;
    out.name = intern(p.name);
    out.span = p.span;
    scope.visible_slots = signature;
    out.annotation = annotation(p.annotation, scope);
    scope.visible_slots = i;
    if (p.fallback != nullptr) out.fallback = expr(p.fallback);
    simple = simple && p.annotation == nullptr && p.fallback == nullptr;
    scope.function->parameters.push_back(out);
  }
  scope.visible_slots = signature;
  scope.function->result = annotation(function.result, scope);
  scope.visible_slots = UINT32_MAX;
  scope.function->simple = simple;
}

// --- annotations ---

core::Annotation* Resolver::annotation(const ast::Annotation* annotation, FunctionScope& scope) {
  if (annotation == nullptr) return nullptr;
  auto* out = unit_.make<core::Annotation>();
  out->span = annotation->span;
  if (annotation->is_record) {
    out->kind = core::Annotation::Kind::record;
    for (const ast::AnnotationField& f : annotation->fields) {
      out->names.push_back(intern(f.name));
      out->fields.push_back(this->annotation(f.type, scope));
    }
    return out;
  }
  out->dtype = intern(annotation->dtype);
  out->has_dims = annotation->has_dimensions;
  for (const ast::Dimension& d : annotation->dimensions) out->dims.push_back(dimension(d, scope));
  return out;
}

core::DimAnnotation Resolver::dimension(const ast::Dimension& dimension, FunctionScope& scope) {
  using Kind = core::DimAnnotation::Kind;
  core::DimAnnotation out;
  out.span = dimension.span;
  if (dimension.value == nullptr) {
    out.kind = Kind::ellipsis;
    return out;
  }
  if (dimension.value->kind == ast::ExprKind::number) {
    out.kind = Kind::literal;
    number(*static_cast<const ast::Number*>(dimension.value), false);  // its check of the size
    out.literal = static_cast<int64_t>(static_cast<const ast::Number*>(dimension.value)->integer);
    return out;
  }
  if (dimension.value->kind != ast::ExprKind::name) {
    out.kind = Kind::expression;
    out.expression = expr(dimension.value);
    return out;
  }
  out.name = intern(static_cast<const ast::Name*>(dimension.value)->name);
  if (out.name == "_") return out;
  out.kind = Kind::name;
  out.slot = scope.locals.at(out.name.data()).slot;
  const auto& dimensions = scope.function->dimension_names;
  out.is_parameter = std::find(dimensions.begin(), dimensions.end(), out.name) == dimensions.end();
  return out;
}

// --- decorators ---

void Resolver::decorators(const ast::Function& function, core::Function& out) {
  for (const ast::Decorator& d : function.decorators) {
    if (d.name == "compile") {
      out.compile = true;
      compile_options(d, out);
    } else if (d.name == "test") {
      out.test = true;
      if (!d.arguments.empty()) report(message("decorator_arguments"), d.span, {d.name, "takes no arguments"});
    } else if (d.name == "derivative") {
      bool one = d.arguments.size() == 1 && d.arguments[0].name == "of";
      if (one)
        out.derivative_of = expr(d.arguments[0].value);
      else
        report(message("decorator_arguments"), d.span, {d.name, "needs one argument, of=f"});
    } else {
      Diagnostic& problem = report(message("unknown_decorator"), d.name_span, {d.name});
      std::string_view near = nearest_name(d.name, {"compile", "test", "derivative"});
      problem.hint = near.empty() ? "the decorators are @compile, @test and @derivative(of=f)"
                                  : "did you mean `@" + std::string(near) + "`?";
    }
  }
}

void Resolver::compile_options(const ast::Decorator& decorator, core::Function& out) {
  constexpr std::string_view options[] = {"device", "strict"};
  for (const ast::Argument& a : decorator.arguments) {
    bool known = std::find(std::begin(options), std::end(options), a.name) != std::end(options);
    if (!known) {
      std::string what = a.name.empty() ? "takes options by name" : "has no option `" + std::string(a.name) + "`";
      Diagnostic& d =
          report(message("decorator_arguments"), a.name.empty() ? a.value->span : a.name_span, {decorator.name, what});
      d.hint = "the options are device and strict";
      continue;
    }
    core::Argument argument;
    argument.name = intern(a.name);
    argument.value = expr(a.value);
    out.compile_options.push_back(argument);
  }
}

}  // namespace covec::resolve
