// The last use of a variable moves it into its operator, so that its storage can be reused for the result. If the
// operator fails, the variable is moved back.
#include "interpreter/eval/walk/operators.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/apply/source_scope.hpp"
#include "interpreter/eval/apply/tree_operators.hpp"
#include "interpreter/eval/values/arithmetic.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

// A module-level variable that its statement replaces may move into the operator, after all other operands are known.
bool moves_global(const core::Expr* expr) {
  return expr && expr->kind == core::ExprKind::global && static_cast<const core::Global*>(expr)->last_use;
}

// The operands hold them now, alone.
void take_globals(const core::Op& op, const Frame& f) {
  for (const core::Expr* expr : op.args) {
    if (moves_global(expr)) f.globals[static_cast<const core::Global*>(expr)->slot] = Value::unbound();
  }
}

// Gives back, when the operator fails, what was moved out of variables and not yet consumed.
class OperandReuse {
 public:
  OperandReuse(const core::Op& op, std::span<Value> args, Value* globals, Value* locals)
      : op_(op), args_(args), globals_(globals), locals_(locals) {}
  void restore() {
    for (size_t i = 0; i < op_.args.size() && i < args_.size(); ++i) {
      const core::Expr* expr = op_.args[i];
      if (!expr || !args_[i].is_object()) continue;
      if (moves_global(expr)) {
        globals_[static_cast<const core::Global*>(expr)->slot] = std::move(args_[i]);
      } else if (expr->kind == core::ExprKind::local && static_cast<const core::Local*>(expr)->last_use) {
        locals_[static_cast<const core::Local*>(expr)->slot] = std::move(args_[i]);
      }
    }
  }

 private:
  const core::Op& op_;
  std::span<Value> args_;
  Value* globals_;
  Value* locals_;
};

}  // namespace

Raw Operators::apply_binary(const core::Op& op, Frame& f) {
  parts_.stack.check(f, op.span);
  const core::Expr* const* args = op.args.data();
  const Raw left = operand(*args[0], f);
  if (left.tag == Tag::object) return finish_object(op, left, f);
  return finish_binary(op, left, operand(*args[1], f), f);
}

// A string with a constant; false: this is something else.
bool Operators::compare_text(const core::Op& op, const Object* left, const Frame& f, Raw& result) {
  if (left->kind != ObjectKind::string || op.args[1]->kind != core::ExprKind::constant) return false;
  const Value& right = f.constants[static_cast<const core::Constant&>(*op.args[1]).id];
  return right.is(ObjectKind::string) &&
         quick_texts(engine_builtin(*op.builtin).quick, static_cast<const String*>(left)->text, right.string().text,
                     result);
}

Raw Operators::finish_object(const core::Op& op, Raw left, Frame& f) {
  Raw result;
  if (left.tag == Tag::object && compare_text(op, left.object, f, result)) {
    release(left.object);
    return result;
  }
  Window args(parts_.stack, 2);
  args[0] = own(left);
  args[1] = parts_.expressions.value_of(*op.args[1], f);
  if (args[0].is(ObjectKind::string) && args[1].is(ObjectKind::string) &&
      quick_texts(engine_builtin(*op.builtin).quick, args[0].string().text, args[1].string().text, result))
    return result;
  return apply_two(op, args.span(), f);
}

Raw Operators::finish_binary(const core::Op& op, Raw left, Raw right, Frame& f) {
  Raw result;
  if (quick_binary(engine_builtin(*op.builtin).quick, left, right, result)) return result;
  if (engine_builtin(*op.builtin).quick == Quick::pow && op.args[1]->literal && right.tag == Tag::i64 &&
      right.i64 == 2 && quick_binary(Quick::mul, left, left, result)) {
    return result;
  }
  Window args(parts_.stack, 2);
  args[0] = own(left);
  args[1] = own(right);
  return apply_two(op, args.span(), f);
}

Raw Operators::apply_unary(const core::Op& op, Frame& f) {
  parts_.stack.check(f, op.span);
  const Raw value = operand(*op.args[0], f);
  Raw result;
  if (quick_unary(engine_builtin(*op.builtin).quick, value, result)) return result;
  Value held = own(value);
  return apply_with(op, f, &held);
}

Raw Operators::apply_two(const core::Op& op, std::span<Value> args, Frame& f) {
  const core::Expr& left = *op.args[0];
  const core::Expr& right = *op.args[1];
  const bool moves = moves_global(&left) || moves_global(&right);
  if (moves) [[unlikely]]
    take_globals(op, f);
  return call_operator(op, args, {}, uint32_t{left.literal} | uint32_t{right.literal} << 1, f);
}

// `first` is an operand that has been evaluated already.
Raw Operators::apply_with(const core::Op& op, Frame& f, Value* first) {
  parts_.stack.check(f, op.span);
  const size_t count = op.args.size();
  Window args(parts_.stack, count);
  Window rest(parts_.stack, op.rest.size());
  bool moves = false;
  uint32_t literals = 0;
  for (size_t i = 0; i < count; ++i) {
    const core::Expr* expr = op.args[i];
    if (i == 0 && first)
      args[i] = std::move(*first);
    else if (expr)
      args[i] = parts_.expressions.value_of(*expr, f);
    if (!expr) continue;
    moves = moves || moves_global(expr);
    if (i < 32) literals |= uint32_t{expr->literal} << i;
  }
  for (size_t i = 0; i < op.rest.size(); ++i) rest[i] = parts_.expressions.value_of(*op.rest[i], f);
  if (moves) take_globals(op, f);
  return call_operator(op, args.span(), rest.span(), literals, f);
}

Raw Operators::call_operator(const core::Op& op, std::span<Value> args, std::span<Value> rest, uint32_t literals,
                             Frame& f) {
  if (args.size() == 2 && rest.empty() && children(args[0]) != nullptr) {
    if (auto result = tree_operator(parts_.applier, parts_.host, op.entry, args[0], args[1], op.span, f))
      return give(std::move(*result));
  }
  parts_.applier.set_site(op.span);
  const OptionalSourceScope place(parts_.applier.staging(), op, f);
  try {
    // What goes into a list is new.
    if (op.entry == &ops::push_entry() && args.size() == 2)
      autodiff::renew_if_open(parts_.applier.builder().context(), args[1]);
    const Raw result = give(ops::call(parts_.applier.builder(), *op.entry, args, rest, literals));
    return op.entry == &ops::list_entry() ? renewed(parts_.applier.builder().context(), result) : result;
  } catch (...) {
    OperandReuse(op, args, f.globals, f.slots).restore();
    parts_.reporter.raise(current_error(), op.span, operand_spans(op), &f, op.entry);
  }
}

}  // namespace covec
