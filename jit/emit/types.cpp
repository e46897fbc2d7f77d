#include "jit/emit/types.hpp"

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::emit {

using loops::Instruction;
using loops::Launch;
using loops::Operand;
using loops::SlotId;
using loops::Step;

int64_t SlotType::elements() const {
  int64_t product = 1;
  for (const int64_t extent : extents) product *= extent;
  return product;
}

std::string text_of(const SlotType& type) {
  std::string text(name_of(type.dtype));
  for (size_t k = 0; k < type.rank(); ++k) text += (k == 0 ? "[" : ", ") + std::to_string(type.extents[k]);
  return type.number ? text : text + "]";
}

SlotType type_of(const Value& value, uint32_t place) {
  if (!value.is_numeric())
    throw Refusal{value.is_none() ? "it holds " + describe(value) : "it holds a " + describe(value), place};
  SlotType type{dtype_of(value), !value.is_tensor()};
  if (value.is_tensor()) type.extents.assign(value.tensor().dims().begin(), value.tensor().dims().end());
  return type;
}

SlotType type_of(const ir::Graph& graph, ir::Id id, uint32_t place) {
  const ir::ValueInfo& info = graph.values[id];
  if (info.list) throw Refusal{"it has a list whose length only the run knows", place};
  if (info.boxed) throw Refusal{"it has a value whose type only the run knows", place};
  SlotType type{info.type.dtype, info.type.shape.empty()};
  for (const Dim dim : info.type.shape) {
    if (!dim.known()) throw Refusal{"it has a tensor whose extents only the run knows", place};
    type.extents.push_back(dim.number());
  }
  return type;
}

namespace {

class Finder {
 public:
  explicit Finder(const loops::Plan& plan) : plan_(plan), graph_(*plan.graph), types_(plan.slots) {}

  std::vector<std::optional<SlotType>> find() {
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (plan_.inputs[i] != Step::nowhere)
        set(plan_.inputs[i], type_of(graph_, graph_.body.parameters[i], Refusal::nowhere), Refusal::nowhere);
    }
    for (const auto& [slot, value] : plan_.constants)
      set(slot, emit::type_of(value, Refusal::nowhere), Refusal::nowhere);
    for (const Instruction& i : plan_.program.code.instructions) look(i);
    for (const Launch& launch : plan_.launches) look(launch);
    for (const Step& step : plan_.steps) look(step);
    do changed_ = false, flow();
    while (changed_);
    return std::move(types_);
  }

 private:
  void set(SlotId slot, const SlotType& type, uint32_t place) {
    if (slot == Step::nowhere) return;
    if (!types_[slot]) {
      types_[slot] = type;
      changed_ = true;
    } else if (*types_[slot] != type) {
      throw Refusal{"a variable of it holds tensors of several shapes or dtypes", place};
    }
  }
  void look(const Instruction& i) {
    const std::vector<Dtype>& registers = plan_.program.code.registers;
    if (i.kind == Instruction::Kind::store) set(i.slot, {registers[i.operands[0]]}, Refusal::nowhere);
    if (i.kind == Instruction::Kind::load) set(i.slot, {registers[i.to]}, Refusal::nowhere);
    for (const Instruction::Saved& saved : i.saves) set(saved.slot, {registers[saved.number]}, Refusal::nowhere);
  }
  void look(const Launch& launch) {
    for (const Launch::Output& output : launch.outputs) {
      const Launch::Member& member = launch.members[output.member];
      set(output.slot, type_of(graph_, member.value, member.place), member.place);
    }
    for (const Launch::Reduction& reduction : launch.reductions)
      set(reduction.slot, result_of(launch, reduction), reduction.place);
  }
  SlotType result_of(const Launch& launch, const Launch::Reduction& reduction) const {
    const SlotType from = emit::type_of(graph_, launch.members[reduction.member].value, reduction.place);
    const Shape shape =
        ops::reduced_shape(Shape(from.extents.data(), from.extents.size()), {reduction.axes, reduction.keepdims});
    SlotType type{reduction.entry->reduce->result(reduction.dtype), shape.empty()};
    for (const Dim dim : shape) type.extents.push_back(dim.number());
    return type;
  }
  // What a step leaves that is an operation of the graph. Values of no type (what `require` gives) go nowhere.
  void look(const Step& step) {
    if (step.operation == nullptr || step.kind == Step::Kind::push) return;
    const std::vector<ir::Id>& ids = step.operation->results;
    for (size_t k = 0; k < step.results.size() && k < ids.size(); ++k) {
      if (step.results[k] == Step::nowhere || (graph_.values[ids[k]].boxed && step.kind == Step::Kind::apply)) continue;
      if (step.kind == Step::Kind::apply || step.kind == Step::Kind::undefined || step.kind == Step::Kind::dimension ||
          step.kind == Step::Kind::pop)
        set(step.results[k], type_of(graph_, ids[k], step.place), step.place);
    }
  }
  void flow() {
    for (const Step& step : plan_.steps) {
      if (step.kind != Step::Kind::move && step.kind != Step::Kind::box) continue;
      for (size_t k = 0; k < step.results.size(); ++k) {
        const Operand& operand = step.operands[k];
        if (operand.kind == Operand::Kind::tree)
          throw Refusal{"it puts a tuple, list or record into a variable whose type only the run knows", step.place};
        if (operand.kind == Operand::Kind::constant)
          set(step.results[k], emit::type_of(operand.value, step.place), step.place);
        else if (types_[operand.slot])
          set(step.results[k], *types_[operand.slot], step.place);
      }
    }
  }

  const loops::Plan& plan_;
  const ir::Graph& graph_;
  std::vector<std::optional<SlotType>> types_;
  bool changed_ = false;
};

}  // namespace

std::vector<std::optional<SlotType>> find_types(const loops::Plan& plan) { return Finder(plan).find(); }

}  // namespace covec::emit
