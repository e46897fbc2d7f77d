#include "jit/emit/types.hpp"

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::emit {

using loops::Instruction;
using loops::Launch;
using loops::Operand;
using loops::SlotId;
using loops::Step;

SlotType SlotType::at(const Sample& sample) const {
  SlotType type = *this;
  for (Size& extent : type.extents) extent = extent.at(sample);
  return type;
}

Shape SlotType::shape() const {
  Shape shape;
  for (const Size& extent : extents) shape.push_back(extent.number());
  return shape;
}

std::string text_of(const SlotType& type) {
  std::string text(name_of(type.dtype));
  for (size_t k = 0; k < type.rank(); ++k) text += (k == 0 ? "[" : ", ") + type.extents[k].text();
  return type.number ? text : text + "]";
}

SlotType type_of(const Value& value, uint32_t place) {
  if (!value.is_numeric())
    throw Refusal{value.is_none() ? "it holds " + describe(value) : "it holds a " + describe(value), place};
  SlotType type{dtype_of(value), !value.is_tensor()};
  if (value.is_tensor()) type.extents.assign(value.tensor().dims().begin(), value.tensor().dims().end());
  return type;
}

// --- extents of a graph ---

Shapes::Shapes(const ir::Graph& given, const Names& names) : graph(given), names_(names) { find_makers(graph.body); }

void Shapes::find_makers(const ir::Region& region) {
  for (const ir::Operation& operation : region.operations) {
    for (const ir::Id result : operation.results) makers_[result] = &operation;
    for (const ir::Region& inner : operation.regions) find_makers(inner);
  }
}

void Shapes::refuse(ir::Id id, const std::string& what, uint32_t place) const {
  const auto maker = makers_.find(id);
  if (maker == makers_.end()) throw Refusal{"it has " + what, place};
  const ir::Operation& operation = *maker->second;
  if (operation.kind == ir::Kind::apply) throw Refusal{"gives " + what, operation.place, operation.entry};
  throw Refusal{"it has " + what, place == Refusal::nowhere ? operation.place : place};
}

SlotType Shapes::type_of(ir::Id id, uint32_t place) const {
  const ir::ValueInfo& info = graph.values[id];
  if (info.list) refuse(id, "a list whose length is known only at run time", place);
  if (info.boxed) refuse(id, "a value whose type is known only at run time", place);
  SlotType type{info.type.dtype, info.type.shape.empty()};
  for (const Dim dim : info.type.shape) {
    const std::optional<Size> extent = size(dim);
    if (!extent) refuse(unknown(dim).value_or(id), "a tensor whose extents are known only at run time", place);
    type.extents.push_back(*extent);
  }
  return type;
}

std::optional<Size> Shapes::axis(ir::Id id, unsigned axis) const {
  if (const auto name = names_.find({id, axis}); name != names_.end()) return Size::named(name->second);
  const Shape& shape = graph.values[id].type.shape;
  if (axis >= shape.rank()) return std::nullopt;
  if (shape[axis].known()) return shape[axis].number();
  const ir::DimExpression& e = graph.dims[shape[axis].id()];
  const bool own = e.kind == ir::DimExpression::Kind::axis_of && e.value == id && e.axis == axis;
  return own ? std::nullopt : size(shape[axis]);
}

std::optional<ir::Id> Shapes::unknown(Dim dim) const {
  using Kind = ir::DimExpression::Kind;
  if (size(dim)) return std::nullopt;
  const ir::DimExpression& e = graph.dims[dim.id()];
  if (e.kind == Kind::number) return std::nullopt;
  if (e.kind != Kind::axis_of) return size(e.left) ? unknown(e.right) : unknown(e.left);
  const Shape& shape = graph.values[e.value].type.shape;
  if (e.axis < shape.rank() && shape[e.axis] != dim) {
    if (const std::optional<ir::Id> before = unknown(shape[e.axis])) return before;
  }
  const auto maker = makers_.find(e.value);
  return maker != makers_.end() && maker->second->kind == ir::Kind::apply ? std::optional(e.value) : std::nullopt;
}

std::optional<Size> Shapes::size(Dim dim) const {
  using Kind = ir::DimExpression::Kind;
  if (dim.known()) return dim.number();
  const ir::DimExpression& e = graph.dims[dim.id()];
  if (e.kind == Kind::axis_of) return axis(e.value, e.axis);
  if (e.kind == Kind::number) return number(graph.symbol(e.value));
  const std::optional<Size> left = size(e.left), right = size(e.right);
  if (!left || !right) return std::nullopt;
  switch (e.kind) {
    case Kind::add: return *left + *right;
    case Kind::multiply: return *left * *right;
    case Kind::broadcast: return Size::wider(*left, *right);
    default: return Size::not_negative(*left - *right);
  }
}

std::optional<Size> Shapes::number(const Value& value) const {
  if (value.is_scalar()) {
    if (value.tag() == Tag::i64) return value.i64();
    return std::nullopt;
  }
  if (!ir::is_symbol(value)) return std::nullopt;
  const auto maker = makers_.find(ir::id_of(value));
  return maker == makers_.end() ? std::nullopt : made(*maker->second);
}

// As staging makes numbers of extents (jit/lower/builder.cpp).
std::optional<Size> Shapes::made(const ir::Operation& maker) const {
  if (maker.kind == ir::Kind::dimension) {
    if (!ir::is_symbol(maker.args[0])) return std::nullopt;
    return axis(ir::id_of(maker.args[0]), static_cast<unsigned>(maker.number));
  }
  if (maker.kind != ir::Kind::apply) return std::nullopt;
  const auto is = [&](const ops::Entry& entry) { return maker.entry == &entry; };
  if (is(ops::entry_of<ops::Negate>())) {
    const std::optional<Size> of = number(maker.args[0]);
    return of ? std::optional(Size(0) - *of) : std::nullopt;
  }
  const bool chooses = is(ops::entry_of<ops::Where>());
  const bool takes_two = is(ops::entry_of<ops::Add>()) || is(ops::entry_of<ops::Subtract>()) ||
                         is(ops::entry_of<ops::Multiply>()) || is(ops::entry_of<ops::Maximum>());
  if (!chooses && !takes_two) return std::nullopt;
  const std::optional<Size> a = number(maker.args[chooses ? 1 : 0]), b = number(maker.args[chooses ? 2 : 1]);
  if (!a || !b) return std::nullopt;
  if (is(ops::entry_of<ops::Add>())) return *a + *b;
  if (is(ops::entry_of<ops::Subtract>())) return *a - *b;
  if (is(ops::entry_of<ops::Multiply>())) return *a * *b;
  if (is(ops::entry_of<ops::Maximum>())) return b->is(0) ? std::optional(Size::not_negative(*a)) : std::nullopt;
  // where(b == 1, a, b)
  const auto test = ir::is_symbol(maker.args[0]) ? makers_.find(ir::id_of(maker.args[0])) : makers_.end();
  const bool is_wider = test != makers_.end() && test->second->kind == ir::Kind::apply &&
                        test->second->entry == &ops::entry_of<ops::Equal>() && number(test->second->args[0]) == b &&
                        number(test->second->args[1]) == Size(1);
  return is_wider ? std::optional(Size::wider(*a, *b)) : std::nullopt;
}

namespace {

class Finder {
 public:
  Finder(const loops::Plan& plan, const Shapes& shapes)
      : plan_(plan), shapes_(shapes), graph_(*plan.graph), types_(plan.slots) {}

  std::vector<std::optional<SlotType>> find() {
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (plan_.inputs[i] != Step::nowhere)
        set(plan_.inputs[i], shapes_.type_of(graph_.body.parameters[i], Refusal::nowhere), Refusal::nowhere);
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
    const auto look_at_saves = [&](const loops::instruction::ElementPlace& place) {
      for (const auto& [slot, number] : place.saves) set(slot, {registers[number]}, Refusal::nowhere);
    };
    if (const auto* const store = std::get_if<loops::instruction::Store>(&i))
      set(store->slot, {registers[store->from]}, Refusal::nowhere);
    if (const auto* const load = std::get_if<loops::instruction::Load>(&i))
      set(load->slot, {registers[load->to]}, Refusal::nowhere);
    if (const auto* const read = std::get_if<loops::instruction::Element>(&i)) look_at_saves(*read);
    if (const auto* const set_element = std::get_if<loops::instruction::SetElement>(&i)) look_at_saves(*set_element);
  }
  void look(const Launch& launch) {
    for (const Launch::Output& output : launch.outputs) {
      const Launch::Member& member = launch.members[output.member];
      set(output.slot, shapes_.type_of(member.value, member.place), member.place);
    }
    for (const Launch::Reduction& reduction : launch.reductions)
      set(reduction.slot, result_of(launch, reduction), reduction.place);
  }
  SlotType result_of(const Launch& launch, const Launch::Reduction& reduction) const {
    const SlotType from = shapes_.type_of(launch.members[reduction.member].value, reduction.place);
    SlotType type{reduction.entry->reduce->result(reduction.dtype), false};
    for (size_t axis = 0; axis < from.rank(); ++axis) {
      const bool reduced = (reduction.axes >> axis & 1) != 0;
      if (!reduced || reduction.keepdims) type.extents.push_back(reduced ? Size(1) : from.extents[axis]);
    }
    type.number = type.extents.empty();
    return type;
  }
  // What a step leaves that is an operation of the graph. Values of no type (what `require` gives) go nowhere.
  void look(const Step& step) {
    if (const auto* apply = step.get_if<loops::step::Apply>()) {
      if (const ir::Id id = apply->operation->results[0]; !graph_.values[id].boxed) set_result(step, id);
    }
    if (const auto* undefined = step.get_if<loops::step::Undefined>()) set_result(step, undefined->value);
    if (const auto* dimension = step.get_if<loops::step::Dimension>()) set_result(step, dimension->value);
    if (const auto* pop = step.get_if<loops::step::PopValue>()) set_result(step, pop->value);
  }
  void set_result(const Step& step, ir::Id id) {
    const SlotId slot = step.results[0];
    if (slot != Step::nowhere) set(slot, shapes_.type_of(id, step.place), step.place);
  }
  void flow() {
    for (const Step& step : plan_.steps) {
      if (!step.is<loops::step::Move>() && !step.is<loops::step::Box>()) continue;
      for (size_t k = 0; k < step.results.size(); ++k) {
        const Operand& operand = step.operands[k];
        if (operand.kind == Operand::Kind::tree)
          throw Refusal{"it puts a tuple, list or record into a variable whose type is known only at run time",
                        step.place};
        if (operand.kind == Operand::Kind::constant)
          set(step.results[k], emit::type_of(operand.value, step.place), step.place);
        else if (types_[operand.slot])
          set(step.results[k], *types_[operand.slot], step.place);
      }
    }
  }

  const loops::Plan& plan_;
  const Shapes& shapes_;
  const ir::Graph& graph_;
  std::vector<std::optional<SlotType>> types_;
  bool changed_ = false;
};

}  // namespace

std::vector<std::optional<SlotType>> find_types(const loops::Plan& plan, const Shapes& shapes) {
  return Finder(plan, shapes).find();
}

}  // namespace covec::emit
