// A unit of elementwise operations becomes a Kernel and the Launch that runs it: arrays are the kernel's inputs,
// numbers come as words, what is needed afterwards is an output, and a reduction of the last operation takes its
// elements as one more output. Start at Building::launch.
#include <algorithm>

#include "jit/loops/build_context.hpp"
#include "jit/loops/build_reduce.hpp"
#include "jit/loops/narrow.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;
using Source = Launch::Source;

struct Building::LaunchBuilder {
  Building& building;
  const ir::Graph& graph = building.graph_;
  Kernel kernel{};
  KernelBuilder code{kernel, building.options_.outline};
  Launch launch{};
  std::unordered_map<Id, uint32_t> members{};
  std::vector<ops::ScalarRef> values{};  // of the members
  std::unordered_map<SlotId, uint32_t> inputs{}, numbers{};

  Dtype dtype_of_tensor(const Value& value) const {
    return is_symbol(value) ? graph.values[id_of(value)].type.dtype : dtype_of(value);
  }

  // Where an operand comes from, and its number in the kernel.
  Source source(const Value& value, ops::ScalarRef& ref) {
    if (value.is_scalar()) {
      ref = code.constant(value.scalar_dtype(), bits_of(value));
      return {Source::Kind::constant, 0, value};
    }
    if (is_symbol(value)) {
      if (const auto member = members.find(id_of(value)); member != members.end()) {
        ref = values[member->second];
        return {Source::Kind::member, member->second, Value()};
      }
      if (building.is_number(id_of(value))) return number(id_of(value), ref);
    }
    return input(value, ref);
  }

  Source number(Id id, ops::ScalarRef& ref) {
    const SlotId slot = building.stored(id);
    const auto [found, added] = numbers.try_emplace(slot, static_cast<uint32_t>(kernel.numbers.size()));
    const Dtype dtype = graph.values[id].type.dtype;
    if (added) {
      kernel.numbers.push_back(dtype);
      launch.numbers.push_back(slot);
    }
    ref = code.number(dtype, found->second);
    return {Source::Kind::number, found->second, Value()};
  }

  Source input(const Value& value, ops::ScalarRef& ref) {
    const SlotId slot = building.slot_of(value);
    const Dtype dtype = dtype_of_tensor(value);
    const auto [found, added] = inputs.try_emplace(slot, static_cast<uint32_t>(kernel.inputs.size()));
    if (added) {
      kernel.inputs.push_back({dtype, false});
      const bool last = is_symbol(value) && building.takes(id_of(value));
      launch.inputs.push_back({slot, last, dtype});
      launch.bytes_read += static_cast<uint32_t>(size_of(dtype));
      const Shape shape = is_symbol(value) ? graph.values[id_of(value)].type.shape : shape_of(value);
      if (!shape.empty() && shape[shape.rank() - 1] == Dim(1)) launch.columns |= uint64_t{1} << found->second;
    }
    ref = code.load(dtype, found->second);
    return {Source::Kind::input, found->second, Value()};
  }

  void member(const ir::Operation& operation, Boundary boundary) {
    Launch::Member& member = launch.members.emplace_back();
    const ops::PointwiseInfo& info = operation.entry->pointwise->info;
    member.entry = operation.entry;
    member.operands = info.arity - (info.parameter ? 1u : 0u);
    member.literals = operation.literals;
    member.place = operation.place;
    member.value = operation.results[0];
    member.boundary = boundary;
    std::vector<ops::ScalarRef> refs(member.operands);
    for (uint32_t i = 0; i < operation.args.size(); ++i) {
      if (i < member.operands)
        member.args.push_back(source(operation.args[i], refs[i]));
      else
        member.args.push_back({Source::Kind::constant, 0, operation.args[i]});
    }
    std::vector<Value> args = operation.args;
    const ops::Call call{*operation.entry, args, {}, operation.literals};
    if (const auto failing = ops::lower_pointwise_failure(code, call, refs)) code.fail_where(*failing);
    values.push_back(code.apply(call, refs));
    members.emplace(member.value, static_cast<uint32_t>(launch.members.size() - 1));
    const Shape& shape = graph.values[member.value].type.shape;
    if (shape.rank() >= launch.extents.rank()) launch.extents = shape;
  }

  void output(uint32_t member, SlotId slot) {
    const Dtype dtype = graph.values[launch.members[member].value].type.dtype;
    kernel.outputs.push_back({values[member].id, dtype});
    if (slot == Building::nowhere) return;
    launch.outputs.push_back({member, slot, dtype});
    launch.bytes_written += static_cast<uint32_t>(size_of(dtype));
  }

  void count() {
    for (const KernelInstruction& i : kernel.code) {
      launch.flops += i.kind == KernelInstruction::Kind::scalar && is_float(i.dtype);
    }
    launch.weight = std::max<uint32_t>(1, static_cast<uint32_t>(kernel.code.size()) / 4);
    launch.can_fail = kernel.fails != Kernel::never;
  }
};

// Inputs with one element for each row of a result that is wider, as far as is known.
void Building::add_row_kernel(Launch& launch) {
  const Shape& extents = launch.extents;
  if (launch.columns == 0 || extents.empty() || extents[extents.rank() - 1] == Dim(1)) return;
  Kernel kernel = plan_->program.kernels[launch.kernel];
  kernel.name += "_rows";
  for (size_t i = 0; i < kernel.inputs.size(); ++i) kernel.inputs[i].uniform = (launch.columns >> i & 1) != 0;
  launch.row_kernel = static_cast<uint32_t>(plan_->program.kernels.size());
  plan_->program.kernels.push_back(std::move(kernel));
}

void Building::launch(const Unit& unit) {
  LaunchBuilder builder{*this};
  for (size_t i = 0; i < unit.operations.size(); ++i) builder.member(*unit.operations[i], unit.boundaries[i]);
  for (uint32_t m = 0; m < builder.launch.members.size(); ++m) {
    const Id id = builder.launch.members[m].value;
    const auto last = scope_->block.last.find(id);
    if (last != scope_->block.last.end() && last->second > scope_->at) builder.output(m, define_slot(id));
  }
  if (unit.reduction != nullptr) {
    Launch::Reduction reduction = describe_reduction(graph_, *unit.reduction);
    reduction.member = builder.members.at(id_of(unit.reduction->args[0]));
    reduction.slot = result_slot(unit.reduction->results[0]);
    builder.output(reduction.member, nowhere);
    builder.launch.reductions.push_back(std::move(reduction));
  }
  take_converted_numbers(builder.kernel, builder.launch);
  builder.launch.number_dtypes = builder.kernel.numbers;
  builder.count();
  builder.kernel.name = graph_.name + "_kernel" + std::to_string(plan_->program.kernels.size());
  builder.launch.kernel = static_cast<uint32_t>(plan_->program.kernels.size());
  Step step;
  step.kind = Step::Kind::launch;
  step.place = builder.launch.members[0].place;
  step.number = static_cast<int64_t>(plan_->launches.size());
  plan_->program.kernels.push_back(std::move(builder.kernel));
  add_row_kernel(builder.launch);
  plan_->launches.push_back(std::move(builder.launch));
  code_.step(add_step(std::move(step)));
  if (unit.reduction != nullptr) load_result(unit.reduction->results[0]);
}

}  // namespace covec::loops
