#include "jit/loops/build/launch.hpp"

#include <algorithm>

#include "jit/loops/build_kernel.hpp"
#include "jit/loops/build_reduce.hpp"
#include "jit/loops/narrow.hpp"
#include "jit/loops/operands.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;
using Source = Launch::Source;

namespace {

// One unit's kernel and launch while they grow, operation by operation.
class Growing {
 public:
  Growing(const ir::Graph& graph, Scopes& scopes, Placement& places)
      : graph_(graph), scopes_(scopes), places_(places), code_(kernel) {}
  void member(const ir::Operation& operation, Boundary boundary);
  // The member's value goes to the slot; nowhere: to what reduces it.
  void output(uint32_t member, SlotId slot);
  uint32_t member_of(Id id) const { return members_.at(id); }
  void finish();

  Kernel kernel;
  Launch launch;

 private:
  Source source(const Value& value, ops::ScalarRef& ref);
  Source number(Id id, ops::ScalarRef& ref);
  Source input(const Value& value, ops::ScalarRef& ref);
  uint32_t add_input(const Value& value, SlotId slot);

  const ir::Graph& graph_;
  Scopes& scopes_;
  Placement& places_;
  KernelBuilder code_;
  std::unordered_map<Id, uint32_t> members_;
  std::vector<ops::ScalarRef> values_;  // of the members
  std::unordered_map<SlotId, uint32_t> inputs_, numbers_;
};

// Where an operand comes from, and its number in the kernel.
Source Growing::source(const Value& value, ops::ScalarRef& ref) {
  if (value.is_scalar()) {
    ref = code_.constant(value.scalar_dtype(), bits_of(value));
    return {Source::Kind::constant, 0, value};
  }
  if (is_symbol(value)) {
    if (const auto member = members_.find(id_of(value)); member != members_.end()) {
      ref = values_[member->second];
      return {Source::Kind::member, member->second, Value()};
    }
    if (is_number(graph_, id_of(value))) return number(id_of(value), ref);
  }
  return input(value, ref);
}

Source Growing::number(Id id, ops::ScalarRef& ref) {
  const bool stays = places_.may_stay(id);
  const SlotId slot = stays ? places_.slot(id) : places_.stored(id);
  const auto [found, added] = numbers_.try_emplace(slot, static_cast<uint32_t>(kernel.numbers.size()));
  const Dtype dtype = graph_.values[id].type.dtype;
  if (added) {
    kernel.numbers.push_back(dtype);
    launch.numbers.push_back(slot);
    kernel.staying.push_back(stays);
  }
  ref = code_.number(dtype, found->second);
  return {Source::Kind::number, found->second, Value()};
}

Source Growing::input(const Value& value, ops::ScalarRef& ref) {
  const SlotId slot = places_.slot_of(value);
  const auto found = inputs_.find(slot);
  const uint32_t input = found != inputs_.end() ? found->second : add_input(value, slot);
  ref = code_.load(dtype_of(graph_, value), input);
  return {Source::Kind::input, input, Value()};
}

uint32_t Growing::add_input(const Value& value, SlotId slot) {
  const auto input = static_cast<uint32_t>(kernel.inputs.size());
  inputs_.emplace(slot, input);
  const Dtype dtype = dtype_of(graph_, value);
  const Shape shape = shape_of(graph_, value);
  kernel.inputs.push_back({dtype, false});
  launch.inputs.push_back({slot, is_symbol(value) && scopes_.takes(id_of(value)), dtype});
  launch.bytes_read += static_cast<uint32_t>(size_of(dtype));
  if (!shape.empty() && shape[shape.rank() - 1] == Dim(1)) launch.columns |= uint64_t{1} << input;
  return input;
}

void Growing::member(const ir::Operation& operation, Boundary boundary) {
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
  const size_t before = kernel.code.size();
  if (const auto failing = ops::lower_pointwise_failure(code_, call, refs)) code_.fail_where(*failing);
  values_.push_back(code_.apply(call, refs));
  member.cheap = weight_of(std::span(kernel.code).subspan(before)).cheap();
  members_.emplace(member.value, static_cast<uint32_t>(launch.members.size() - 1));
  const Shape& shape = graph_.values[member.value].type.shape;
  if (shape.rank() >= launch.extents.rank()) launch.extents = shape;
}

void Growing::output(uint32_t member, SlotId slot) {
  const Dtype dtype = graph_.values[launch.members[member].value].type.dtype;
  kernel.outputs.push_back({values_[member].id, dtype});
  if (slot == Step::nowhere) return;
  launch.outputs.push_back({member, slot, dtype});
  launch.bytes_written += static_cast<uint32_t>(size_of(dtype));
}

// Inputs that the results of all outputs are made of.
uint64_t decisive_inputs(const Launch& launch) {
  std::vector<uint64_t> made_of(launch.members.size());
  for (size_t m = 0; m < launch.members.size(); ++m) {
    const Launch::Member& member = launch.members[m];
    for (uint32_t i = 0; i < member.operands; ++i) {
      const Launch::Source& source = member.args[i];
      if (source.kind == Launch::Source::Kind::input) made_of[m] |= source.index < 64 ? uint64_t{1} << source.index : 0;
      if (source.kind == Launch::Source::Kind::member) made_of[m] |= made_of[source.index];
    }
  }
  uint64_t all = ~uint64_t{0};
  for (const Launch::Output& output : launch.outputs) all &= made_of[output.member];
  for (const Launch::Reduction& reduction : launch.reductions) all &= made_of[reduction.member];
  return launch.outputs.empty() && launch.reductions.empty() ? made_of.back() : all;
}

void Growing::finish() {
  take_converted_numbers(kernel, launch);
  kernel = with_half_as_f32(kernel);
  launch.number_dtypes = kernel.numbers;
  for (const KernelInstruction& i : kernel.code) {
    launch.flops += i.kind == KernelInstruction::Kind::scalar && is_float(i.dtype);
  }
  launch.weight = std::max<uint32_t>(1, static_cast<uint32_t>(kernel.code.size()) / 4);
  launch.can_fail = kernel.fails != Kernel::never;
}

}  // namespace

uint32_t LaunchBuilder::add(Kernel kernel) {
  plan_.program.kernels.push_back(std::move(kernel));
  return static_cast<uint32_t>(plan_.program.kernels.size() - 1);
}

// Inputs with one element for each row of a result that is wider, as far as is known.
void LaunchBuilder::add_row_kernel(Launch& launch) {
  const Shape& extents = launch.extents;
  if (launch.columns == 0 || extents.empty() || extents[extents.rank() - 1] == Dim(1)) return;
  Kernel kernel = plan_.program.kernels[launch.kernel];
  kernel.name += "_rows";
  for (size_t i = 0; i < kernel.inputs.size(); ++i) kernel.inputs[i].uniform = (launch.columns >> i & 1) != 0;
  launch.row_kernel = add(std::move(kernel));
}

SlotId LaunchBuilder::result_slot(Id id) {
  if (!places_.may_stay(id)) return places_.define_slot(id);
  const SlotId slot = places_.fresh_slot();
  places_.define_staying(id, slot);
  return slot;
}

// The product of matrices that the kernel goes on with, as a step that the code does not call itself.
uint32_t LaunchBuilder::product(const ir::Operation& operation) {
  Step step = steps_.describe(operation, steps_.application(operation));
  step.results = {places_.slot(operation.results[0])};
  return steps_.add(std::move(step));
}

// Stores the kernel's result into a part of a tensor. The launch may do that itself where nobody needs the tensor as
// it was.
void LaunchBuilder::update(const ir::Operation& operation, Step step) {
  steps_.drop_dead_values(step);
  step.results = {steps_.result_slot(operation.results[0])};
  const auto moves = [](const Operand& operand) { return operand.kind == Operand::Kind::slot && operand.last; };
  auto& apply = std::get<step::Apply>(step.action);
  apply.unless_done = moves(step.operands[0]) && moves(step.operands[1]);
  if (apply.unless_done) plan_.launches.back().into = static_cast<uint32_t>(plan_.steps.size());
  steps_.call(std::move(step));
}

void LaunchBuilder::launch(const Unit& unit) {
  if (unit.product != nullptr) places_.define_slot(unit.product->results[0]);
  Growing growing(graph_, scopes_, places_);
  for (size_t i = 0; i < unit.operations.size(); ++i) growing.member(*unit.operations[i], unit.boundaries[i]);
  for (uint32_t m = 0; m < growing.launch.members.size(); ++m) {
    const Id id = growing.launch.members[m].value;
    const bool stored = unit.update != nullptr && id == id_of(unit.update->args[1]);
    if (stored || scopes_.is_needed_later(id)) growing.output(m, result_slot(id));
  }
  if (unit.reduction != nullptr) {
    Launch::Reduction reduction = describe_reduction(graph_, *unit.reduction);
    reduction.member = growing.member_of(id_of(unit.reduction->args[0]));
    reduction.slot = steps_.result_slot(unit.reduction->results[0]);
    reduction.stays = places_.may_stay(unit.reduction->results[0]);
    growing.output(reduction.member, Step::nowhere);
    growing.launch.reductions.push_back(std::move(reduction));
  }
  growing.launch.decisive = decisive_inputs(growing.launch);
  growing.launch.of_numbers = is_number(graph_, unit.operations[0]->results[0]);
  growing.finish();
  growing.kernel.name = graph_.name + "_kernel" + std::to_string(plan_.program.kernels.size());
  Step step{.action = step::RunLaunch{static_cast<uint32_t>(plan_.launches.size())},
            .place = growing.launch.members[0].place};
  if (unit.product != nullptr) growing.launch.product = product(*unit.product);
  growing.launch.kernel = add(std::move(growing.kernel));
  add_row_kernel(growing.launch);
  plan_.launches.push_back(std::move(growing.launch));
  Step setting;  // described before the launch is called, which reads its indices
  if (unit.update != nullptr) setting = steps_.describe(*unit.update, steps_.application(*unit.update));
  steps_.call(std::move(step));
  if (unit.update != nullptr) update(*unit.update, std::move(setting));
  if (unit.reduction != nullptr) steps_.load_result(unit.reduction->results[0]);
}

}  // namespace covec::loops
