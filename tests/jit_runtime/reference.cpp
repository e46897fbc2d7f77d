#include "tests/jit_runtime/reference.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "tests/ops/pointwise_evaluator.hpp"

namespace covec::test {

namespace {

using loops::ActivationRecord;
using loops::Instruction;
namespace instruction = loops::instruction;
using loops::Kernel;
using loops::KernelInstruction;
using ops::ScalarRef;

const loops::Program* current = nullptr;
std::atomic<int64_t> calls = 0;

uint64_t scalar(ops::ScalarOp op, Dtype to, unsigned arity, const uint64_t* words, const Dtype* dtypes) {
  ops::Evaluator evaluator;
  ScalarRef refs[3];
  for (unsigned i = 0; i < arity; ++i) refs[i] = evaluator.constant(dtypes[i], words[i]);
  return evaluator.bits(evaluator.emit(op, to, refs[0], refs[1], refs[2]));
}

uint64_t element(const void* data, Dtype dtype, int64_t i) {
  uint64_t word = 0;
  std::memcpy(&word, static_cast<const std::byte*>(data) + static_cast<size_t>(i) * size_of(dtype), size_of(dtype));
  return word;
}

uint64_t outlined(const Kernel& kernel, const KernelInstruction& i, const std::vector<uint64_t>& values) {
  uint64_t result = values[i.operands[1]];
  if ((values[i.operands[0]] & 1) == 0) return result;
  const Kernel::Outlined& outlined = kernel.outlined[i.index];
  const void* operands[3] = {};
  for (unsigned k = 2; k < i.arity; ++k) operands[k - 2] = &values[i.operands[k]];
  outlined.op->rows[0]->by_compute[static_cast<int>(compute_of(outlined.dtype))](&result, operands, 1, 0,
                                                                                 outlined.parameter);
  return result;
}

uint64_t kernel_instruction(const Kernel& kernel, const KernelInstruction& i, const std::vector<uint64_t>& values,
                            const void* const* inputs, int64_t at, const uint64_t* numbers) {
  switch (i.kind) {
    case KernelInstruction::Kind::load:
      return element(inputs[i.index], i.dtype, kernel.inputs[i.index].uniform ? 0 : at);
    case KernelInstruction::Kind::number: return element(numbers + i.index, i.dtype, 0);
    case KernelInstruction::Kind::constant: return i.bits;
    case KernelInstruction::Kind::rare: return 0;
    case KernelInstruction::Kind::rare_result:
    case KernelInstruction::Kind::end_rare:
      return (values[i.operands[0]] & 1) != 0 ? values[i.operands[1]] : values[i.operands[2]];
    case KernelInstruction::Kind::outlined: return outlined(kernel, i, values);
    case KernelInstruction::Kind::scalar: break;
  }
  uint64_t words[3];
  Dtype dtypes[3];
  for (unsigned k = 0; k < i.arity; ++k) {
    words[k] = values[i.operands[k]];
    dtypes[k] = kernel.code[i.operands[k]].dtype;
  }
  return scalar(i.op, i.dtype, i.arity, words, dtypes);
}

int64_t run_kernel(size_t number, void* const* outputs, const void* const* inputs, int64_t n, const uint64_t* numbers) {
  const Kernel& kernel = current->kernels[number];
  ++calls;
  std::vector<uint64_t> values(kernel.code.size());
  for (int64_t at = 0; at < n; ++at) {
    for (size_t k = 0; k < kernel.code.size(); ++k) {
      values[k] = kernel_instruction(kernel, kernel.code[k], values, inputs, at, numbers);
    }
    if (kernel.fails != Kernel::never && (values[kernel.fails] & 1) != 0) return at;
    for (size_t o = 0; o < kernel.outputs.size(); ++o) {
      const size_t size = size_of(kernel.outputs[o].dtype);
      std::memcpy(static_cast<std::byte*>(outputs[o]) + static_cast<size_t>(at) * size,
                  &values[kernel.outputs[o].value], size);
    }
  }
  return -1;
}

template <size_t number>
int64_t kernel_function(void* const* outputs, const void* const* inputs, int64_t n, const uint64_t* numbers) {
  return run_kernel(number, outputs, inputs, n, numbers);
}

template <size_t... numbers>
constexpr std::array<loops::KernelFunction, sizeof...(numbers)> kernel_table(std::index_sequence<numbers...>) {
  return {kernel_function<numbers>...};
}

constexpr auto kernels = kernel_table(std::make_index_sequence<256>());

// --- code ---

class Reader {
 public:
  Reader(const loops::Code& code, ActivationRecord* activation)
      : code_(code), activation_(activation), words_(code.registers.size()), seen_(code.views.size()) {}

  int32_t run() {
    const auto& instructions = code_.instructions;
    while (at_ < instructions.size() && !ended_) {
      const int32_t status = match<int32_t>(instructions[at_++], [&](const auto& i) { return run(i); });
      if (status != 0) return status;
    }
    return 0;
  }

 private:
  // Each gives a status. at_ is the next instruction already.
  int32_t run(const instruction::If& i) {
    if (!truth(i.condition)) at_ = after_else_or_end();
    return 0;
  }
  int32_t run(const instruction::Else&) { return at_ = matching_end(), 0; }
  int32_t run(const instruction::EndIf&) { return 0; }
  int32_t run(const instruction::Loop&) { return 0; }
  int32_t run(const instruction::EndLoop&) { return at_ = matching_loop(), 0; }
  int32_t run(const instruction::BreakIf& i) {
    if (truth(i.condition)) at_ = after_loop();
    return 0;
  }
  int32_t run(const instruction::BreakUnless& i) {
    if (!truth(i.condition)) at_ = after_loop();
    return 0;
  }
  int32_t run(const instruction::Poll& i) {
    return *activation_->interrupt ? activation_->poll(activation_, i.step) : 0;
  }
  int32_t run(const instruction::Leave&) { return ended_ = true, 0; }
  int32_t run(const instruction::CallStep& i) { return activation_->step(activation_, i.step); }

  int32_t run(const instruction::Constant& i) { return words_[i.to] = i.bits, 0; }
  int32_t run(const instruction::Move& i) { return words_[i.to] = words_[i.from], 0; }
  int32_t run(const instruction::Scalar& i) {
    uint64_t words[3];
    Dtype dtypes[3];
    for (unsigned k = 0; k < i.arity; ++k) {
      words[k] = words_[i.operands[k]];
      dtypes[k] = code_.registers[i.operands[k]];
    }
    return words_[i.to] = scalar(i.op, code_.registers[i.to], i.arity, words, dtypes), 0;
  }
  int32_t run(const instruction::Load& i) {
    const Dtype dtype = code_.registers[i.to];
    if (!slot(i.slot).is_scalar() || slot(i.slot).scalar_dtype() != dtype)
      throw std::logic_error("load of what is not there");
    return words_[i.to] = element(slot(i.slot).scalar_data(), dtype, 0), 0;
  }
  int32_t run(const instruction::Store& i) {
    if (slot(i.slot).is_object()) throw std::logic_error("store over an object");
    slot(i.slot) = Value::scalar(code_.registers[i.from], &words_[i.from]);
    return 0;
  }
  int32_t run(const instruction::PushNumber& i) {
    loops::NumberStack& stack = activation_->stacks[i.stack];
    if (stack.top == stack.end) {
      if (const int32_t status = activation_->step(activation_, i.step); status != 0) return status;
    }
    *stack.top++ = words_[i.from];
    return 0;
  }
  int32_t run(const instruction::PopNumber& i) { return words_[i.to] = *--activation_->stacks[i.stack].top, 0; }
  int32_t run(const instruction::Draw& i) {
    const ops::DrawnAhead::Buffer& buffer = activation_->drawn->buffers[i.buffer];
    ops::Random& random = *activation_->random;
    for (const instruction::Saved& saved : i.saves) run(instruction::Store{saved.slot, saved.number});
    if (buffer.key != (i.key ? words_[*i.key] : random.key) || random.calls - buffer.first >= buffer.count) {
      if (const int32_t status = activation_->step(activation_, i.step); status != 0) return status;
    }
    words_[i.to] = element(buffer.numbers, code_.registers[i.to], static_cast<int64_t>(random.calls - buffer.first));
    random.calls += i.takes;
    return 0;
  }
  int32_t run(const instruction::NextCall& i) { return words_[i.to] = activation_->random->calls, 0; }
  int32_t run(const instruction::SetNextCall& i) { return activation_->random->calls = words_[i.from], 0; }
  int32_t run(const instruction::LookUp& i) { return look_up(i.view), 0; }
  int32_t run(const instruction::Extent& i) {
    return words_[i.to] = static_cast<uint64_t>(slot(i.slot).tensor().dim(i.axis)), 0;
  }
  int32_t run(const instruction::Element& i) {
    Tensor& x = slot(i.slot).tensor();
    const std::optional<int64_t> offset = offset_of(i, x, false);
    if (!offset) return otherwise(i);
    if (code_.registers[i.to] != x.dtype()) throw std::logic_error("an element's dtype");
    return words_[i.to] = element(x.data(), x.dtype(), *offset), 0;
  }
  int32_t run(const instruction::SetElement& i) {
    Tensor& x = slot(i.slot).tensor();
    const std::optional<int64_t> offset = offset_of(i, x, true);
    if (!offset || !x.exclusive()) return otherwise(i);
    if (code_.registers[i.from] != x.dtype()) throw std::logic_error("an element's dtype");
    const size_t size = size_of(x.dtype());
    std::memcpy(x.data() + *offset * static_cast<int64_t>(size), &words_[i.from], size);
    return 0;
  }
  template <class Other>
  int32_t run(const Other&) {
    throw std::logic_error("an instruction that the reference does not run");
  }

  Value& slot(loops::SlotId slot) { return activation_->slots[slot]; }
  bool truth(loops::Register r) const { return (words_[r] & 1) != 0; }

  // What a back end keeps of a view has to hold wherever it is used.
  struct Seen {
    const Tensor* tensor = nullptr;
    const void* data = nullptr;
    bool exclusive = false;
    std::vector<uint64_t> leading = {};
  };
  void look_up(uint32_t view) {
    Value& slot = activation_->slots[code_.views[view].slot];
    seen_[view] = slot.is_tensor() ? Seen{&slot.tensor(), slot.tensor().data(), slot.tensor().exclusive()} : Seen();
    for (const loops::Register r : code_.views[view].leading) seen_[view].leading.push_back(words_[r]);
  }
  void check_view(const instruction::ElementPlace& i, const Tensor& x, bool writes) const {
    const Seen& seen = seen_[i.view];
    if (seen.tensor != &x || seen.data != x.data()) throw std::logic_error("a view of a tensor that is elsewhere");
    for (size_t k = 0; k < seen.leading.size(); ++k) {
      if (words_[i.indices[k]] != seen.leading[k]) throw std::logic_error("a part of a view at another place");
    }
    if (writes && seen.exclusive && !x.exclusive()) throw std::logic_error("a view of a tensor that is shared by now");
  }
  int32_t otherwise(const instruction::ElementPlace& i) {
    for (const instruction::Saved& saved : i.saves) {
      const Dtype dtype = code_.registers[saved.number];
      activation_->slots[saved.slot] = Value::scalar(dtype, &words_[saved.number]);
    }
    const int32_t status = activation_->step(activation_, i.step);
    for (uint32_t view = 0; view < code_.views.size(); ++view) {
      if (code_.views[view].slot == i.slot) look_up(view);
    }
    return status;
  }

  // None: an index is out of range.
  std::optional<int64_t> offset_of(const instruction::ElementPlace& i, const Tensor& x, bool writes) const {
    if (x.rank() != i.indices.size()) throw std::logic_error("an element of a tensor of another rank");
    int64_t offset = 0;
    bool inside = true;
    for (unsigned axis = 0; axis < x.rank(); ++axis) {
      const auto given = static_cast<int64_t>(words_[i.indices[axis]]);
      const int64_t index = given < 0 ? given + x.dim(axis) : given;
      inside = inside && index >= 0 && index < x.dim(axis);
      offset += index * x.stride(axis);
    }
    if (i.view != loops::no_view) check_view(i, x, writes);
    return inside ? std::optional(offset) : std::nullopt;
  }

  static int depth_of(const Instruction& i) {
    if (loops::is<instruction::If, instruction::Loop>(i)) return 1;
    return loops::is<instruction::EndIf, instruction::EndLoop>(i) ? -1 : 0;
  }

  // Behind the first instruction from at_ on, at its nesting, that is one of these.
  template <class... Ends>
  size_t behind() const {
    size_t at = at_;
    for (int depth = 0;; ++at) {
      const Instruction& i = code_.instructions[at];
      if (depth == 0 && loops::is<Ends...>(i)) return at + 1;
      depth += depth_of(i);
    }
  }
  size_t after_else_or_end() const { return behind<instruction::Else, instruction::EndIf>(); }
  size_t matching_end() const { return behind<instruction::EndIf>(); }
  size_t matching_loop() const {
    size_t at = at_ - 1;
    for (int depth = 0;;) {
      const Instruction& i = code_.instructions[--at];
      if (depth == 0 && loops::is<instruction::Loop>(i)) return at;
      depth -= depth_of(i);
    }
  }
  size_t after_loop() const {
    size_t at = at_;
    for (int depth = 0;; ++at) {
      const Instruction& i = code_.instructions[at];
      if (depth == 0 && loops::is<instruction::EndLoop>(i)) return at + 1;
      depth += loops::is<instruction::Loop>(i) ? 1 : loops::is<instruction::EndLoop>(i) ? -1 : 0;
    }
  }

  const loops::Code& code_;
  ActivationRecord* activation_;
  std::vector<uint64_t> words_;
  std::vector<Seen> seen_;
  size_t at_ = 0;
  bool ended_ = false;
};

int32_t code_function(ActivationRecord* activation) { return Reader(current->code, activation).run(); }

}  // namespace

runtime::Backend reference_backend(const loops::Program& program) {
  if (program.kernels.size() > kernels.size()) throw std::logic_error("too many kernels for the reference back end");
  current = &program;
  calls = 0;
  return {code_function, kernels.data()};
}

int64_t kernel_calls() { return calls; }

}  // namespace covec::test
