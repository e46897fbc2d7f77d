// Control and calls. Slots, stacks and elements are in code_values.cpp.
#include "jit/simd/code_emitter.hpp"

#include <algorithm>
#include <cstddef>

#include "stdlib/tensor/layout.hpp"

namespace covec::simd {

using loops::Activation;
using loops::Code;
using loops::Instruction;
using loops::Register;
using ops::ScalarOp;

namespace {

constexpr int passes_between_looks = 65'536;

using Kind = Instruction::Kind;

// `open` has an entry for each if that is open: whether it is seldom.
bool parts_or_joins(const Instruction& i, std::vector<bool>& open) {
  if (i.kind == Kind::if_) {
    open.push_back(i.seldom);
    return !i.seldom;
  }
  if (i.kind == Kind::end_if) {
    const bool seldom = open.back();
    open.pop_back();
    return !seldom;
  }
  return i.kind == Kind::else_ || i.kind == Kind::loop || i.kind == Kind::end_loop;
}

bool is_comparison(const Instruction& i) {
  return i.kind == Kind::scalar &&
         (i.op == ScalarOp::lt || i.op == ScalarOp::le || i.op == ScalarOp::eq || i.op == ScalarOp::ne);
}

}  // namespace

CodeEmitter::CodeEmitter(Emitter& emitter, const Code& code)
    : e_(emitter), cc_(emitter.cc), code_(code), s_(emitter, code), fused_(code.instructions.size(), false) {
  find_constants();
  find_fusions();
  find_locals();
}

// Registers that are written once, with a constant.
void CodeEmitter::find_constants() {
  std::vector<unsigned> written(code_.registers.size(), 0);
  for (const Instruction& i : code_.instructions) {
    if (writes(i)) ++written[i.to];
  }
  for (const Instruction& i : code_.instructions) {
    if (i.kind == Kind::constant && written[i.to] == 1) s_.set_constant(i.to, i.bits);
  }
}

// Comparisons whose result is read only by the instruction behind them, which can do without it.
void CodeEmitter::find_fusions() {
  std::vector<unsigned> reads(code_.registers.size(), 0);
  for (const Instruction& i : code_.instructions) {
    for (unsigned k = 0; k < operands_of(i); ++k) ++reads[i.operands[k]];
  }
  for (size_t at = 0; at + 1 < code_.instructions.size(); ++at) {
    fused_[at] =
        is_comparison(code_.instructions[at]) && reads[code_.instructions[at].to] == 1 && makes_condition_of(at);
  }
}

// Whether instruction at + 1 takes the result of comparison `at` as flags or mask of its own kind.
bool CodeEmitter::makes_condition_of(size_t at) const {
  const Instruction& compare = code_.instructions[at];
  const Instruction& next = code_.instructions[at + 1];
  if (operands_of(next) == 0 || next.operands[0] != compare.to) return false;
  if (next.kind == Kind::if_ || next.kind == Kind::break_if || next.kind == Kind::break_unless) return true;
  if (next.kind != Kind::scalar || next.op != ScalarOp::select) return false;
  const Dtype compared = s_.dtype(compare.operands[0]), selected = s_.dtype(next.to);
  return is_float(selected) ? compared == selected : !is_float(compared);
}

// Registers that are written and then read before the next place where paths part or meet (a seldom if does not count:
// its code and what follows are one path, of which a piece is left out). Their
// places are taken by others after the last use: asmjit's time grows with the number of registers and of blocks.
void CodeEmitter::find_locals() {
  struct Seen {
    unsigned written = 0;
    size_t run = 0;
    bool elsewhere = false;
  };
  std::vector<Seen> seen(code_.registers.size());
  last_use_.assign(code_.registers.size(), not_local);
  size_t run = 0;
  std::vector<bool> open;
  const auto read = [&](Register r, size_t at) {
    seen[r].elsewhere = seen[r].elsewhere || seen[r].written == 0 || seen[r].run != run;
    last_use_[r] = at;
  };
  for (size_t at = 0; at < code_.instructions.size(); ++at) {
    const Instruction& i = code_.instructions[at];
    for (unsigned k = 0; k < operands_of(i); ++k) read(i.operands[k], at + (fused_[at] ? 1 : 0));
    for (Register r : i.indices) read(r, at);
    run += parts_or_joins(i, open);
    if (!writes(i)) continue;
    if (seen[i.to].written++ == 0) seen[i.to].run = run;
    seen[i.to].elsewhere = seen[i.to].elsewhere || seen[i.to].run != run;
    last_use_[i.to] = at;
  }
  for (Register r = 0; r < code_.registers.size(); ++r) {
    if (seen[r].elsewhere || seen[r].written == 0 || s_.is_constant(r)) last_use_[r] = not_local;
  }
}

// Two-operand instructions change their first operand, fma its last.
void CodeEmitter::hand_over(const Instruction& i, size_t at) {
  using enum ScalarOp;
  const bool integers = !is_float(s_.dtype(i.to)) && s_.dtype(i.to) != Dtype::boolean;
  const bool changes =
      integers && (i.op == add || i.op == sub || i.op == bit_and || i.op == bit_or || i.op == bit_xor ||
                   i.op == bit_not || i.op == shift_left || i.op == shift_right || i.op == shift_right_logical);
  if (i.op != fma && !changes) return;
  const unsigned operand = i.op == fma ? 2 : 0;
  if (last_use_[i.operands[operand]] == at) s_.hand_over(i, operand);
}

void CodeEmitter::release_after(size_t at) {
  const auto release = [&](Register r) {
    if (last_use_[r] == at) s_.release(r);
  };
  const auto release_all = [&](const Instruction& i) {
    for (unsigned k = 0; k < operands_of(i); ++k) release(i.operands[k]);
    for (Register r : i.indices) release(r);
    if (writes(i)) release(i.to);
  };
  if (at > 0 && fused_[at - 1]) release_all(code_.instructions[at - 1]);
  release_all(code_.instructions[at]);
}

bool CodeEmitter::has(Kind kind) const {
  return std::any_of(code_.instructions.begin(), code_.instructions.end(),
                     [&](const Instruction& i) { return i.kind == kind; });
}

asmjit::FuncNode* CodeEmitter::function() {
  asmjit::FuncNode* function = cc_.addFunc(asmjit::FuncSignatureT<int32_t, Activation*>());
  if (function == nullptr) return nullptr;
  function->frame().setAvxEnabled();
  function->frame().addAttributes(asmjit::FuncAttributes::kHasFuncCalls);
  function->frame().updateCallStackSize(sizeof(SeldomCall));
  e_.begin_cold_part();
  activation_ = cc_.newIntPtr("activation");
  slots_ = cc_.newIntPtr("slots");
  stacks_ = cc_.newIntPtr("stacks");
  status_ = cc_.newInt32("status");
  budget_ = cc_.newInt32("budget");
  function->setArg(0, activation_);
  cc_.mov(slots_, x86::qword_ptr(activation_, offsetof(Activation, slots)));
  if (has(Kind::push) || has(Kind::pop)) cc_.mov(stacks_, x86::qword_ptr(activation_, offsetof(Activation, stacks)));
  if (has(Kind::poll)) cc_.mov(budget_, passes_between_looks);
  leave_ = cc_.newLabel();
  leave_with_status_ = cc_.newLabel();
  for (size_t at = 0; at < code_.instructions.size(); ++at) {
    emit(code_.instructions[at], at);
    s_.end_instruction();
    release_after(at);
  }
  cc_.bind(leave_);
  cc_.mov(status_, 0);
  cc_.bind(leave_with_status_);
  cc_.ret(status_);
  cc_.endFunc();
  return function;
}

void CodeEmitter::emit(const Instruction& i, size_t at) {
  if (at < put_off_) return;
  switch (i.kind) {
    case Kind::constant: return s_.load_constant(i.to, i.bits);
    case Kind::move: return s_.move(i.to, i.operands[0]);
    case Kind::scalar:
      if (fused_[at]) return;
      hand_over(i, at);
      return s_.apply(i, at > 0 && fused_[at - 1] ? &code_.instructions[at - 1] : nullptr);
    case Kind::if_: return open_if(i, at);
    case Kind::else_:
      blocks_.back().has_else = true;
      cc_.jmp(blocks_.back().end);
      cc_.bind(blocks_.back().other);
      return;
    case Kind::end_if: return close_if();
    case Kind::loop: return open_loop(at);
    case Kind::end_loop: return close_loop();
    case Kind::break_if: return jump(i, at, true, innermost_loop().end);
    case Kind::break_unless: return jump(i, at, false, innermost_loop().end);
    case Kind::poll: return poll(i);
    case Kind::leave: return (void)cc_.jmp(leave_);
    case Kind::load: return read(i.to, x86::ptr(slots_, slot_offset(i) + 8));
    case Kind::store: return store_slot(i);
    case Kind::step: return seldom_ > 0 ? seldom_step(i.index) : step(i.index);
    case Kind::element: return element(i);
    case Kind::set_element: return set_element(i);
    case Kind::push: return push(i);
    case Kind::pop: return pop(i);
    case Kind::list_length: return (void)length_of_list(header(i), s_.home(i.to).as<x86::Gp>());
    case Kind::list_item: return list_item(i);
    case Kind::list_set: return list_set(i);
    case Kind::list_push: return list_push(i);
    case Kind::extent: return read(i.to, x86::ptr(header(i), static_cast<int32_t>(TensorLayout::dims + 8 * i.index)));
  }
}

// --- control ---

void CodeEmitter::open_if(const Instruction& i, size_t at) {
  blocks_.push_back({{}, cc_.newLabel(), cc_.newLabel()});
  if (!i.seldom) return jump(i, at, false, blocks_.back().other);
  jump(i, at, true, blocks_.back().other);
  cc_.bind(blocks_.back().end);
  blocks_.back().back = e_.go_out_of_the_way();
  cc_.bind(blocks_.back().other);
  ++seldom_;
}

void CodeEmitter::close_if() {
  if (blocks_.back().back != nullptr) {
    cc_.jmp(blocks_.back().end);
    cc_.setCursor(blocks_.back().back);
    blocks_.pop_back();
    --seldom_;
    return;
  }
  if (!blocks_.back().has_else) cc_.bind(blocks_.back().other);
  cc_.bind(blocks_.back().end);
  blocks_.pop_back();
}

// A loop that begins with one comparison makes it at the end of each pass, and jumps there at first: a jump less. Its
// operands have their places there still, since no register is local that is written before a loop and read in it.
void CodeEmitter::open_loop(size_t at) {
  Block& loop = blocks_.emplace_back(Block{cc_.newLabel(), {}, cc_.newLabel()});
  const std::vector<Instruction>& all = code_.instructions;
  if (at + 3 < all.size() && all[at + 1].kind == Kind::poll && fused_[at + 2] &&
      all[at + 3].kind == Kind::break_unless) {
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
    poll(code_.instructions[*loop.poll]);
    s_.end_instruction();
    s_.jump_on_compare(code_.instructions[*loop.poll + 1], true, loop.head);
  } else {
    cc_.jmp(loop.head);
  }
  cc_.bind(loop.end);
  blocks_.pop_back();
}

const CodeEmitter::Block& CodeEmitter::innermost_loop() const {
  size_t k = blocks_.size() - 1;
  while (!blocks_[k].head.isValid()) --k;
  return blocks_[k];
}

void CodeEmitter::jump(const Instruction& i, size_t at, bool when, Label to) {
  if (at > 0 && fused_[at - 1]) return s_.jump_on_compare(code_.instructions[at - 1], when, to);
  const x86::Gp condition = s_.gp(i.operands[0]);
  cc_.test(condition, condition);
  if (when)
    cc_.jnz(to);
  else
    cc_.jz(to);
}

void CodeEmitter::poll(const Instruction& i) {
  Label look = cc_.newLabel(), back = cc_.newLabel();
  cc_.sub(budget_, 1);
  cc_.jz(look);
  cc_.bind(back);
  e_.out_of_the_way([&] {
    cc_.bind(look);
    cc_.mov(budget_, passes_between_looks);
    x86::Gp interrupt = s_.word();
    cc_.mov(interrupt, x86::qword_ptr(activation_, offsetof(Activation, interrupt)));
    cc_.cmp(x86::byte_ptr(interrupt), 0);
    cc_.je(back);
    leave_unless_well(call_seldom(offsetof(Activation, poll), i.index));
    cc_.jmp(back);
  });
}

// --- calls of the runtime ---

x86::Gp CodeEmitter::call(size_t member, uint32_t index) {
  asmjit::InvokeNode* node = nullptr;
  x86::Gp status = s_.word().r32();
  cc_.invoke(&node, x86::qword_ptr(activation_, static_cast<int32_t>(member)),
             asmjit::FuncSignatureT<int32_t, Activation*, uint32_t>());
  if (node == nullptr) return status;
  node->setArg(0, activation_);
  node->setArg(1, imm(index));
  node->setRet(0, status);
  return status;
}

// Leaves all other registers as they are, so that they need not be allotted around what hardly ever happens.
x86::Gp CodeEmitter::call_seldom(size_t member, uint32_t index) {
  const auto area = [](size_t offset, uint32_t size) { return x86::ptr(x86::rsp, static_cast<int32_t>(offset), size); };
  x86::Gp status = s_.word().r32();
  cc_.mov(area(offsetof(SeldomCall, activation), 8), activation_);
  cc_.mov(area(offsetof(SeldomCall, member), 8), static_cast<int32_t>(member));
  cc_.mov(area(offsetof(SeldomCall, index), 4), index);
  cc_.emit(Inst::kIdCall, e_.seldom_call());
  cc_.mov(status, area(offsetof(SeldomCall, status), 4));
  return status;
}

void CodeEmitter::seldom_step(uint32_t index) { leave_unless_well(call_seldom(offsetof(Activation, step), index)); }

void CodeEmitter::step(uint32_t index) { leave_unless_well(call(offsetof(Activation, step), index)); }

void CodeEmitter::leave_unless_well(x86::Gp status) {
  Label leave = cc_.newLabel();
  cc_.test(status, status);
  cc_.jnz(leave);
  e_.out_of_the_way([&] {
    cc_.bind(leave);
    leave_with(status);
  });
}

void CodeEmitter::leave_with(x86::Gp status) {
  cc_.mov(status_, status);
  cc_.jmp(leave_with_status_);
}

}  // namespace covec::simd
