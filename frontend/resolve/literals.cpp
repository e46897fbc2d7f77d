// See literals.hpp.
#include "frontend/resolve/literals.hpp"

namespace covec::resolve {

using messages::message;

core::Expr* Literals::number(const ast::Number& n, bool negative) {
  if (n.is_float) return nodes_.constant(negative ? -n.real : n.real, n.span, true);
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  if (n.integer == kLimit && !negative) {
    problems_.report(message("number_too_large"), n.span, {problems_.text(n.span), "i64"}).hint =
        "write it as a float, with a dot";
  }
  uint64_t bits = negative ? uint64_t{0} - n.integer : n.integer;
  return nodes_.constant(static_cast<int64_t>(bits), n.span, true);
}

core::Expr* Literals::negated(const ast::Unary& u) {
  core::Expr* out = number(*static_cast<const ast::Number*>(u.operand), true);
  out->span = u.span;
  return out;
}

}  // namespace covec::resolve
