// See signatures.hpp. Start reading at read.
#include "frontend/resolve/signatures.hpp"

#include <algorithm>

#include "frontend/resolve/expressions.hpp"

namespace covec::resolve {

void Signatures::read(const ast::Function& function, FunctionScope& scope) {
  declare(function, scope);
  parameters(function, scope);
}

void Signatures::declare(const ast::Function& function, FunctionScope& scope) {
  for (const ast::Parameter& p : function.parameters) {
    std::string_view name = names_.intern(p.name);
    scope.locals[name.data()] = {scope.new_slot(name), 1, 0};
    problems_.warn_of_constant(name, p.span);
  }
  for (const ast::Parameter& p : function.parameters) declare_dimensions(p.annotation, scope);
  declare_dimensions(function.result, scope);
  std::vector<Assigned> assigned;
  collect_assigned(function.body, assigned);
  for (const Assigned& a : assigned) {
    std::string_view name = names_.intern(a.name);
    auto [local, is_new] = scope.locals.try_emplace(name.data());
    if (is_new) local->second.slot = scope.new_slot(name);
    ++(a.update ? local->second.updates : local->second.bindings);
    if (is_new && problems_.for_tools()) scope.uses[name.data()].name = name;
  }
  scope.named_slots = static_cast<uint32_t>(scope.slot_names.size());
}

// A plain name as a dimension is a name of the body too.
void Signatures::declare_dimensions(const ast::Annotation* annotation, FunctionScope& scope) {
  if (annotation == nullptr) return;
  for (const ast::AnnotationField& f : annotation->fields) declare_dimensions(f.type, scope);
  for (const ast::Dimension& d : annotation->dimensions) {
    if (d.value == nullptr || d.value->kind != ast::ExprKind::name) continue;
    std::string_view name = names_.intern(static_cast<const ast::Name*>(d.value)->name);
    if (name == "_") continue;
    auto [local, is_new] = scope.locals.try_emplace(name.data());
    if (!is_new) continue;
    local->second = {scope.new_slot(name), 1, 0};
    scope.function->dimension_names.push_back(name);
  }
}

void Signatures::parameters(const ast::Function& function, FunctionScope& scope) {
  uint32_t signature = function.parameters.size() + static_cast<uint32_t>(scope.function->dimension_names.size());
  bool simple = function.result == nullptr;
  for (uint32_t i = 0; i < function.parameters.size(); ++i) {
    const ast::Parameter& p = function.parameters[i];
    core::Parameter out;
    out.name = names_.intern(p.name);
    out.span = p.span;
    scope.visible_slots = signature;
    out.annotation = annotation(p.annotation, scope);
    scope.visible_slots = i;
    if (p.fallback != nullptr) out.fallback = expressions_.read(p.fallback);
    if (p.kind == ast::ParameterKind::rest) scope.function->rest = static_cast<int>(i);
    scope.function->options |= p.kind == ast::ParameterKind::options;
    simple = simple && p.annotation == nullptr && p.fallback == nullptr && p.kind == ast::ParameterKind::plain;
    scope.function->parameters.push_back(out);
  }
  scope.visible_slots = signature;
  scope.function->result = annotation(function.result, scope);
  scope.visible_slots = UINT32_MAX;
  scope.function->simple = simple;
}

// --- annotations ---

core::Annotation* Signatures::annotation(const ast::Annotation* annotation, FunctionScope& scope) {
  if (annotation == nullptr) return nullptr;
  auto* out = nodes_.make<core::Annotation>();
  out->span = annotation->span;
  if (annotation->kind != ast::Annotation::Kind::tensor) {
    const bool record = annotation->kind == ast::Annotation::Kind::record;
    out->kind = record ? core::Annotation::Kind::record : core::Annotation::Kind::tuple;
    for (const ast::AnnotationField& f : annotation->fields) {
      if (record) out->names.push_back(names_.intern(f.name));
      out->fields.push_back(this->annotation(f.type, scope));
    }
    return out;
  }
  out->dtype = names_.intern(annotation->dtype);
  out->has_dims = annotation->has_dimensions;
  for (const ast::Dimension& d : annotation->dimensions) out->dims.push_back(dimension(d, scope));
  return out;
}

core::DimAnnotation Signatures::dimension(const ast::Dimension& dimension, FunctionScope& scope) {
  using Kind = core::DimAnnotation::Kind;
  core::DimAnnotation out;
  out.span = dimension.span;
  if (dimension.value == nullptr) {
    out.kind = Kind::ellipsis;
    return out;
  }
  if (dimension.value->kind == ast::ExprKind::number) {
    out.kind = Kind::literal;
    literals_.number(*static_cast<const ast::Number*>(dimension.value));  // its check of the size
    out.literal = static_cast<int64_t>(static_cast<const ast::Number*>(dimension.value)->integer);
    return out;
  }
  if (dimension.value->kind != ast::ExprKind::name) {
    out.kind = Kind::expression;
    out.expression = expressions_.read(dimension.value);
    return out;
  }
  name_dimension(out, names_.intern(static_cast<const ast::Name*>(dimension.value)->name), scope);
  return out;
}

// The name is a slot of the function; `_` is any size.
void Signatures::name_dimension(core::DimAnnotation& out, std::string_view name, const FunctionScope& scope) {
  out.name = name;
  if (name == "_") return;
  out.kind = core::DimAnnotation::Kind::name;
  out.slot = scope.locals.at(name.data()).slot;
  const auto& dimensions = scope.function->dimension_names;
  out.is_parameter = std::find(dimensions.begin(), dimensions.end(), name) == dimensions.end();
}

}  // namespace covec::resolve
