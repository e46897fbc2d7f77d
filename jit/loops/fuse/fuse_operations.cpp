// What fusion asks about a single operation: whether it is elementwise, what it costs, how it can fail.
#include <algorithm>

#include "jit/loops/build_code.hpp"
#include "jit/loops/build_kernel.hpp"
#include "jit/loops/fuse/fuse.hpp"
#include "jit/loops/operands.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"

namespace covec::loops {

namespace {

using ir::Id;
using ir::is_symbol;

bool is_kernel_operand(const ir::Graph& graph, const Value& value) {
  return value.is_numeric() || (is_symbol(value) && !graph.values[ir::id_of(value)].boxed);
}

unsigned operand_count(const ir::Operation& operation) {
  const ops::PointwiseInfo& info = operation.entry->pointwise->info;
  return info.arity - (info.parameter ? 1u : 0u);
}

bool is_slow(const KernelInstruction& instruction) {
  using Op = ops::ScalarOp;
  constexpr Op slow[] = {Op::div,          Op::sqrt,          Op::remainder,     Op::floor_divide,
                         Op::floor_modulo, Op::integer_power, Op::common_divisor};
  return instruction.kind == KernelInstruction::Kind::scalar &&
         std::ranges::find(slow, instruction.op) != std::end(slow);
}

}  // namespace

Weight weight_of(std::span<const KernelInstruction> code) {
  return {static_cast<uint32_t>(code.size()), static_cast<uint32_t>(std::ranges::count_if(code, is_slow))};
}

bool shapes_may_fail(const ir::Graph& graph, const ir::Operation& operation) {
  Shape shape;
  bool unknown = false;
  for (unsigned i = 0; i < operand_count(operation) && !unknown; ++i) {
    shape = broadcast(shape, shape_of(graph, operation.args[i]), [&](unsigned, Dim a, Dim b) {
      unknown |= fit(a, b) == Fit::unknown;
      return joined(a, b);
    });
  }
  return unknown;
}

Weight weigh(const ir::Graph& graph, const ir::Operation& operation) {
  Kernel kernel;
  KernelBuilder builder(kernel);
  std::vector<Value> args = operation.args;
  std::vector<ops::ScalarRef> operands;
  for (unsigned i = 0; i < operand_count(operation); ++i) {
    const Value& value = args[i];
    if (value.is_scalar())
      operands.push_back(builder.constant(value.scalar_dtype(), bits_of(value)));
    else
      operands.push_back(builder.load(dtype_of(graph, value), i));
  }
  const auto before = static_cast<uint32_t>(kernel.code.size());
  const ops::Call call{*operation.entry, args, {}, operation.literals};
  if (const auto failing = ops::lower_pointwise_failure(builder, call, operands)) builder.fail_where(*failing);
  builder.apply(call, operands);
  Weight weight = weight_of(std::span(kernel.code).subspan(before));
  weight.fails = kernel.fails != Kernel::never;
  return weight;
}

bool is_elementwise(const ir::Graph& graph, const ir::Operation& operation) {
  if (operation.kind != ir::Kind::apply || operation.entry->pointwise == nullptr) return false;
  const ir::ValueInfo& result = graph.values[operation.results[0]];
  if (result.boxed || result.type.shape.empty() || !operation.rest.empty()) return false;
  for (size_t i = 0; i < operation.args.size(); ++i) {
    const bool good =
        i < operand_count(operation) ? is_kernel_operand(graph, operation.args[i]) : operation.args[i].is_scalar();
    if (!good) return false;
  }
  return true;
}

bool is_number_operation(const ir::Graph& graph, const ir::Operation& operation) {
  if (operation.kind != ir::Kind::apply || operation.entry->pointwise == nullptr || !operation.rest.empty())
    return false;
  for (size_t i = 0; i < operation.args.size(); ++i) {
    const Value& value = operation.args[i];
    if (i < operand_count(operation) ? !is_number(graph, value) : !value.is_scalar()) return false;
  }
  return is_number(graph, operation.results[0]);
}

void each_use(const ir::Operation& operation, FunctionRef<void(Id)> f) {
  for (const Value& value : operation.args) ir::each_symbol(value, f);
  for (const Value& value : operation.rest) ir::each_symbol(value, f);
}

}  // namespace covec::loops
