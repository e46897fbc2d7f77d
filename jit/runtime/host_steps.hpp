// Steps that the host does for compiled code: an operator applied eagerly, statements that were not compiled, calls of
// functions. They cost more than steps of kernels, and may have effects. Start at apply_at().
#pragma once

#include "jit/runtime/slots.hpp"

namespace covec::runtime {

// Applies an operator; its error is raised where the program has it.
Value apply_at(const loops::Plan& plan, Host& host, uint32_t place, const ops::Entry& entry, std::span<Value> args,
               std::span<Value> rest, uint32_t literals);
inline Value apply_at(const loops::Plan& plan, Host& host, uint32_t place, const loops::step::Operator& op,
                      std::span<Value> operands) {
  return apply_at(plan, host, place, *op.entry, operands.first(op.parameters), operands.subspan(op.parameters),
                  op.literals);
}
// Runs the statements of a step (Host::interpret).
void interpret(const loops::Plan& plan, Host& host, const loops::Step& step, const ir::Operation& operation,
               Slots& slots);
// Calls a function that only the run knows.
void call(const loops::Plan& plan, Host& host, const loops::Step& step, Slots& slots);

}  // namespace covec::runtime
