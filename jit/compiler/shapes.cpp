#include "jit/compiler/shapes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "jit/compiler/compiler.hpp"
#include "jit/specialize/example_arguments.hpp"
#include "jit/specialize/stage.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

using ir::DimExpression;
using Moment = StagedStep::Moment;

// --- types in the names of annotations ---

class ExtentNames {
 public:
  void learn(const core::Function& function, const Value* slots) {
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      if (function.parameters[i].annotation != nullptr) learn(*function.parameters[i].annotation, slots[i]);
    }
  }
  const std::string* find(Dim dim) const {
    const auto found = names_.find(dim.id());
    return found == names_.end() ? nullptr : &found->second;
  }

 private:
  void learn(const core::Annotation& annotation, const Value& value) {
    if (annotation.kind != core::Annotation::Kind::tensor) {
      for (size_t i = 0; i < annotation.fields.size(); ++i) {
        if (const Value* part = part_of(value, annotation, i)) learn(*annotation.fields[i], *part);
      }
      return;
    }
    const Value& part = shaped_part(value);
    if (!ir::is_symbol(part)) return;
    const Shape& shape = static_cast<const Symbol&>(*part.object()).type.shape;
    for (unsigned axis = 0; axis < std::min<size_t>(shape.rank(), annotation.dims.size()); ++axis)
      learn(annotation.dims[axis], shape[axis]);
  }
  static const Value* part_of(const Value& value, const core::Annotation& annotation, size_t number) {
    if (value.is(ObjectKind::record)) return value.record().find(annotation.names[number]);
    const bool fits = value.is(ObjectKind::tuple) && number < children(value)->size();
    return fits ? &(*children(value))[number] : nullptr;
  }
  // A name is better than `_`.
  void learn(const core::DimAnnotation& written, Dim dim) {
    using Kind = core::DimAnnotation::Kind;
    if (dim.known()) return;
    if (written.kind == Kind::any) names_.emplace(dim.id(), "_");
    if (written.kind != Kind::name) return;
    const auto [known, is_new] = names_.emplace(dim.id(), written.name);
    if (!is_new && known->second == "_") known->second = written.name;
  }

  std::map<uint32_t, std::string> names_;  // by the dimension's number
};

// Nothing: it cannot be said.
using OptionalText = std::optional<std::string>;

class TypeInNames {
 public:
  // The names of a function inside come first.
  TypeInNames(const ir::Graph& graph, std::vector<const ExtentNames*> names)
      : graph_(graph), names_(std::move(names)) {}

  OptionalText of(const Value& value) const {
    if (is_boxed_symbol(value) || is_list_symbol(value)) return {};
    if (is_complex(value)) return of_complex(value);
    if (value.is(ObjectKind::tuple) || value.is(ObjectKind::record)) return of_tree(value);
    if (!ir::is_symbol(value) && !value.is_scalar() && !value.is_tensor()) return {};
    const Type type = logical_type(value);
    return of(name_of(type.dtype), type.shape);
  }

 private:
  OptionalText of(std::string_view dtype, const Shape& shape) const {
    std::string text(dtype);
    for (unsigned axis = 0; axis < shape.rank(); ++axis) {
      const OptionalText extent = of(shape[axis]);
      if (!extent) return {};
      text += (axis == 0 ? "[" : ", ") + *extent;
    }
    return shape.empty() ? text : text + "]";
  }
  OptionalText of_complex(const Value& value) const {
    const Type type = logical_type(complex_of(value).re());
    return of(type.dtype == Dtype::f32 ? "c64" : "c128", type.shape);
  }
  OptionalText of_tree(const Value& value) const {
    const bool record = value.is(ObjectKind::record);
    const std::vector<Value>& parts = *children(value);
    std::string text = record ? "{" : "(";
    for (size_t i = 0; i < parts.size(); ++i) {
      const OptionalText part = of(parts[i]);
      if (!part) return {};
      text += (i > 0 ? ", " : "") + (record ? child_label(value, i) : "") + *part;
    }
    return text + (record ? "}" : ")");
  }

  // An operand of a product that is a sum stands in brackets.
  OptionalText of(Dim dim, bool in_product = false, unsigned depth = 0) const {
    constexpr unsigned deepest = 3;  // operations inside each other
    if (dim.known()) return std::to_string(dim.number());
    for (const ExtentNames* names : names_) {
      if (const std::string* name = names->find(dim)) return *name;
    }
    const DimExpression& expression = graph_.dims[dim.id()];
    using Kind = DimExpression::Kind;
    if (expression.kind == Kind::number) return parameter(expression.value);
    const bool product = expression.kind == Kind::multiply, sum = expression.kind == Kind::add;
    if (depth == deepest || (!product && !sum && expression.kind != Kind::saturating_sub)) return {};
    const OptionalText left = of(expression.left, product, depth + 1), right = of(expression.right, product, depth + 1);
    if (!left || !right) return {};
    const std::string text = *left + (product ? " * " : sum ? " + " : " - ") + *right;
    return in_product && !product ? "(" + text + ")" : text;
  }
  // A number that the function is given.
  OptionalText parameter(ir::Id id) const {
    const std::string& name = graph_.values[id].name;
    if (name.empty() || std::ranges::find(graph_.body.parameters, id) == graph_.body.parameters.end()) return {};
    return name;
  }

  const ir::Graph& graph_;
  const std::vector<const ExtentNames*> names_;
};

// --- the walk ---

const core::Stmt* innermost_statement(const core::Block& block, Span place);

const core::Stmt* innermost_inside(const core::Stmt& stmt, Span place) {
  const auto either = [&](const core::Block& first, const core::Block& second) {
    const core::Stmt* found = innermost_statement(first, place);
    return found != nullptr ? found : innermost_statement(second, place);
  };
  switch (stmt.kind) {
    case core::StmtKind::if_: {
      const auto& node = static_cast<const core::If&>(stmt);
      return either(node.then, node.otherwise);
    }
    case core::StmtKind::while_: return innermost_statement(static_cast<const core::While&>(stmt).body, place);
    case core::StmtKind::for_: return innermost_statement(static_cast<const core::For&>(stmt).body, place);
    case core::StmtKind::try_: {
      const auto& node = static_cast<const core::Try&>(stmt);
      return either(node.body, node.handler);
    }
    default: return nullptr;
  }
}

// The statement around a place; nullptr: there is none.
const core::Stmt* innermost_statement(const core::Block& block, Span place) {
  for (const core::Stmt* stmt : block) {
    if (!stmt->span.contains(place)) continue;
    const core::Stmt* inside = innermost_inside(*stmt, place);
    return inside != nullptr ? inside : stmt;
  }
  return nullptr;
}

// Notes what a variable holds, each time that the walk comes by.
class ShapeRecorder {
 public:
  explicit ShapeRecorder(const VariableUse& use) : use_(use) {}

  void see(const ir::Graph& graph, const StagedStep& step) {
    if (outer_function_ == nullptr) outer_function_ = &step.function;
    const bool is_outer = &step.function == outer_function_;
    const bool is_its_own = step.function.span.begin == use_.function && step.function.span.file == use_.span.file;
    if (!is_outer && !is_its_own) return;
    ExtentNames& names = is_outer ? outer_ : inner_;
    const bool begins =
        step.moment == Moment::before && !step.function.body.empty() && &step.statement == step.function.body.front();
    if (begins) {
      names = {};
      names.learn(step.function, step.slots);
    }
    if (!is_its_own || !concerns(step)) return;
    const Value* value = variable(step);
    const OptionalText text = value == nullptr ? OptionalText() : TypeInNames(graph, {&inner_, &outer_}).of(*value);
    if (!found_) found_ = text.value_or("");
    if (*found_ != text.value_or("")) found_ = "";
  }

  std::string take() { return found_.value_or(""); }

 private:
  bool concerns(const StagedStep& step) {
    if (statement_ == nullptr) statement_ = innermost_statement(step.function.body, use_.span);
    if (&step.statement != statement_) return false;
    const bool binds = step.statement.kind == core::StmtKind::for_;
    return step.moment == (!use_.written ? Moment::before : binds ? Moment::bound : Moment::after);
  }
  // Types of some parameters may not be known: where they are not annotated.
  const Value* variable(const StagedStep& step) const {
    const auto is_annotated = [](const core::Parameter& each) { return each.annotation != nullptr; };
    if (!std::ranges::all_of(step.function.parameters, is_annotated)) return nullptr;
    const auto& names = step.function.slot_names;
    const auto found = std::ranges::find(names, use_.name);
    return found == names.end() ? nullptr : &step.slots[found - names.begin()];
  }

  const VariableUse& use_;
  const core::Function* outer_function_ = nullptr;
  const core::Stmt* statement_ = nullptr;  // that names the variable
  ExtentNames outer_, inner_;
  std::optional<std::string> found_;  // "": not the same each time
};

}  // namespace

std::string type_of_variable(Compiler& compiler, const Value& function, const VariableUse& use) {
  CompilerParts& parts = parts_of(compiler);
  const Value* const compiled = function.function().compiled_from();
  const Value& body = compiled != nullptr ? *compiled : function;
  ClosureParts closure;
  if (!closure_parts(body.function(), closure)) return "";
  VariableUse placed = use;
  placed.span.file = closure.function->span.file;
  WrittenExtents written;
  std::vector<Value> args = example_arguments(*parts.context.pool, body, "", Extents::annotated, &written);
  Specialization made;
  ShapeRecorder recorder(placed);
  stage(parts.context, parts.walker, made, body, args, Signature(), {nullptr, &written},
        [&](const ir::Graph& graph, const StagedStep& step) { recorder.see(graph, step); });
  return recorder.take();
}

}  // namespace covec::jit
