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
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "stdlib/ops/contract/scalar_builder.hpp"
#include "stdlib/value/dtype.hpp"
#include "stdlib/value/match.hpp"

namespace covec {
class Value;
}
namespace covec::ops {
struct DrawnAhead;
struct PointwiseOperator;
struct Random;
}  // namespace covec::ops

namespace covec::loops {

class Varying;

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
    rare_result,  // a further result of a rare part, selected as end_rare does; follows end_rare or a rare_result
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

// No view: the tensor of an element is found again at each access. No array: it is a tensor's.
constexpr uint32_t no_view = UINT32_MAX, no_array = UINT32_MAX;

// The kinds of instruction. A field of one name means the same in all of them, because code over any instruction asks
// for it by name (written_by, each_operand):
//
//   to                                           the register that is written
//   from, condition, index, indices, operands,   registers that are read; of `operands` the first `arity`
//   arguments, result, key, in, out
//   saves                                        registers that are read where `step` is called
//   slot                                         of the activation's values
//   step                                         of the plan, which the code calls: always, or where the instruction
//                                                itself cannot go on
namespace instruction {

// How the code makes a call of its own function by itself, in the next frame, where that has been set up (jit/runtime/
// invoke.cpp). In all other cases, and where the call fails, the step does it.
struct OwnCall {
  struct Passed {
    SlotId from = 0, to = 0;  // slots of one plan, in two frames
    bool last = false;        // moved
    bool number = false;      // never anything else
    uint8_t tag = 0;          // not 0: a constant number with this tag, and these bits
    uint64_t bits = 0;
  };
  std::vector<Passed> arguments, results;
  std::vector<SlotId> drops;    // of the caller; where one holds an object, the step does it all
  std::vector<SlotId> objects;  // slots that may hold one when the call has ended
  uint32_t depth = 0;           // how many calls deeper it runs
  uint32_t frames = 0;          // with no more calls left than that, it may be too deep
};

// A number that `step` finds in a slot; it is stored there only before the step is called.
struct Saved {
  SlotId slot = 0;
  Register number = 0;
};

// --- numbers ---

struct Constant {
  Register to = 0;
  uint64_t bits = 0;
};
struct Move {
  Register to = 0, from = 0;
};
struct Scalar {  // to = op(operands…)
  ops::ScalarOp op = ops::ScalarOp::add;
  uint8_t arity = 0;
  Register to = 0;
  Register operands[3] = {0, 0, 0};
};

// --- control: properly nested; registers are the function's, not a block's ---

struct If {
  Register condition = 0;
  bool cold = false;  // hardly ever holds, and there is no Else
};
struct Else {};  // at most one for an If
struct EndIf {};
struct Loop {};  // for ever; left by a break
struct EndLoop {};
struct BreakIf {  // leaves the innermost loop
  Register condition = 0;
};
struct BreakUnless {
  Register condition = 0;
};
// Stands at the head of each loop's body. Tests the activation's interrupt flag at least every 65,536 iterations, more
// often where iterations are long. If it is set, calls activation->poll(activation, step); a status other than 0 leaves
// the function.
struct Poll {
  uint32_t step = 0;
};
// Returns 0. In the routine: returns `result`, which is Routine::result.
struct Leave {
  std::optional<Register> result = {};
};

// --- the routine (Program::routine), which calls itself ---

// Where the call has failed, the function takes `step`, which raises or does all that there is to do, and ends. In the
// routine, which is called `depth` calls deeper, it has failed as well.
struct CallRoutine {
  Register to = 0;
  std::vector<Register> arguments = {};
  uint32_t step = 0;
  uint32_t depth = 0;
};
// One of LaneLoop::steps. If it cannot be done the iteration fails.
struct ArrayStep {
  uint32_t step = 0;
  std::vector<Register> arguments = {};  // LaneStep::numbers
};
struct Fail {};  // in the routine: it has failed; in a lane loop: the iteration has

// --- slots ---

struct Load {  // the slot's tag is known to be that of to's dtype
  Register to = 0;
  SlotId slot = 0;
};
struct Store {  // the slot held no object, so nothing is released
  SlotId slot = 0;
  Register from = 0;
};
struct CallStep {  // status = activation->step(activation, step); a status other than 0 leaves the function with it
  uint32_t step = 0;
  std::shared_ptr<const OwnCall> own = {};  // how a back end may do without it
};

// --- tensors: dtype and rank are known ---

struct Extent {  // to = the extent of the tensor in the slot along the axis
  Register to = 0;
  SlotId slot = 0;
  uint32_t axis = 0;
  uint32_t array = no_array;  // in a lane loop: of this one, in place of a tensor
};
// Stands before a loop: where the elements of the view lie is looked up (Code::views).
struct LookUp {
  uint32_t view = no_view;
  std::vector<Register> indices;  // View::leading: here for each_operand
};
// An element of the tensor in the slot. There is an index for each axis, also with a view. A negative index counts from
// the end.
struct ElementPlace {
  SlotId slot = 0;
  std::vector<Register> indices = {};
  uint32_t step = 0;
  std::vector<Saved> saves = {};
  uint32_t view = no_view;    // the tensor as it was looked up before the loop
  uint32_t array = no_array;  // in a lane loop: an array of the lanes' own, in place of a tensor
};
struct Element : ElementPlace {  // an index out of range: `step` raises the error
  Register to = 0;
};
// Sets the element in place, if the tensor is exclusive (Tensor::exclusive()) and no index is out of range. Else `step`
// does it all, or raises the error.
struct SetElement : ElementPlace {
  Register from = 0;
};

// --- stacks of numbers and Values, last in first out ---

struct PushNumber {  // no room: `step` makes some, and the push is tried again
  uint32_t stack = 0;
  Register from = 0;
  uint32_t step = 0;
};
struct PopNumber {  // the stack is never empty
  Register to = 0;
  uint32_t stack = 0;
};

// --- the list of numbers in a slot: all of one dtype, which is known. A negative index counts from the end ---

struct ListLength {  // an i64
  Register to = 0;
  SlotId slot = 0;
};
struct ListItem {  // out of range: `step` raises the error
  Register to = 0;
  SlotId slot = 0;
  Register index = 0;
  uint32_t step = 0;
};
// Sets the item in place, if nobody else has the list. Else, or out of range, `step` does it all, or raises the error.
struct ListSet {
  SlotId slot = 0;
  Register index = 0;
  Register from = 0;
  uint32_t step = 0;
};
// Appends. Where somebody else has the list, or it has no room, `step` makes it its own, with room, and the push is
// tried again.
struct ListPush {
  SlotId slot = 0;
  Register from = 0;
  uint32_t step = 0;
};

// --- scalars that are drawn ahead (stdlib/ops/random/ahead.hpp) ---

// The number that a buffer has for the session's next call. With `takes` that call is made by now. The buffer does not
// have it: `step` draws some, and the draw is tried again. `key`: of an example of a vmap, in place of the session's.
struct Draw {
  Register to = 0;
  uint32_t buffer = 0;
  bool takes = true;
  uint32_t step = 0;
  std::optional<Register> key = {};
  std::vector<Saved> saves = {};
};
struct NextCall {  // to = the number of the session's next call
  Register to = 0;
};
struct SetNextCall {
  Register from = 0;
};

// --- what a back end has made a function of its own (jit/simd/machine/parts.hpp) ---

struct CallPart {
  uint32_t part = 0;
  std::vector<Register> in;
  std::vector<Register> out;  // is written, but may be left as it was
};

}  // namespace instruction

struct Instruction
    : std::variant<instruction::Constant, instruction::Move, instruction::Scalar, instruction::If, instruction::Else,
                   instruction::EndIf, instruction::Loop, instruction::EndLoop, instruction::BreakIf,
                   instruction::BreakUnless, instruction::Poll, instruction::Leave, instruction::CallRoutine,
                   instruction::Fail, instruction::Load, instruction::Store, instruction::CallStep, instruction::Extent,
                   instruction::LookUp, instruction::Element, instruction::SetElement, instruction::PushNumber,
                   instruction::PopNumber, instruction::ListLength, instruction::ListItem, instruction::ListSet,
                   instruction::ListPush, instruction::Draw, instruction::NextCall, instruction::SetNextCall,
                   instruction::CallPart, instruction::ArrayStep> {
  using variant::variant;
  using variant::operator=;  // the place stays
  uint32_t place = 0;        // of ir::Graph::places: what it was made for. 0: that of the instruction before it
};

template <class... Kinds>
bool is(const Instruction& i) {
  return (std::holds_alternative<Kinds>(i) || ...);
}

// The instructions from `at`, which is inside a loop, to the end of the loop.
inline std::span<const Instruction> rest_of_loop(std::span<const Instruction> all, size_t at) {
  size_t depth = 1, end = at;
  for (; end < all.size() && depth > 0; ++end) {
    if (is<instruction::Loop>(all[end])) ++depth;
    if (is<instruction::EndLoop>(all[end])) --depth;
  }
  return all.subspan(at, end - at);
}

// A tensor in a slot that nothing in a loop puts elsewhere or exchanges, but for SetElement's step: a back end may
// keep in registers where its elements lie, and its extents and strides, and look them up again after such a step.
// Where it is not exclusive, no element can be set without that step. The slot may hold no tensor, where none is asked
// for then.
struct View {
  SlotId slot = 0;
  Dtype dtype = Dtype::f64;
  unsigned rank = 0;     // axes that are left
  bool written = false;  // SetElement is used
  // A part of another view, of the same tensor: at indices that do not change in the loop, along the first axes. Where
  // one of them is out of range the part has no elements, so that whoever asks for one goes to its step.
  uint32_t parent = no_view;
  std::vector<Register> leading = {};
};

// A new kind: see that its registers are visited below.
static_assert(std::variant_size_v<Instruction::variant> == 32);

// The register that is written, or null. Does not cover CallPart::out. The instruction may be const or not.
template <class AnyInstruction>
auto* written_by(AnyInstruction& i) {
  using Written = std::conditional_t<std::is_const_v<AnyInstruction>, const Register, Register>;
  return match<Written*>(i, [](auto& each) -> Written* {
    if constexpr (requires { each.to; })
      return &each.to;
    else
      return nullptr;
  });
}

// Calls see(register) for all that the instruction itself reads, those of CallPart::out too, since a part may leave
// them as they are. The instruction may be const or not.
template <class AnyInstruction, class See>
void each_operand(AnyInstruction& i, See&& see) {
  match(i, [&](auto& each) {
    if constexpr (requires { each.condition; }) see(each.condition);
    if constexpr (requires { each.from; }) see(each.from);
    if constexpr (requires { each.arity; })
      for (unsigned k = 0; k < each.arity; ++k) see(each.operands[k]);
    if constexpr (requires { each.index; }) see(each.index);
    if constexpr (requires { each.indices; })
      for (auto& r : each.indices) see(r);
    if constexpr (requires { each.result; })
      if (each.result) see(*each.result);
    if constexpr (requires { each.key; })
      if (each.key) see(*each.key);
    if constexpr (requires { each.arguments; })
      for (auto& r : each.arguments) see(r);
    if constexpr (requires { each.in; }) {
      for (auto& r : each.in) see(r);
      for (auto& r : each.out) see(r);
    }
  });
}
// The same, and the registers that are saved for a step.
template <class AnyInstruction, class See>
void each_read(AnyInstruction& i, See&& see) {
  each_operand(i, see);
  match(i, [&](auto& each) {
    if constexpr (requires { each.saves; })
      for (auto& saved : each.saves) see(saved.number);
  });
}

// What the emitted code sees of an activation, one call of it. The layout is part of the emitters' contract (standard
// layout, the offsets are taken with offsetof). Numbers in stacks take 8 bytes each. Whoever runs code derives from
// this (jit/runtime/activation.hpp).
struct NumberStack {
  uint64_t* top = nullptr;  // the next free word
  uint64_t* end = nullptr;  // no room there
  uint64_t* base = nullptr;
};
// What a loop of measured code has taken, in ticks of the processor's clock.
struct LoopTime {
  uint64_t times = 0, ticks = 0;
};

struct ActivationRecord {
  int32_t (*step)(ActivationRecord*, uint32_t index) noexcept = nullptr;
  int32_t (*poll)(ActivationRecord*, uint32_t index) noexcept = nullptr;
  const std::atomic<bool>* interrupt = nullptr;  // one byte; true: somebody wants attention
  Value* slots = nullptr;                        // 16 bytes each, the tag first, the payload at byte 8
  NumberStack* stacks = nullptr;
  int64_t calls = 0;   // how deep the routine may go
  int64_t failed = 0;  // whether it has; or what a call of its own needs (OwnCall)
  static constexpr int64_t own_call_failed = 2, own_call_left_objects = 3;  // values of `failed`
  uint64_t* cells = nullptr;                                                // of a back end that asks for some
  // The session's, of a plan that draws.
  ops::Random* random = nullptr;
  const ops::DrawnAhead* drawn = nullptr;
  // Of measured code: by the step of a loop's Poll; the outermost loop that runs, from 1, and when it began.
  LoopTime* loop_times = nullptr;
  uint64_t loop = 0, loop_began = 0;
  // Of calls that functions make of themselves: the next frame, if it is set up for a run, which one that is, how many
  // frames are open, and how many calls may be made inside this one, -1: not yet known.
  ActivationRecord* deeper = nullptr;
  uint64_t run_number = 0;
  size_t* open = nullptr;
  int64_t calls_left = -1;
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

// A function of numbers that calls itself: numbers come and go in machine registers. It takes no steps. Slots are those
// of the function that has made the first call: tensors and lists of which all calls read elements. Where anything goes
// wrong it fails, as does each call that waits for it; nothing has happened then, and the whole call is made again,
// by the function's code or by the interpreter. It fails also where calls may have become too deep: with `calls` left
// for it, as many as it may have open in frames of its own and `frames` of functions that are part of it.
struct Routine {
  Code code;
  std::vector<Register> parameters;
  Register result = 0;
  uint32_t frames = 0;
  static constexpr size_t max_parameters = 12;  // numbers
  // More than one call takes of the machine's stack.
  size_t stack_bytes() const { return 1024 + 32 * code.registers.size(); }
};

// A step that an iteration of a lane loop takes on arrays of its own, which are tensors in the loop itself.
struct LaneStep {
  enum class Kind : uint8_t {
    fill,    // array `to` gets the extents numbers[1…], and numbers[0] in all elements
    take,    // … the elements of the tensor in slot `from`: the part at `numbers` along its first axes
    copy,    // … the elements of array `from`, whose extents are `numbers`, if there are any
    expect,  // array `from` has the extents `numbers`
    swap,    // arrays `to` and `from` change places
    launch,  // `arrays`: the outputs of launch `from` of the plan, then its inputs
    put,     // the part of the tensor in slot `to` that has the iteration's number along the first axis = array `from`
  };
  Kind kind = Kind::fill;
  uint32_t to = 0, from = 0;
  Dtype dtype = Dtype::f64;           // fill
  std::vector<uint32_t> arrays = {};  // launch
  struct Number {
    enum class Kind : uint8_t { constant, slot, argument } kind = Kind::constant;  // slot: one from outside
    uint64_t bits = 0;                                                             // the constant's, or the slot
  };
  std::vector<Number> numbers = {};
  static constexpr size_t max_numbers = 8;  // numbers
};
// One iteration of a loop whose iterations are independent, for a back end that computes several at once, one in each
// lane of a vector (jit/loops/lanes). It reads slots and sets elements. Arrays that an iteration makes for itself are
// arrays of the lanes' own. Other steps it does not take: an iteration fails where the loop itself takes one, and then
// the loop goes on from there. Nothing reads the elements that it sets. It takes all from its stacks that it puts
// there.
struct LaneLoop {
  Code code;
  size_t head = 0;         // instructions that stand before the iteration: Constant, Load and LookUp
  Register iteration = 0;  // its number; is not written
  uint32_t stacks = 0;
  uint32_t arrays = 0;
  int64_t max_elements = INT64_MAX;  // of an array, for each lane: with more the iteration fails
  std::vector<LaneStep> steps = {};
  std::shared_ptr<const Varying> varying = {};  // what differs between iterations (lanes/varying.hpp)
};
// A stack of the lanes' own: a row has a word for each lane.
struct LaneStack {
  uint64_t* words = nullptr;
  int64_t rows = 0;
};
// An array of the lanes' own: element k of lane l is place k * lanes + l. Extents are those of each lane.
struct LaneArray {
  static constexpr size_t max_rank = 4;  // axes
  std::byte* data = nullptr;
  int64_t extents[max_rank] = {};
  int64_t is_made = 0;  // in this group of lanes; 0: extents[0] is 0 as well
  // The runtime's alone.
  uint64_t rank = 0, size = 0;  // axes; bytes of an element
  uint64_t room = 0;            // bytes
};
struct LaneRecord {
  static constexpr uint64_t none = UINT64_MAX;
  static constexpr size_t max_lanes = 8;  // of the widest vectors: 64-bit numbers
  LaneStack* stacks = nullptr;
  uint64_t full = none;  // the stack that had no room
  LaneArray* arrays = nullptr;
  // Does LaneLoop::steps[step] for lanes whose bit is set in `active`, of iterations first … end − 1 in `lanes` lanes.
  // 0: it has.
  int64_t (*step)(LaneRecord*, uint32_t step, int64_t first, int64_t end, uint32_t active, uint32_t lanes) = nullptr;
  uint64_t arguments[LaneStep::max_numbers][max_lanes] = {};  // of the step, each a number for each lane
};
// Computes iterations begin … end − 1 of a lane loop, and gives the first that it has not computed: some iterations
// before one that has failed or has found no room, or `end`.
using LaneFunction = int64_t (*)(ActivationRecord*, int64_t begin, int64_t end, LaneRecord*);

struct Program {
  Code code;
  std::vector<Kernel> kernels;
  std::optional<Routine> routine = {};
  std::vector<LaneLoop> lane_loops = {};
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
