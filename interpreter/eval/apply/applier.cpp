// Applies operators. While a function is staged, it tells the compiler the source places before it applies an operator,
// since its errors may only come at run time.
#include "interpreter/eval/apply/applier.hpp"

#include "interpreter/eval/apply/source_scope.hpp"

namespace covec {

std::vector<Span> operand_spans(const core::Op& op) {
  std::vector<Span> spans;
  const size_t parameters = op.entry->parameters.size();
  for (size_t i = 0; i < parameters; ++i) spans.push_back(i < op.args.size() && op.args[i] ? op.args[i]->span : Span());
  for (const core::Expr* expr : op.rest) spans.push_back(expr->span);
  if (!op.rest.empty()) return spans;
  // A tuple or list of tensors becomes the operator's rest: its items, when they are written there.
  for (const core::Expr* expr : op.args) {
    if (!expr || expr->kind != core::ExprKind::make_tuple) continue;
    for (const core::Expr* item : static_cast<const core::MakeTuple*>(expr)->items) spans.push_back(item->span);
  }
  return spans;
}

Value Applier::call(const ops::Entry& entry, std::span<Value> args, std::span<Value> rest, uint32_t literals,
                    Span whole, std::span<const Span> operands, const Frame& f) const {
  const OptionalSourceScope place(staging_, whole, operands, operands.empty() ? nullptr : &entry, f);
  try {
    return ops::call(*builder_, entry, args, rest, literals);
  } catch (...) {
    reporter_.raise(current_error(), whole, operands, &f, operands.empty() ? nullptr : &entry);
  }
}

}  // namespace covec
