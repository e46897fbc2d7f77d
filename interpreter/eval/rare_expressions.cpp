// One jump per kind.
#include "interpreter/eval/rare_expressions.hpp"

#include "interpreter/eval/calls.hpp"
#include "interpreter/eval/comprehensions.hpp"
#include "interpreter/eval/contractions.hpp"
#include "interpreter/eval/definitions.hpp"
#include "interpreter/eval/fields.hpp"
#include "interpreter/eval/host.hpp"
#include "interpreter/eval/indexing.hpp"
#include "interpreter/eval/literals.hpp"
#include "interpreter/eval/messages.hpp"

namespace covec {

using eval::row;

Raw RareExpressions::evaluate(const core::Expr& expr, Frame& f) {
  stack_.check(f, expr.span);
  switch (expr.kind) {
    case core::ExprKind::builtin: return give(host_.value_of(*static_cast<const core::BuiltinRef&>(expr).builtin));
    case core::ExprKind::method_call: return calls_.method_call(static_cast<const core::MethodCall&>(expr), f);
    case core::ExprKind::make_tensor: return literals_.tensor(static_cast<const core::MakeTensor&>(expr), f);
    case core::ExprKind::make_tuple: return literals_.tuple(static_cast<const core::MakeTuple&>(expr), f);
    case core::ExprKind::make_record: return literals_.record(static_cast<const core::MakeRecord&>(expr), f);
    case core::ExprKind::make_closure: return definitions_.closure(static_cast<const core::MakeClosure&>(expr), f);
    case core::ExprKind::field: return fields_.field(static_cast<const core::Field&>(expr), f);
    case core::ExprKind::index: return indexing_.index(static_cast<const core::Index&>(expr), f);
    case core::ExprKind::contract: return contractions_.contract(static_cast<const core::Contract&>(expr), f);
    case core::ExprKind::map_index: return comprehensions_.map_index(static_cast<const core::MapIndex&>(expr), f);
    case core::ExprKind::format: return literals_.format(static_cast<const core::Format&>(expr), f);
    case core::ExprKind::bind: return bind(static_cast<const core::Bind&>(expr), f);
    default: reporter_.fail(row("internal"), {"an unknown node"}, {{expr.span, ""}}, f);
  }
}

Raw RareExpressions::bind(const core::Bind& node, Frame& f) {
  f.slots[node.slot] = expressions_.value_of(*node.value, f);
  return share(f.slots[node.slot]);
}

}  // namespace covec
