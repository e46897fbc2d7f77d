// See nodes.hpp.
#include "frontend/core/nodes.hpp"

#include <utility>

namespace covec::resolve {

core::Constant* Nodes::constant(core::ConstantValue value, Span span, bool literal) {
  auto* out = make<core::Constant>(span);
  out->value = std::move(value);
  out->literal = literal;
  out->id = static_cast<uint32_t>(unit_.constants.size());
  unit_.constants.push_back(out);
  return out;
}

core::Op* Nodes::apply(Operator op, Span span, core::Expr* left, core::Expr* right) {
  const Builtin& builtin = builtins_.of(op);
  auto* out = make<core::Op>(span);
  out->builtin = &builtin;
  out->entry = builtin.entry;
  out->args = right == nullptr ? std::vector<core::Expr*>{left} : std::vector<core::Expr*>{left, right};
  out->literal = left->literal && (right == nullptr || right->literal);
  return out;
}

core::Op* Nodes::variadic(Operator op, Span span) {
  const Builtin& builtin = builtins_.of(op);
  auto* out = make<core::Op>(span);
  out->builtin = &builtin;
  out->entry = builtin.entry;
  out->args.assign(builtin.parameters.size(), nullptr);
  return out;
}

}  // namespace covec::resolve
