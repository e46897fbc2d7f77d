// These functions run for each node, so they only dispatch. Rare cases and failures are functions of their own, so the
// dispatch needs no room on the stack.
#include "interpreter/eval/walk/expressions.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/walk/calls.hpp"
#include "interpreter/eval/walk/operators.hpp"
#include "interpreter/eval/walk/rare_expressions.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

using eval::row;

Raw Expressions::evaluate(const core::Expr& expr, Frame& f) {
  switch (expr.kind) {
    case core::ExprKind::local: {
      const auto& node = static_cast<const core::Local&>(expr);
      Value& slot = f.slots[node.slot];
      if (slot.is_unbound()) [[unlikely]]
        return unbound_local(node, f);
      return node.last_use && slot.is_object() && !f.is_staged() ? give(std::move(slot)) : share(slot);
    }
    case core::ExprKind::constant: return share(f.constants[static_cast<const core::Constant&>(expr).id]);
    case core::ExprKind::op: return parts_.operators.apply(static_cast<const core::Op&>(expr), f);
    case core::ExprKind::global: {
      const Value& slot = f.globals[static_cast<const core::Global&>(expr).slot];
      if (slot.is_unbound()) [[unlikely]]
        unbound_global(static_cast<const core::Global&>(expr), f);
      return share(slot);
    }
    case core::ExprKind::capture: {
      const Value& value = f.closure->captured[static_cast<const core::Capture&>(expr).index];
      if (value.is_unbound()) [[unlikely]]
        unbound_capture(static_cast<const core::Capture&>(expr), f);
      return share(value);
    }
    case core::ExprKind::call: return parts_.calls.call(static_cast<const core::Call&>(expr), f);
    case core::ExprKind::select: return select(static_cast<const core::Select&>(expr), f);
    default: return parts_.rare.evaluate(expr, f);
  }
}

Raw Expressions::unbound_local(const core::Local& node, const Frame& f) const {
  if (f.is_staged()) return give(parts_.staged.local(node, f));
  const auto& names = f.closure ? f.closure->function.slot_names : f.source_unit->unit->slot_names;
  parts_.reporter.fail(row("no_value"), {std::string(names[node.slot])}, {{node.span, ""}}, f,
                       hint_for_unassigned(&f, names[node.slot]));
}

void Expressions::unbound_global(const core::Global& node, const Frame& f) const {
  const std::string_view name = f.source_unit->module->scope.names[node.slot];
  parts_.reporter.fail(
      row("no_global_value"), {std::string(name)}, {{node.span, ""}}, f,
      hint_for_module(name).empty() ? hint_for_later(parts_.reporter, node, f) : hint_for_module(name));
}

void Expressions::unbound_capture(const core::Capture& node, const Frame& f) const {
  const std::string name(f.closure->function.capture_names[node.index]);
  parts_.reporter.fail(row("no_captured_value"), {name}, {{node.span, ""}}, f);
}

// --- choice ---

bool Expressions::truth(const Value& value, const core::Expr& expr, const Frame& f, const char* logical) const {
  if (value.tag() == Tag::boolean) return value.boolean();
  if (value.is_traced()) {
    const Type type = logical_type(value);
    if (type.dtype == Dtype::boolean && type.shape.empty()) return concrete(value).boolean();
  }
  const bool many = is_operand(value) && logical_type(value).dtype == Dtype::boolean;
  const std::string got = what_is(value);
  if (logical) {
    const std::string_view name = logical;
    parts_.reporter.fail(row("logical_operand"), {std::string(name), got}, {{expr.span, "this is " + got}}, f,
                         !many           ? ""
                         : name == "and" ? "`&` is elementwise"
                                         : "`|` is elementwise");
  }
  parts_.reporter.fail(row("condition"), {got}, {{expr.span, ""}}, f,
                       many ? "use any or all" : hint_for_condition(value));
}

bool Expressions::condition(const core::Expr& expr, Frame& f) {
  const Raw raw = evaluate(expr, f);
  if (raw.tag == Tag::boolean) [[likely]]
    return raw.i64 != 0;
  return truth(own(raw), expr, f);
}

Raw Expressions::select(const core::Select& node, Frame& f) {
  using Form = core::Select::Form;
  parts_.stack.check(f, node.span);
  if (f.is_staged()) [[unlikely]]
    return parts_.staged.select(node, f);
  if (node.form == Form::conditional) {
    return renewed(parts_.stack.context(), evaluate(condition(*node.condition, f) ? *node.then : *node.otherwise, f));
  }
  const char* name = node.form == Form::and_ ? "and" : "or";
  const bool left = truth(value_of(*node.condition, f), *node.condition, f, name);
  if (left != (node.form == Form::and_)) return raw_bool(left);
  const core::Expr& right = node.form == Form::and_ ? *node.then : *node.otherwise;
  return raw_bool(truth(value_of(right, f), right, f, name));
}

}  // namespace covec
