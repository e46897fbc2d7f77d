#include "jit/loops/build/vector.hpp"

#include <algorithm>

#include "jit/loops/build/vectorize.hpp"
#include "jit/loops/operands.hpp"
#include "stdlib/ops/contract/handles.hpp"

namespace covec::loops {

using ir::id_of;
using ir::is_symbol;
using ops::ScalarOp;
using ops::ScalarRef;

// What a VectorLoop says of iterations, while the code that puts its numbers into slots is being made.
class VectorLoopBuilder::Description {
 public:
  Description(VectorLoopBuilder& builder, const Vectorizer& vectorizer, const ir::Region& region,
              std::span<const SlotId> carried)
      : in_(builder), vectorizer_(vectorizer), region_(region), carried_(carried) {}

  VectorLoop describe(ScalarRef count) {
    VectorLoop loop;
    loop.backwards = vectorizer_.backwards;
    loop.count = put(count);
    const Kernel& kernel = vectorizer_.kernel;
    for (size_t i = 0; i < kernel.inputs.size(); ++i)
      loop.reads.push_back(access(vectorizer_.reads[i], kernel.inputs[i].dtype));
    for (size_t i = 0; i < kernel.outputs.size(); ++i)
      loop.writes.push_back(access(vectorizer_.writes[i], kernel.outputs[i].dtype));
    for (const Vectorizer::Number& each : vectorizer_.numbers) loop.numbers.push_back(number(each));
    loop.dtypes = kernel.numbers;
    loop.weight = std::max<uint32_t>(1, static_cast<uint32_t>(kernel.code.size()) / 4);
    return loop;
  }

 private:
  SlotId put(ScalarRef number) {
    const SlotId slot = in_.places_.fresh_slot();
    in_.code_.store(slot, number.id);
    return slot;
  }
  SlotId slot_of(const Value& tensor) const {
    for (size_t k = 0; is_symbol(tensor) && k < carried_.size(); ++k) {
      if (region_.parameters[k + 1] == id_of(tensor)) return carried_[k];
    }
    return in_.places_.slot_of(tensor);
  }
  // `dtype`: of the kernel's input or output.
  VectorLoop::Access access(const Vectorizer::Access& from, Dtype dtype) {
    VectorLoop::Access access;
    if (from.operation == nullptr) return access;
    if (!from.names_element()) return stacked(*from.operation, dtype);
    access.slot = slot_of(from.operation->args[0]);
    if (from.axis) access.axis = *from.axis;
    for (const Value& index : from.operation->rest) access.first.push_back(first(index));
    return access;
  }
  VectorLoop::Access stacked(const ir::Operation& operation, Dtype dtype) const {
    VectorLoop::Access access;
    access.stack = *in_.stacks_.of_numbers(operation);
    access.dtype = dtype;
    return access;
  }
  VectorLoop::Number number(const Vectorizer::Number& from) {
    using Kind = Vectorizer::Number::Kind;
    if (from.kind == Kind::iteration) return {VectorLoop::Number::Kind::iteration, 0, {}};
    if (from.kind == Kind::element) return {VectorLoop::Number::Kind::element, 0, access(from.element, {})};
    return {VectorLoop::Number::Kind::slot, in_.places_.stored(id_of(from.value)), {}};
  }
  Operand first(const Value& index) {
    if (!is_symbol(index)) return {Operand::Kind::constant, false, 0, index};
    if (vectorizer_.induction().is_iteration(index)) return {Operand::Kind::constant, false, 0, Value(int64_t{0})};
    if (vectorizer_.induction().made_by(index) == nullptr)
      return {Operand::Kind::slot, false, in_.places_.stored(id_of(index)), Value()};
    const auto [known, is_new] = firsts_.try_emplace(id_of(index));
    if (is_new) known->second = put(in_first_iteration(index));
    return {Operand::Kind::slot, false, known->second, Value()};
  }
  ScalarRef in_first_iteration(const Value& index) {
    if (vectorizer_.induction().is_iteration(index)) return in_.code_.constant(Dtype::i64, 0);
    const ir::Operation* sum = vectorizer_.induction().made_by(index);
    if (sum == nullptr) return in_.places_.number(index);
    if (const auto known = sums_.find(id_of(index)); known != sums_.end()) return known->second;
    const bool negates = sum->args.size() == 1;
    const ScalarRef left = negates ? in_.code_.constant(Dtype::i64, 0) : in_first_iteration(sum->args[0]);
    const ScalarRef right = in_first_iteration(sum->args.back());
    const ScalarOp op = sum->entry == &ops::handles().add ? ScalarOp::add : ScalarOp::sub;
    return sums_.emplace(id_of(index), in_.code_.emit(op, Dtype::i64, left, right, {})).first->second;
  }

  VectorLoopBuilder& in_;
  const Vectorizer& vectorizer_;
  const ir::Region& region_;
  const std::span<const SlotId> carried_;
  std::unordered_map<ir::Id, SlotId> firsts_;  // of indices, in the first iteration
  std::unordered_map<ir::Id, ScalarRef> sums_;
};

int64_t VectorLoopBuilder::fewest(const Vectorizer& vectorizer) {
  const auto is_stack = [](const Vectorizer::Access& access) {
    return access.operation != nullptr && !access.names_element();
  };
  const bool stacks =
      std::ranges::any_of(vectorizer.reads, is_stack) || std::ranges::any_of(vectorizer.writes, is_stack);
  const bool is_short = vectorizer.kernel.code.size() < VectorLoop::short_iteration;
  return stacks && is_short ? VectorLoop::few_with_stacks : VectorLoop::few;
}

bool VectorLoopBuilder::has_stacks_of_numbers(const Vectorizer& vectorizer) const {
  const auto has = [&](const Vectorizer::Access& access) {
    return access.operation == nullptr || access.names_element() || stacks_.of_numbers(*access.operation).has_value();
  };
  return std::ranges::all_of(vectorizer.reads, has) && std::ranges::all_of(vectorizer.writes, has);
}

void VectorLoopBuilder::build(const ir::Operation& loop, std::span<const SlotId> carried, ScalarRef count,
                              Register index) {
  if (loop.exits || plain_) return;
  Vectorizer vectorizer(graph_, loop);
  if (!vectorizer.find() || !has_stacks_of_numbers(vectorizer)) return;
  const int64_t few = fewest(vectorizer);
  const ScalarRef least = code_.constant(Dtype::i64, static_cast<uint64_t>(few));
  code_.append(instruction::If{code_.emit(ScalarOp::le, Dtype::boolean, least, count, {}).id});
  const OpenScope piece(scopes_);
  const SlotId done = places_.fresh_slot();
  Step step{.action = step::RunVectorLoop{static_cast<uint32_t>(plan_.vector_loops.size())},
            .place = loop.place,
            .results = {done}};
  VectorLoop& made =
      plan_.vector_loops.emplace_back(Description(*this, vectorizer, loop.regions[0], carried).describe(count));
  made.fewest = few;
  if (!made.writes.empty()) {
    made.kernel = static_cast<uint32_t>(plan_.program.kernels.size());
    plan_.program.kernels.push_back(with_half_as_f32(vectorizer.kernel));
    plan_.program.kernels.back().name = graph_.name + "_kernel" + std::to_string(made.kernel);
  }
  steps_.call(std::move(step));
  code_.load(index, done);
  code_.append(instruction::EndIf{});
}

}  // namespace covec::loops
