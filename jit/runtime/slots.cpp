#include "jit/runtime/slots.hpp"

namespace covec::runtime {

Value Slots::tree(const loops::Operand& operand) {
  return ir::replace_symbols(operand.value, [&](const Value& symbol) { return values_[ir::id_of(symbol)]; });
}

void Slots::move(const loops::Step& step) {
  if (step.results.size() == 1) return give(step.results[0], taken(step.operands[0]));
  with_room(step.operands.size(), [&](std::span<Value> values) {
    take_operands(step, values);
    for (size_t i = 0; i < step.results.size(); ++i) give(step.results[i], std::move(values[i]));
  });
}

}  // namespace covec::runtime
