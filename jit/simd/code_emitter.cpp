#include "jit/simd/code_emitter.hpp"

#include <algorithm>
#include <cstddef>

#include "jit/simd/loop_timer.hpp"
#include "jit/simd/own_calls.hpp"
#include "stdlib/value/match.hpp"

namespace covec::simd {

using loops::ActivationRecord;
using loops::Code;
using loops::Instruction;
namespace instruction = loops::instruction;
using loops::Register;
using ops::ScalarOp;

namespace {

template <class... Kinds>
bool has(const Code& code) {
  return std::ranges::any_of(code.instructions, loops::is<Kinds...>);
}

constexpr int iterations_between_polls = 65'536;  // of loops (docs/compiling.md)

size_t length_with_parts(std::span<const Instruction> code, std::span<const Part> parts) {
  size_t length = code.size();
  for (const Instruction& i : code) {
    const auto* const call = std::get_if<instruction::CallPart>(&i);
    if (call != nullptr) length += length_with_parts(parts[call->part].code.instructions, parts);
  }
  return length;
}

}  // namespace

CodeEmitter::CodeEmitter(Emitter& emitter, const loops::Program& program, const Code& code, Parts& parts, Label& entry,
                         const Part* part)
    : e_(emitter),
      cc_(emitter.cc),
      code_(code),
      is_routine_(program.routine && &code == &program.routine->code),
      parts_(parts),
      part_(part),
      entry_(entry),
      plan_(code, part),
      r_(emitter, code),
      s_(emitter, r_),
      calls_(emitter, r_),
      memory_(emitter, r_, calls_) {
  if (program.routine) routine_.emplace(emitter, r_, *program.routine);
  for (Register r = 0; r < code.registers.size(); ++r) {
    if (plan_.constant(r)) r_.set_constant(r, *plan_.constant(r));
  }
}

// Two-operand instructions change their first operand, fma its last.
void CodeEmitter::reuse_operand(const instruction::Scalar& i, size_t at) {
  using enum ScalarOp;
  const bool integers = !is_float(r_.dtype(i.to)) && r_.dtype(i.to) != Dtype::boolean;
  const bool changes =
      integers && (i.op == add || i.op == sub || i.op == bit_and || i.op == bit_or || i.op == bit_xor ||
                   i.op == bit_not || i.op == shift_left || i.op == shift_right || i.op == shift_right_logical);
  if (i.op != fma && !changes) return;
  const unsigned operand = i.op == fma ? 2 : 0;
  if (plan_.is_last_use(i.operands[operand], at)) r_.reuse_operand(i, operand);
}

void CodeEmitter::release_after(size_t at) {
  const auto release = [&](Register r) {
    if (plan_.is_last_use(r, at)) r_.release(r);
  };
  if (const instruction::Scalar* const compare = plan_.comparison_of(at)) {
    release(compare->operands[0]);
    release(compare->operands[1]);
    release(compare->to);
  }
  const Instruction& i = code_.instructions[at];
  loops::each_read(i, release);
  if (const Register* const to = loops::written_by(i)) release(*to);
}

asmjit::FuncNode* CodeEmitter::begin() {
  if (is_routine()) {
    asmjit::FuncNode* routine = routine_->begin(entry_);
    using namespace instruction;
    if (routine == nullptr || !has<Element, Extent, ListItem, ListLength>(code_)) return routine;
    calls_.begin_in_routine(routine_->activation(), routine_->failed());
    memory_.begin(false, false, code_.views);
    return routine;
  }
  asmjit::FuncNode* function = cc_.addFunc(asmjit::FuncSignatureT<int32_t, ActivationRecord*>());
  if (function == nullptr) return nullptr;
  function->frame().setAvxEnabled();
  function->frame().addAttributes(asmjit::FuncAttributes::kHasFuncCalls);
  function->frame().updateCallStackSize(sizeof(ColdCall));
  e_.begin_cold_part();
  calls_.begin(function);
  memory_.begin(has<instruction::PushNumber, instruction::PopNumber>(code_),
                has<instruction::Draw, instruction::NextCall, instruction::SetNextCall>(code_), code_.views);
  if (part_ != nullptr) {
    parts_.entries.push_back(function->label());
    cross_own(part_->in, true);
  }
  return function;
}

asmjit::FuncNode* CodeEmitter::function() {
  asmjit::FuncNode* function = begin();
  if (function == nullptr) return nullptr;
  budget_ = cc_.newInt32("budget");
  if (has<instruction::Poll>(code_)) cc_.mov(budget_, iterations_between_polls);
  for (size_t at = 0; at < code_.instructions.size(); ++at) {
    e_.set_place(code_.instructions[at]);
    if (at >= put_off_) emit(code_.instructions[at], at);
    r_.end_instruction();
    release_after(at);
  }
  if (part_ != nullptr) {
    cross_own(part_->out, false);
    calls_.end_part();
  } else {
    is_routine() ? routine_->end() : calls_.end();
  }
  cc_.endFunc();
  return function;
}

void CodeEmitter::emit(const Instruction& any, size_t at) {
  match(
      any, [&](const instruction::Constant& i) { r_.load_constant(i.to, i.bits); },
      [&](const instruction::Move& i) { r_.move(i.to, i.from); },
      [&](const instruction::Scalar& i) { emit_scalar(i, at); }, [&](const instruction::If& i) { open_if(i, at); },
      [&](const instruction::Else&) { open_else(); }, [&](const instruction::EndIf&) { close_if(); },
      [&](const instruction::Loop&) { open_loop(at); }, [&](const instruction::EndLoop&) { close_loop(); },
      [&](const instruction::BreakIf& i) { jump(i.condition, at, true, innermost_loop().end); },
      [&](const instruction::BreakUnless& i) { jump(i.condition, at, false, innermost_loop().end); },
      [&](const instruction::Poll&) { poll(at); },
      [&](const instruction::Leave&) { is_routine() ? routine_->leave() : calls_.leave(); },
      [&](const instruction::CallRoutine& i) { call_routine(i); },
      [&](const instruction::CallPart& i) { call_part(i); }, [](const instruction::ArrayStep&) {},
      [&](const instruction::Fail&) { routine_->fail(); },
      [&](const instruction::CallStep& i) {
        if (i.own != nullptr && part_ == nullptr && cold_ == 0) return OwnCalls(e_, r_, calls_).call(i);
        cold_ > 0 ? calls_.cold_step(i.step) : calls_.step(i.step);
      },
      [&](const instruction::Element& i) { memory_.emit(i, std::span(code_.instructions).subspan(at + 1)); },
      [&](const auto& i) { memory_.emit(i); });
}

void CodeEmitter::emit_scalar(const instruction::Scalar& i, size_t at) {
  if (plan_.is_fused(at)) return;
  reuse_operand(i, at);
  s_.apply(i, plan_.comparison_of(at));
}

// --- control ---

void CodeEmitter::open_if(const instruction::If& i, size_t at) {
  blocks_.push_back({{}, cc_.newLabel(), cc_.newLabel()});
  if (!i.cold) return jump(i.condition, at, false, blocks_.back().other);
  jump(i.condition, at, true, blocks_.back().other);
  cc_.bind(blocks_.back().end);
  blocks_.back().back = e_.begin_out_of_line();
  cc_.bind(blocks_.back().other);
  ++cold_;
}

void CodeEmitter::open_else() {
  blocks_.back().has_else = true;
  cc_.jmp(blocks_.back().end);
  cc_.bind(blocks_.back().other);
}

void CodeEmitter::close_if() {
  if (blocks_.back().back != nullptr) {
    cc_.jmp(blocks_.back().end);
    e_.go_to(blocks_.back().back);
    blocks_.pop_back();
    --cold_;
    return;
  }
  if (!blocks_.back().has_else) cc_.bind(blocks_.back().other);
  cc_.bind(blocks_.back().end);
  blocks_.pop_back();
}

// A loop that begins with one comparison makes it at the end of each iteration, and jumps there at first: a jump less.
// Its operands have their places there still, since no register is local that is written before a loop and read in it.
void CodeEmitter::open_loop(size_t at) {
  const auto* const first = std::get_if<instruction::Poll>(&code_.instructions[at + 1]);
  const bool outermost = std::ranges::none_of(blocks_, [](const Block& block) { return block.head.isValid(); });
  std::optional<uint32_t> timed;
  if (e_.timed() && !is_routine() && first != nullptr && outermost) {
    timed = first->step;
    LoopTimer(cc_, r_, calls_, *timed).begin();
    r_.end_instruction();
  }
  memory_.enter_loop();
  Block& loop = blocks_.emplace_back(Block{cc_.newLabel(), {}, cc_.newLabel()});
  loop.timed = timed;
  const std::vector<Instruction>& all = code_.instructions;
  if (at + 3 < all.size() && loops::is<instruction::Poll>(all[at + 1]) &&
      loops::is<instruction::BreakUnless>(all[at + 3]) && plan_.comparison_of(at + 3) != nullptr &&
      plan_.comparison_of(at + 3) == std::get_if<instruction::Scalar>(&all[at + 2])) {
    loop.poll = at + 1;
    loop.question = cc_.newLabel();
    put_off_ = at + 4;
    cc_.jmp(loop.question);
  }
  cc_.bind(loop.head);
}

void CodeEmitter::close_loop() {
  const Block& loop = blocks_.back();
  if (loop.poll) {
    cc_.bind(loop.question);
    poll(*loop.poll);
    r_.end_instruction();
    s_.jump_on_compare(std::get<instruction::Scalar>(code_.instructions[*loop.poll + 1]), true, loop.head);
  } else {
    cc_.jmp(loop.head);
  }
  cc_.bind(loop.end);
  const std::optional<uint32_t> timed = loop.timed;
  blocks_.pop_back();
  memory_.leave_loop();
  if (timed) LoopTimer(cc_, r_, calls_, *timed).end();
}

const CodeEmitter::Block& CodeEmitter::innermost_loop() const {
  size_t k = blocks_.size() - 1;
  while (!blocks_[k].head.isValid()) --k;
  return blocks_[k];
}

void CodeEmitter::jump(Register condition, size_t at, bool when, Label to) {
  if (const instruction::Scalar* const compare = plan_.comparison_of(at)) return s_.jump_on_compare(*compare, when, to);
  const x86::Gp truth = r_.gp(condition);
  cc_.test(truth, truth);
  if (when)
    cc_.jnz(to);
  else
    cc_.jz(to);
}

void CodeEmitter::poll(size_t at) {
  const size_t iteration = length_with_parts(loops::rest_of_loop(code_.instructions, at), parts_.all);
  calls_.look_for_attention(budget_, iterations_between_polls, iteration, [&](Label back) {
    is_routine() ? routine_->fail() : calls_.poll(std::get<instruction::Poll>(code_.instructions[at]).step);
    cc_.jmp(back);
  });
}

void CodeEmitter::call_routine(const instruction::CallRoutine& i) {
  if (is_routine()) return routine_->call(i, entry_);
  routine_->call_first(i, entry_, calls_.activation());
  Label failed = cc_.newLabel();
  cc_.cmp(RoutineCalls::has_failed(calls_.activation()), 0);
  cc_.jne(failed);
  e_.out_of_line([&] {
    cc_.bind(failed);
    calls_.cold_step(i.step);
    calls_.leave();
  });
}

// --- parts ---

void CodeEmitter::call_part(const instruction::CallPart& i) {
  const Part& part = parts_.all[i.part];
  cross(part.in, i.in, false);
  asmjit::InvokeNode* node = nullptr;
  x86::Gp status = r_.word().r32();
  cc_.invoke(&node, parts_.entries[i.part], asmjit::FuncSignatureT<int32_t, ActivationRecord*>());
  if (node == nullptr) return;
  node->setArg(0, calls_.activation());
  node->setRet(0, status);
  calls_.leave_with_part(status, part_ != nullptr);
  cross(part.out, i.out, true);
}

// Numbers from their cells, or to them.
void CodeEmitter::cross(std::span<const Crossing> crossings, std::span<const Register> numbers, bool load) {
  if (crossings.empty()) return;
  x86::Gp cells = r_.word();
  cc_.mov(cells, calls_.field(offsetof(ActivationRecord, cells)));
  for (size_t k = 0; k < crossings.size(); ++k) {
    const x86::Reg& machine_register = r_.machine_register(numbers[k]);
    const bool wide = register_size(r_.dtype(numbers[k])) == 8;
    const x86::Mem cell = x86::ptr(cells, static_cast<int32_t>(8 * crossings[k].cell), wide ? 8 : 4);
    const InstId move = !r_.is_float_register(numbers[k]) ? Inst::kIdMov : wide ? Inst::kIdVmovsd : Inst::kIdVmovss;
    if (load)
      cc_.emit(move, machine_register, cell);
    else
      cc_.emit(move, cell, machine_register);
  }
}

void CodeEmitter::cross_own(const std::vector<Crossing>& crossings, bool load) {
  std::vector<Register> numbers;
  for (const Crossing& crossing : crossings) numbers.push_back(crossing.number);
  cross(crossings, numbers, load);
  r_.end_instruction();
}

}  // namespace covec::simd
