// Makes the nodes of one unit, numbers its constants, and knows the builtin of each operator.
#pragma once

#include <utility>

#include "frontend/core/builtins.hpp"
#include "frontend/core/core.hpp"
#include "frontend/source/meter.hpp"

namespace covec::resolve {

class Nodes {
 public:
  Nodes(core::Unit& unit, const Builtins& builtins, Meter& meter) : unit_(unit), builtins_(builtins), meter_(meter) {}

  template <class Node, class... Args>
  Node* make(Args&&... args) {
    meter_.keep(sizeof(Node) + node_overhead_bytes);
    return unit_.make<Node>(std::forward<Args>(args)...);
  }
  core::Constant* constant(core::ConstantValue value, Span span, bool literal = false);
  // `right` is nullptr for an operator of one operand.
  core::Op* apply(Operator op, Span span, core::Expr* left, core::Expr* right);
  // An operator of any number of operands, without any yet.
  core::Op* variadic(Operator op, Span span);

 private:
  core::Unit& unit_;
  const Builtins& builtins_;
  Meter& meter_;
  static constexpr size_t node_overhead_bytes = 112;  // its count of uses, its place in the arena, its operands
};

}  // namespace covec::resolve
