// The loop IR: the last form of a compiled function before machine code or C. It has two kinds of code:
//
//   Code    the function itself: numbers in typed registers, loops and branches as written, and steps: calls of the
//           runtime for everything that is not a number (jit/runtime). Values that are not numbers live in the slots of
//           the function's activation.
//   Kernel  straight-line code over the elements of arrays, without a loop of its own: the back end runs it over n
//           adjacent elements in vectors as wide as the processor has. Broadcasting, strides, blocks and threads are
//           the runtime's (jit/runtime/launch.cpp).
//
// Both consist of scalar operations with exactly defined results (stdlib/ops/contract/scalar_builder.hpp), so every
// back end gives the same bits. Back ends: jit/simd (asmjit), jit/source (C99). Start at Program.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stdlib/ops/contract/scalar_builder.hpp"
#include "stdlib/value/dtype.hpp"

namespace covec {
class Value;
}
namespace covec::ops {
struct PointwiseOperator;
}

namespace covec::loops {

// --- kernels ---

struct KernelInstruction {
  enum class Kind : uint8_t {
    load,      // element i of input `index` (or its only element, where the input is uniform)
    number,    // numbers[index]: the same for all elements, from the low bytes of a 64-bit word
    constant,  // `bits`
    scalar,    // op(operands…); operands are numbers of earlier instructions
    rare,      // the code up to its `end_rare` computes what few need, a long side of a branch for example: where
               // operands[0] (bool) holds for no lane it may be jumped over. Gives no value.
    end_rare,  // gives select(operands[0], operands[1], operands[2]): condition, what the code inside made, the usual
    rare_result,  // stands right behind end_rare, or another one: as that, of another value that the code inside made
    outlined,     // gives operands[1], but where operands[0] (bool) holds: what the operator outlined[index] gives of
               // operands[2…], numbers of its dtype. Elsewhere that is the same, to the bit (a NaN's payload exempt).
  };
  Kind kind = Kind::scalar;
  Dtype dtype = Dtype::f64;               // of the value given
  ops::ScalarOp op = ops::ScalarOp::add;  // scalar
  uint8_t arity = 0;                      // scalar, outlined: operands used
  uint32_t operands[5] = {0, 0, 0, 0, 0};
  uint32_t index = 0;  // load, number, outlined
  uint64_t bits = 0;   // constant: the number's bytes, the low ones
};

inline bool closes_rare(const KernelInstruction& i) {
  return i.kind == KernelInstruction::Kind::end_rare || i.kind == KernelInstruction::Kind::rare_result;
}
// How many of `operands` are read.
inline unsigned operands_of(const KernelInstruction& i) {
  switch (i.kind) {
    case KernelInstruction::Kind::scalar:
    case KernelInstruction::Kind::outlined: return i.arity;
    case KernelInstruction::Kind::rare: return 1;
    case KernelInstruction::Kind::end_rare:
    case KernelInstruction::Kind::rare_result: return 3;
    default: return 0;
  }
}

// bool elements are bytes 0 or 1 in memory. Instruction k gives value k.
struct Kernel {
  struct Input {
    Dtype dtype = Dtype::f64;
    bool uniform = false;  // its pointer points at one element that stands for all
  };
  struct Output {
    uint32_t value = 0;
    Dtype dtype = Dtype::f64;  // of that value
  };
  // An elementwise operator on floats of one dtype, as its eager kernel computes it.
  struct Outlined {
    const ops::PointwiseOperator* op = nullptr;
    Dtype dtype = Dtype::f64;
    int64_t parameter = 0;
  };
  std::string name;  // for people: "f_kernel0"
  std::vector<Input> inputs;
  std::vector<Dtype> numbers;
  std::vector<bool> staying;  // by number: it may lie on a device (device_numbers.hpp). May be shorter
  std::vector<Outlined> outlined;
  std::vector<KernelInstruction> code;
  std::vector<Output> outputs;
  static constexpr uint32_t never = UINT32_MAX;
  uint32_t fails = never;  // a bool: where true, the operation cannot be computed
  bool stays(size_t number) const { return number < staying.size() && staying[number]; }
};

// A compiled kernel. Computes n ≥ 0 adjacent elements; gives the index of the first element where `fails` holds (what
// has been stored by then is of no use), or −1. An output may be the same array as an input of the same element size.
// Reads and writes nothing outside the n elements (or the one of a uniform input). `numbers` has one word each.
using KernelFunction = int64_t (*)(void* const* outputs, const void* const* inputs, int64_t n, const uint64_t* numbers);

// --- the function ---

using Register = uint32_t;
using SlotId = uint32_t;

struct Instruction {
  enum class Kind : uint8_t {
    // numbers
    constant,  // to = bits
    move,      // to = a
    scalar,    // to = op(a, b, c)
    // control: properly nested; registers are the function's, not a block's
    if_,    // a (bool); `cold`: hardly ever holds, and there is no else_
    else_,  // at most one for an if_
    end_if,
    loop,  // for ever; left by break_if
    end_loop,
    break_if,      // a (bool): leaves the innermost loop
    break_unless,  // a (bool)
    poll,   // stands at the head of each loop's body: once in at most 65,536 passes, the activation's interrupt word
            // is looked at (activation->poll(activation, index) when it is not 0; a status other than 0 leaves)
    leave,  // the function ends well; the routine (Routine::result) gives number indices[0]
    // The routine (Program::routine), which calls itself. indices: a register for each of its parameters.
    call,  // to = what it gives. Where that has failed: in the function, step `index` (which raises); in the routine,
           // which is called `slot` calls deeper, it has failed as well
    fail,  // in the routine: it has failed
    // slots: the activation's values
    load,    // to = the number in slot `slot` (its tag is known to be that of to's dtype)
    store,   // slot `slot` = number a. The slot holds a number or none before (nothing to let go)
    step,    // status = activation->step(activation, index); a status other than 0 leaves the function with it
    extent,  // to = the extent along axis `index` of the tensor in slot `slot`
    view,    // stands before a loop: where the elements of view `view` lie is looked up (Code::views); indices: the
             // registers of View::leading
    // elements of the tensor in slot `slot`, at indices[0..rank): i64 registers. The tensor's dtype and rank are known.
    element,      // to = x[indices…]; negative indices count from the end; where one is out of range: step `index`
                  // (which raises the error)
    set_element,  // x[indices…] = a, where x may be written in place: the tensor is exclusive (Tensor::exclusive());
                  // else, or where an index is out of range: step `index` (which does it all, or raises the error)
    // stacks of numbers and Values, last in first out; slot is the stack's number
    push,  // a is pushed on number stack `slot`; no room: step `index` makes some, and the push is tried again
    pop,   // to = popped from number stack `slot` (never empty)
    // the list of numbers in slot `slot`, at indices[0]: an i64 register. All of one dtype, which is known.
    list_length,  // to = how many there are, an i64
    list_item,    // to = xs[indices[0]]; negative indices count from the end; out of range: step `index` (which raises
                  // the error)
    list_set,     // xs[indices[0]] = a, where nobody else has the list; else, or out of range: step `index` (which does
                  // it all, or raises the error)
    list_push,    // a is put at the end. Somebody else has the list, or no room: step `index` makes it its own, with
                  // room, and the push is tried again
    part,         // instructions that a back end has made a function of its own (jit/simd/machine/parts.hpp)
  };
  Kind kind = Kind::step;
  ops::ScalarOp op = ops::ScalarOp::add;
  uint8_t arity = 0;
  bool cold = false;
  Register to = 0;
  Register operands[3] = {0, 0, 0};
  SlotId slot = 0;
  uint32_t index = 0;  // step, poll, extent
  uint64_t bits = 0;
  static constexpr uint32_t no_view = UINT32_MAX;
  uint32_t view = no_view;  // element, set_element: of the tensor as it was looked up before the loop
  // element, set_element (all of them, with a view, too), list_item, list_set, view, call, leave
  std::vector<Register> indices;
  // element, set_element: numbers that step `index` finds in slots; they are put there only where it is called.
  struct Saved {
    SlotId slot = 0;
    Register number = 0;
  };
  std::vector<Saved> saves;
};

// A tensor in a slot that nothing in a loop puts elsewhere or exchanges, but for set_element's step: a back end may
// keep in registers where its elements lie, and its extents and strides, and look them up again after such a step.
// Where it is not exclusive, no element can be set without that step. The slot may hold no tensor, where none is asked
// for then.
struct View {
  SlotId slot = 0;
  Dtype dtype = Dtype::f64;
  unsigned rank = 0;     // axes that are left
  bool written = false;  // set_element is used
  // A part of another view, of the same tensor: at indices that do not change in the loop, along the first axes. Where
  // one of them is out of range the part has no elements, so that whoever asks for one goes to its step.
  uint32_t parent = Instruction::no_view;
  std::vector<Register> leading = {};
};

// Whether `to` is written, and how many of `operands` are read.
inline bool writes(const Instruction& i) {
  using Kind = Instruction::Kind;
  return i.kind == Kind::constant || i.kind == Kind::move || i.kind == Kind::scalar || i.kind == Kind::load ||
         i.kind == Kind::element || i.kind == Kind::pop || i.kind == Kind::extent || i.kind == Kind::list_length ||
         i.kind == Kind::list_item || i.kind == Kind::call;
}
inline unsigned operands_of(const Instruction& i) {
  using Kind = Instruction::Kind;
  switch (i.kind) {
    case Kind::scalar: return i.arity;
    case Kind::move:
    case Kind::if_:
    case Kind::break_if:
    case Kind::break_unless:
    case Kind::store:
    case Kind::set_element:
    case Kind::push:
    case Kind::list_set:
    case Kind::list_push: return 1;
    default: return 0;
  }
}

// Calls see(Register) for all that are read.
template <class See>
void each_read(const Instruction& i, See&& see) {
  for (unsigned k = 0; k < operands_of(i); ++k) see(i.operands[k]);
  for (const Register r : i.indices) see(r);
  for (const Instruction::Saved& saved : i.saves) see(saved.number);
}

// What the emitted code sees of an activation, one call of it. The layout is part of the emitters' contract (standard
// layout, the offsets are taken with offsetof). Numbers in stacks take 8 bytes each. Whoever runs code derives from
// this (jit/runtime/activation.hpp).
struct NumberStack {
  uint64_t* top = nullptr;  // the next free word
  uint64_t* end = nullptr;  // no room there
  uint64_t* base = nullptr;
};
struct ActivationRecord {
  int32_t (*step)(ActivationRecord*, uint32_t index) noexcept = nullptr;
  int32_t (*poll)(ActivationRecord*, uint32_t index) noexcept = nullptr;
  const std::atomic<bool>* interrupt = nullptr;  // one byte; true: somebody wants attention
  Value* slots = nullptr;                        // 16 bytes each, the tag first, the payload at byte 8
  NumberStack* stacks = nullptr;
  int64_t calls = 0;          // how deep the routine may go
  int64_t failed = 0;         // whether it has
  uint64_t* cells = nullptr;  // of a back end that asks for some
};
static_assert(sizeof(std::atomic<bool>) == 1);
using CodeFunction = int32_t (*)(ActivationRecord*);  // 0: ended well

struct Code {
  std::string name;
  std::vector<Dtype> registers;
  std::vector<std::string> register_names;  // for people; may be shorter, or have ""
  std::vector<Instruction> instructions;
  std::vector<View> views = {};
};

// A function of numbers that calls itself: numbers come and go in machine registers. It has no slots and takes no
// steps. Where anything goes wrong it fails, as does each call that waits for it; nothing has happened then, and the
// whole call is made again by the interpreter. It fails also where calls may have become too deep: with `calls` left
// for it, as many as it may have open in frames of its own and `frames` of functions that are part of it.
struct Routine {
  Code code;
  std::vector<Register> parameters;
  Register result = 0;
  uint32_t frames = 0;
  static constexpr size_t most_parameters = 12;  // numbers; chosen, not measured
  // More than one call takes of the machine's stack.
  size_t stack_bytes() const { return 1024 + 32 * code.registers.size(); }
};

struct Program {
  Code code;
  std::vector<Kernel> kernels;
  std::optional<Routine> routine = {};
};

// Text for people: `covec dump --loops`.
std::string print(const Program& program);
std::string print(const Kernel& kernel);
// While a kernel is built, a half may be converted from any dtype in one instruction; this makes f32 of it before.
Kernel with_half_as_f32(const Kernel& kernel);
// The same kernel with nothing outlined.
Kernel expanded(const Kernel& kernel);
// What is wrong with a program (a value used before it is made, a wrong dtype, a block not closed …), or "".
std::string verify(const Program& program);

}  // namespace covec::loops
