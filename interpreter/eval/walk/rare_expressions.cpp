// One jump per kind.
#include "interpreter/eval/walk/rare_expressions.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/report/host.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/walk/calls.hpp"
#include "interpreter/eval/walk/comprehensions.hpp"
#include "interpreter/eval/walk/contractions.hpp"
#include "interpreter/eval/walk/definitions.hpp"
#include "interpreter/eval/walk/fields.hpp"
#include "interpreter/eval/walk/indexing.hpp"
#include "interpreter/eval/walk/literals.hpp"

namespace covec {

using eval::row;

Raw RareExpressions::evaluate(const core::Expr& expr, Frame& f) {
  parts_.stack.check(f, expr.span);
  switch (expr.kind) {
    case core::ExprKind::builtin:
      return give(parts_.host.value_of(*static_cast<const core::BuiltinRef&>(expr).builtin));
    case core::ExprKind::method_call: return parts_.calls.method_call(static_cast<const core::MethodCall&>(expr), f);
    case core::ExprKind::make_tensor: return parts_.literals.tensor(static_cast<const core::MakeTensor&>(expr), f);
    case core::ExprKind::make_tuple: return parts_.literals.tuple(static_cast<const core::MakeTuple&>(expr), f);
    case core::ExprKind::make_record: return parts_.literals.record(static_cast<const core::MakeRecord&>(expr), f);
    case core::ExprKind::make_closure:
      return parts_.definitions.closure(static_cast<const core::MakeClosure&>(expr), f);
    case core::ExprKind::field: return parts_.fields.field(static_cast<const core::Field&>(expr), f);
    case core::ExprKind::index: return parts_.indexing.index(static_cast<const core::Index&>(expr), f);
    case core::ExprKind::contract: return parts_.contractions.contract(static_cast<const core::Contract&>(expr), f);
    case core::ExprKind::map_index: return parts_.comprehensions.map_index(static_cast<const core::MapIndex&>(expr), f);
    case core::ExprKind::format: return parts_.literals.format(static_cast<const core::Format&>(expr), f);
    case core::ExprKind::bind: return bind(static_cast<const core::Bind&>(expr), f);
    default: parts_.reporter.fail(row("internal"), {"an unknown node"}, {{expr.span, ""}}, f);
  }
}

Raw RareExpressions::bind(const core::Bind& node, Frame& f) {
  f.slots[node.slot] = parts_.expressions.value_of(*node.value, f);
  return share(f.slots[node.slot]);
}

}  // namespace covec
