#include "tests/jit_runtime/reference.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "tests/ops/pointwise_evaluator.hpp"

namespace covec::test {

namespace {

using loops::ActivationRecord;
using loops::Instruction;
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
    for (size_t at = 0; at < instructions.size();) {
      const Instruction& i = instructions[at];
      if (i.kind == Instruction::Kind::leave) return 0;
      const int32_t status = control(i, at);
      if (status != 0) return status;
    }
    return 0;
  }

 private:
  using Kind = Instruction::Kind;

  int32_t control(const Instruction& i, size_t& at) {
    switch (i.kind) {
      case Kind::if_: at = truth(i) ? at + 1 : after_else_or_end(at); return 0;
      case Kind::else_: at = matching_end(at); return 0;
      case Kind::end_loop: at = matching_loop(at); return 0;
      case Kind::break_if: at = truth(i) ? after_loop(at) : at + 1; return 0;
      case Kind::break_unless: at = truth(i) ? at + 1 : after_loop(at); return 0;
      case Kind::element:
      case Kind::set_element: ++at; return element_of(i);
      case Kind::poll: ++at; return *activation_->interrupt ? activation_->poll(activation_, i.index) : 0;
      case Kind::step: ++at; return activation_->step(activation_, i.index);
      default: ++at; return plain(i);
    }
  }

  int32_t plain(const Instruction& i) {
    switch (i.kind) {
      case Kind::constant: words_[i.to] = i.bits; return 0;
      case Kind::move: words_[i.to] = words_[i.operands[0]]; return 0;
      case Kind::scalar: {
        uint64_t words[3];
        Dtype dtypes[3];
        for (unsigned k = 0; k < i.arity; ++k) {
          words[k] = words_[i.operands[k]];
          dtypes[k] = code_.registers[i.operands[k]];
        }
        words_[i.to] = scalar(i.op, code_.registers[i.to], i.arity, words, dtypes);
        return 0;
      }
      case Kind::load: return load(i);
      case Kind::store: return store(i);
      case Kind::push: return push(i);
      case Kind::view: look_up(i.view); return 0;
      case Kind::extent: words_[i.to] = static_cast<uint64_t>(slot(i).tensor().dim(i.index)); return 0;
      case Kind::pop: words_[i.to] = *--activation_->stacks[i.slot].top; return 0;
      default: return 0;
    }
  }

  Value& slot(const Instruction& i) { return activation_->slots[i.slot]; }
  bool truth(const Instruction& i) const { return (words_[i.operands[0]] & 1) != 0; }

  int32_t load(const Instruction& i) {
    const Dtype dtype = code_.registers[i.to];
    if (!slot(i).is_scalar() || slot(i).scalar_dtype() != dtype) throw std::logic_error("load of what is not there");
    words_[i.to] = element(slot(i).scalar_data(), dtype, 0);
    return 0;
  }

  int32_t store(const Instruction& i) {
    if (slot(i).is_object()) throw std::logic_error("store over an object");
    const Dtype dtype = code_.registers[i.operands[0]];
    slot(i) = Value::scalar(dtype, &words_[i.operands[0]]);
    return 0;
  }

  int32_t push(const Instruction& i) {
    loops::NumberStack& stack = activation_->stacks[i.slot];
    if (stack.top == stack.end) {
      if (const int32_t status = activation_->step(activation_, i.index); status != 0) return status;
    }
    *stack.top++ = words_[i.operands[0]];
    return 0;
  }

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
  void check_view(const Instruction& i, const Tensor& x) const {
    const Seen& seen = seen_[i.view];
    if (seen.tensor != &x || seen.data != x.data()) throw std::logic_error("a view of a tensor that is elsewhere");
    for (size_t k = 0; k < seen.leading.size(); ++k) {
      if (words_[i.indices[k]] != seen.leading[k]) throw std::logic_error("a part of a view at another place");
    }
    if (i.kind == Kind::set_element && seen.exclusive && !x.exclusive())
      throw std::logic_error("a view of a tensor that is shared by now");
  }
  int32_t otherwise(const Instruction& i) {
    for (const Instruction::Saved& saved : i.saves) {
      const Dtype dtype = code_.registers[saved.number];
      activation_->slots[saved.slot] = Value::scalar(dtype, &words_[saved.number]);
    }
    const int32_t status = activation_->step(activation_, i.index);
    for (uint32_t view = 0; view < code_.views.size(); ++view) {
      if (code_.views[view].slot == i.slot) look_up(view);
    }
    return status;
  }

  int32_t element_of(const Instruction& i) {
    Tensor& x = slot(i).tensor();
    if (x.rank() != i.indices.size()) throw std::logic_error("an element of a tensor of another rank");
    int64_t offset = 0;
    bool inside = true;
    for (unsigned axis = 0; axis < x.rank(); ++axis) {
      const auto given = static_cast<int64_t>(words_[i.indices[axis]]);
      const int64_t index = given < 0 ? given + x.dim(axis) : given;
      inside = inside && index >= 0 && index < x.dim(axis);
      offset += index * x.stride(axis);
    }
    const bool writes = i.kind == Kind::set_element;
    if (i.view != Instruction::no_view) check_view(i, x);
    if (!inside || (writes && !x.exclusive())) return otherwise(i);
    const size_t size = size_of(x.dtype());
    if (code_.registers[writes ? i.operands[0] : i.to] != x.dtype()) throw std::logic_error("an element's dtype");
    if (writes)
      std::memcpy(x.data() + offset * static_cast<int64_t>(size), &words_[i.operands[0]], size);
    else
      words_[i.to] = element(x.data(), x.dtype(), offset);
    return 0;
  }

  static bool opens(Kind kind) { return kind == Kind::if_ || kind == Kind::loop; }
  static bool closes(Kind kind) { return kind == Kind::end_if || kind == Kind::end_loop; }

  // The first instruction from `at` on, at its nesting, of kind `a` or `b`.
  size_t find(size_t at, Kind a, Kind b) const {
    for (int depth = 0;; ++at) {
      const Kind kind = code_.instructions[at].kind;
      if (depth == 0 && (kind == a || kind == b)) return at;
      depth += opens(kind) ? 1 : closes(kind) ? -1 : 0;
    }
  }
  size_t after_else_or_end(size_t at) const { return find(at + 1, Kind::else_, Kind::end_if) + 1; }
  size_t matching_end(size_t at) const { return find(at + 1, Kind::end_if, Kind::end_if) + 1; }
  size_t matching_loop(size_t at) const {
    for (int depth = 0;;) {
      const Kind kind = code_.instructions[--at].kind;
      if (kind == Kind::loop && depth == 0) return at;
      depth += closes(kind) ? 1 : opens(kind) ? -1 : 0;
    }
  }
  size_t after_loop(size_t at) const {
    for (int depth = 0;; ++at) {
      const Kind kind = code_.instructions[at].kind;
      if (kind == Kind::end_loop && depth == 0) return at + 1;
      depth += kind == Kind::loop ? 1 : kind == Kind::end_loop ? -1 : 0;
    }
  }

  const loops::Code& code_;
  ActivationRecord* activation_;
  std::vector<uint64_t> words_;
  std::vector<Seen> seen_;
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
