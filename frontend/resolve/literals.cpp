// See literals.hpp.
#include "frontend/resolve/literals.hpp"

#include <cstdint>

namespace covec::resolve {

using messages::message;

core::Expr* Literals::number(const ast::Number& n, bool negative) {
  if (n.imaginary) {
    const std::complex<double> z(negative ? -0.0 : 0.0, negative ? -n.real : n.real);
    return nodes_.constant(z, n.span, true);
  }
  if (n.is_float) return nodes_.constant(negative ? -n.real : n.real, n.span, true);
  constexpr uint64_t kLimit = uint64_t{1} << 63;  // 2^63, one more than the largest i64: only -2^63 has it
  if (n.integer == kLimit && !negative) {
    problems_.report(message("number_too_large"), n.span, {problems_.text(n.span), "i64"}).hint =
        "write it as a float, with a dot";
  }
  uint64_t bits = negative ? uint64_t{0} - n.integer : n.integer;
  core::Expr* out = nodes_.constant(static_cast<int64_t>(bits), n.span, true);
  exact_.emplace(out, static_cast<int64_t>(bits));
  return out;
}

core::Expr* Literals::negated(const ast::Unary& u) {
  core::Expr* out = number(*static_cast<const ast::Number*>(u.operand), true);
  out->span = u.span;
  return out;
}

// --- numbers of several parts ---

Literals::Exact Literals::bounded(Exact number) { return number > huge || number < -huge ? huge : number; }

Literals::Exact Literals::power(Exact base, Exact exponent) {
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  Exact product = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(product, base, &product) || bounded(product) == huge) return huge;
  }
  return product;
}

// False where it is another kind of number, or an error that the run reports.
bool Literals::compute(Operator op, Exact left, Exact right, Exact& result) {
  if (left == huge || right == huge) {
    result = huge;
    return true;
  }
  switch (op) {
    case Operator::negate: result = -left; break;
    case Operator::plus: result = left; break;
    case Operator::add: result = left + right; break;
    case Operator::sub: result = left - right; break;
    case Operator::mul:
      if (__builtin_mul_overflow(left, right, &result)) result = huge;
      break;
    case Operator::pow:
      if (right < 0) return false;
      result = power(left, right);
      break;
    default: return false;
  }
  result = bounded(result);
  return true;
}

const Literals::Exact* Literals::exact(const core::Expr* e) const {
  const auto found = e == nullptr ? exact_.end() : exact_.find(e);
  return found == exact_.end() ? nullptr : &found->second;
}

void Literals::combine(Operator op, const core::Expr& whole, const core::Expr* left, const core::Expr* right) {
  const Exact *of_left = exact(left), *of_right = exact(right);
  Exact result;
  if (of_left != nullptr && (of_right != nullptr || right == nullptr) &&
      compute(op, *of_left, of_right != nullptr ? *of_right : Exact{0}, result)) {
    exact_.emplace(&whole, result);
    return;
  }
  settle(left);
  settle(right);
}

void Literals::settle(const core::Expr* whole) {
  const Exact* number = exact(whole);
  if (number == nullptr || (*number >= INT64_MIN && *number <= INT64_MAX)) return;
  problems_.report(message("number_too_large"), whole->span, {problems_.text(whole->span), "i64"}).hint =
      "write it as a float, with a dot";
}

namespace {

// `[0] + [e for …]`: one number, written out, and brackets of more.
bool may_mean_to_join(const ast::Binary& b) {
  if (b.op != Operator::add) return false;
  const auto is_number = [](const ast::Expr* e) {
    if (e->kind != ast::ExprKind::tensor) return false;
    const ast::List<ast::Expr*>& items = static_cast<const ast::Tensor*>(e)->items;
    return items.size() == 1 && (*items.begin())->kind == ast::ExprKind::number;
  };
  const auto is_more = [](const ast::Expr* e) {
    return e->kind == ast::ExprKind::comprehension ||
           (e->kind == ast::ExprKind::tensor && static_cast<const ast::Tensor*>(e)->items.size() > 1);
  };
  return (is_number(b.left) && is_more(b.right)) || (is_more(b.left) && is_number(b.right));
}

}  // namespace

void Literals::warn_of_joining(const ast::Binary& b) {
  if (may_mean_to_join(b)) problems_.warn(message("adds_brackets"), b.span);
}

}  // namespace covec::resolve
