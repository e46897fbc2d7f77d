// A known condition is decided at once. Otherwise both sides are walked, and what they leave in variables is merged.
#include "interpreter/eval/staged/choices.hpp"

#include "interpreter/eval/staged/parts.hpp"

#include "stdlib/autodiff/renewal.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

using Form = core::Select::Form;

const char* name_of(Form form) { return form == Form::and_ ? "and" : form == Form::or_ ? "or" : nullptr; }

}  // namespace

Value StagedChoices::condition(const core::Expr& expr, Frame& f, const char* logical) {
  const Value value = parts_.walk.applier.staging()->present(parts_.walk.expressions.value_of(expr, f));
  if (is_operand(value)) {
    const Type type = logical_type(value);
    if (type.dtype == Dtype::boolean && type.shape.empty()) return concrete(value);
  }
  return Value(parts_.walk.expressions.truth(value, expr, f, logical));
}

Value StagedChoices::side(const core::Select& node, bool taken, Frame& f) {
  if (node.form == Form::conditional) return parts_.walk.expressions.value_of(taken ? *node.then : *node.otherwise, f);
  if (taken != (node.form == Form::and_)) return Value(taken);
  return condition(node.form == Form::and_ ? *node.then : *node.otherwise, f, name_of(node.form));
}

// On each path, so that the order of parts that both have is that of all.
Value StagedChoices::renewed_side(const core::Select& node, bool taken, Frame& f) {
  Value result = side(node, taken, f);
  autodiff::renew_if_open(parts_.walk.applier.builder().context(), result);
  return result;
}

Raw StagedChoices::select(const core::Select& node, Frame& f) {
  const Value condition = this->condition(*node.condition, f, name_of(node.form));
  if (condition.tag() == Tag::boolean) return give(renewed_side(node, condition.boolean(), f));
  Value result = Value::unbound();
  Staging::Variables variables = parts_.paths.variables_of(f);
  variables.push_back(&result);
  parts_.walk.applier.staging()->branch(
      condition, variables, [&] { result = renewed_side(node, true, f); },
      [&] { result = renewed_side(node, false, f); });
  return give(std::move(result));
}

void StagedChoices::where(const core::Expr& expr, Value& list, FunctionRef<void()> then, Frame& f) {
  const Value condition = this->condition(expr, f);
  if (condition.tag() == Tag::boolean) {
    if (condition.boolean()) then();
    return;
  }
  Staging::Variables variables = parts_.paths.variables_of(f);
  variables.push_back(&list);
  parts_.walk.applier.staging()->branch(condition, variables, then, [] {});
}

Raw StagedChoices::format(const core::Format& node, Frame& f) {
  const ops::Entry& format = ops::handles().format;
  Value text = make_string("");
  const auto join = [&](Value part) {
    Value args[2] = {std::move(text), std::move(part)};
    text = parts_.walk.applier.call(ops::handles().join_text, args, node.span, f);
  };
  for (const core::Format::Piece& piece : node.pieces) {
    if (!piece.value) {
      join(make_string(piece.text));
      continue;
    }
    Value args[2] = {parts_.walk.expressions.value_of(*piece.value, f), make_string(piece.spec)};
    join(parts_.walk.applier.call(format, args, piece.value->span, f));
  }
  return give(std::move(text));
}

}  // namespace covec
