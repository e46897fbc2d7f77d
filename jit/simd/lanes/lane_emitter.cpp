#include "jit/simd/lanes/lane_emitter.hpp"

#include <algorithm>
#include <cstddef>

#include "jit/simd/machine/access.hpp"
#include "stdlib/value/match.hpp"

namespace covec::simd {

using loops::ActivationRecord;
using loops::Instruction;
using loops::Register;
namespace instruction = loops::instruction;
using ops::ScalarOp;

namespace {

constexpr int widest = 8;                   // bytes of an element: lanes are as many for all dtypes
constexpr int rounds_between_polls = 8192;  // of loops

}  // namespace

LaneEmitter::LaneEmitter(Emitter& emitter, const loops::LaneLoop& loop)
    : e_(emitter),
      cc_(emitter.cc),
      loop_(loop),
      varying_(*loop.varying),
      halves_(loop.code, varying_),
      r_(emitter, loop.code),
      s_(emitter, r_),
      calls_(emitter, r_),
      memory_(emitter, r_),
      slots_(emitter, r_, memory_),
      views_(emitter, r_, slots_),
      v_(emitter, (emitter.avx512() ? 64 : 32) / widest, widest),
      ops_(emitter, v_),
      values_(emitter, loop, varying_, r_, slots_, v_),
      control_(emitter, varying_, r_, v_, values_),
      lane_memory_(emitter, v_, values_),
      elements_(emitter, loop, varying_, r_, views_, v_, ops_, values_, lane_memory_, group_),
      stacks_(emitter, loop, varying_, r_, memory_, v_, ops_, values_, lane_memory_, group_),
      arrays_(emitter, loop, varying_, r_, v_, values_, lane_memory_, elements_, group_) {
  for (Register r = 0; r < loop.code.registers.size(); ++r) {
    if (varying_.constant(r)) r_.set_constant(r, *varying_.constant(r));
  }
}

asmjit::FuncNode* LaneEmitter::begin() {
  using Signature = asmjit::FuncSignatureT<int64_t, ActivationRecord*, int64_t, int64_t, loops::LaneRecord*>;
  asmjit::FuncNode* function = cc_.addFunc(Signature());
  if (function == nullptr) return nullptr;
  function->frame().setAvxEnabled();
  function->frame().setAvxCleanup();
  if (e_.avx512()) function->frame().setAvx512Enabled();
  e_.begin_cold_part();
  calls_.begin(function);
  group_.first = cc_.newInt64("first");
  limit_ = cc_.newInt64("limit");
  function->setArg(1, group_.first);
  function->setArg(2, limit_);
  x86::Gp record = cc_.newIntPtr("record");
  function->setArg(3, record);
  stacks_.begin(record);
  arrays_.begin(record);
  return function;
}

asmjit::FuncNode* LaneEmitter::function() {
  asmjit::FuncNode* function = begin();
  if (function == nullptr) return nullptr;
  head();
  Label next_group = cc_.newLabel(), ended = cc_.newLabel();
  group_.fail = cc_.newLabel();
  group_.end = cc_.newInt64("end");
  cc_.bind(next_group);
  cc_.cmp(group_.first, limit_);
  cc_.jge(ended);
  begin_group();
  const std::vector<Instruction>& all = loop_.code.instructions;
  for (size_t at = loop_.head; at < all.size(); ++at) {
    e_.set_place(all[at]);
    emit(all[at], at);
    r_.end_instruction();
  }
  stacks_.end_group();
  cc_.mov(group_.first, group_.end);
  cc_.jmp(next_group);
  cc_.bind(ended);
  cc_.bind(group_.fail);
  cc_.ret(group_.first);
  cc_.endFunc();
  return function;
}

// What is there for all iterations.
void LaneEmitter::head() {
  slots_.begin(calls_);
  views_.begin(loop_.code.views);
  budget_ = cc_.newInt32("budget");
  cc_.mov(budget_, rounds_between_polls);
  for (size_t at = 0; at < loop_.head; ++at) {
    const Instruction& i = loop_.code.instructions[at];
    if (const auto* const load = std::get_if<instruction::Load>(&i)) {
      values_.note_given(*load);
      slots_.load(*load);
    }
    if (const auto* const look = std::get_if<instruction::LookUp>(&i)) views_.look_up(look->view);
    r_.end_instruction();
  }
}

// As many lanes as there are iterations left.
void LaneEmitter::begin_group() {
  x86::Gp rest = cc_.newInt64("rest"), lanes = cc_.newInt64();
  poll(loop_.code.instructions.size());
  cc_.mov(rest, limit_);
  cc_.sub(rest, group_.first);
  cc_.mov(lanes, v_.lanes());
  cc_.cmp(rest, lanes);
  cc_.cmovg(rest, lanes);
  cc_.mov(group_.end, group_.first);
  cc_.add(group_.end, rest);
  const x86::Reg lane_numbers = lane_memory_.lane_numbers();
  const x86::Reg numbers = lane_memory_.in_all_lanes(group_.first);
  cc_.emit(Inst::kIdVpaddq, numbers, numbers, lane_numbers);
  values_.give_iterations(numbers);
  if (e_.avx512()) {
    x86::Gp bits = cc_.newInt32();
    const x86::Reg active = v_.make(Dtype::boolean);
    cc_.mov(bits, -1);
    cc_.bzhi(bits, bits, rest.r32());
    cc_.emit(Inst::kIdKmovw, active, bits);
    control_.begin_group(active);
  } else {
    control_.begin_group(v_.emit(Inst::kIdVpcmpgtq, Dtype::i64, lane_memory_.in_all_lanes(rest), lane_numbers));
  }
  stacks_.begin_group();
  arrays_.begin_group();
}

// Somebody wants attention: the lanes' step looks at what it is.
void LaneEmitter::poll(size_t instructions) {
  calls_.look_for_attention(budget_, rounds_between_polls, instructions, [&](Label) { cc_.jmp(group_.fail); });
}

void LaneEmitter::emit(const Instruction& any, size_t at) {
  match(
      any, [&](const instruction::Constant& i) { constant(i, at); }, [&](const instruction::Move& i) { move(i, at); },
      [&](const instruction::Scalar& i) { scalar(i, at); }, [&](const instruction::If& i) { control_.open_if(i, at); },
      [&](const instruction::Else&) { control_.open_else(); }, [&](const instruction::EndIf&) { control_.close_if(); },
      [&](const instruction::Loop&) { control_.open_loop(at); },
      [&](const instruction::EndLoop&) { control_.close_loop(); },
      [&](const instruction::BreakIf& i) { control_.leave_loop(i.condition, true); },
      [&](const instruction::BreakUnless& i) { control_.leave_loop(i.condition, false); },
      [&](const instruction::Poll&) { poll(loops::rest_of_loop(loop_.code.instructions, at).size()); },
      [&](const instruction::Fail&) { cc_.jmp(group_.fail); }, [&](const instruction::Load& i) { load(i, at); },
      [&](const instruction::Extent& i) { extent(i, at); }, [&](const instruction::Element& i) { element(i, at); },
      [&](const instruction::SetElement& i) {
        if (i.array == loops::no_array) return elements_.store(i, control_.active());
        arrays_.store(i, control_.active(), !control_.is_parted());
      },
      [&](const instruction::ArrayStep& i) { arrays_.step(i, control_.active()); },
      [&](const instruction::PushNumber& i) { stacks_.push(i, control_.active()); },
      [&](const instruction::PopNumber& i) { stacks_.pop(i, at, control_.active()); }, [](const auto&) {});
  const Register* const to = loops::written_by(any);
  if (to != nullptr && !varying_.varies(*to)) values_.note_computed(*to);
}

// --- numbers ---

void LaneEmitter::move(const instruction::Move& i, size_t at) {
  if (!varying_.varies(i.to)) return r_.move(i.to, i.from);
  bool own = false;
  x86::Reg from = values_.vector(i.from, own);
  if (varying_.is_local(i.to) && !own) {
    x86::Reg copy = v_.make(r_.dtype(i.to));
    v_.move(copy, from, r_.dtype(i.to));
    from = copy;
  }
  values_.give(i.to, at, from, control_.active());
}

void LaneEmitter::scalar(const instruction::Scalar& i, size_t at) {
  if (!varying_.varies(i.to)) return s_.apply(i);
  values_.give(i.to, at, lanes_of(i, at), control_.active());
}

x86::Reg LaneEmitter::lanes_of(const instruction::Scalar& given, size_t at) {
  bool is_own = false;
  if (halves_.is_cut_in_vain(given.to) && varying_.varies(given.operands[0]) && varying_.dies(given.operands[0], at))
    return values_.vector(given.operands[0], is_own);
  instruction::Scalar i = given;
  const auto commutes = [&] {
    using enum ScalarOp;
    return i.op == add || i.op == mul || i.op == bit_and || i.op == bit_or || i.op == bit_xor || i.op == eq ||
           i.op == ne;
  };
  if (i.arity == 2 && commutes() && !varying_.varies(i.operands[0])) std::swap(i.operands[0], i.operands[1]);
  const Register last = i.operands[i.arity - 1];
  VectorRequest request{i.op, r_.dtype(i.to), r_.dtype(last), {}, {}, {}};
  request.halves = halves_.multiplies(i);
  if (i.arity > 1) request.constant = varying_.constant(last);
  request.selects_zero = i.op == ScalarOp::select && varying_.constant(i.operands[1]) == 0;
  for (unsigned operand = 0; operand < i.arity; ++operand) {
    const Register r = i.operands[operand];
    bool own = false;
    if (operand == 1 && ops_.keeps_or_clears(request)) continue;
    if (operand + 1 < i.arity)
      request.operands[operand] = values_.vector(r, own);
    else if (!ops_.knows_constant(request))
      request.operands[operand] = values_.operand(r, ops_.may_be_memory(request), own);
    request.dies[operand] = own || varying_.dies(r, at);
  }
  x86::Reg made = ops_.apply(request);
  for (unsigned operand = 0; operand < i.arity; ++operand) {
    if (request.dies[operand] || request.operands[operand] != made) continue;
    x86::Reg copy = v_.make(r_.dtype(i.to));
    v_.move(copy, made, r_.dtype(i.to));
    return copy;
  }
  return made;
}

void LaneEmitter::element(const instruction::Element& i, size_t at) {
  if (i.array != loops::no_array) return values_.give(i.to, at, arrays_.load(i, control_.active()), control_.active());
  if (varying_.varies(i.to)) return values_.give(i.to, at, elements_.load(i, control_.active()), control_.active());
  const Dtype dtype = r_.dtype(i.to);
  memory_.load(i.to, views_.element(i.view, views_.offset(i, dtype, false, group_.fail), dtype));
}

// What is the same in all lanes, but goes to a register that is not.
void LaneEmitter::constant(const instruction::Constant& i, size_t at) {
  if (!varying_.varies(i.to)) return r_.load_constant(i.to, i.bits);
  values_.give(i.to, at, values_.memory().broadcast_constant(i.bits, r_.dtype(i.to)), control_.active());
}
void LaneEmitter::load(const instruction::Load& i, size_t at) {
  if (!varying_.varies(i.to)) return slots_.load(i);
  values_.give(i.to, at, values_.memory().broadcast(slots_.payload(i.slot), r_.dtype(i.to)), control_.active());
}
void LaneEmitter::extent(const instruction::Extent& i, size_t at) {
  const x86::Mem from = i.array != loops::no_array
                            ? arrays_.extent(i)
                            : x86::ptr(slots_.header(i.slot), simd::at(TensorLayout::dims + 8 * i.axis));
  if (!varying_.varies(i.to)) return memory_.load(i.to, from);
  values_.give(i.to, at, values_.memory().broadcast(from, Dtype::i64), control_.active());
}

}  // namespace covec::simd
