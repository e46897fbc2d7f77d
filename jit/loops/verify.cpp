// Checks what every back end assumes about a loop program. In kernels, each value is made before it is used and has the
// dtype that its operation gives. Values of a rare block are used only inside it. In code, blocks are properly nested,
// dtypes fit, and a register is read only where every path has written it. Start at verify() at the end.
#include <string>

#include <algorithm>

#include "jit/loops/program.hpp"
#include "jit/loops/scalar_ops.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::loops {

namespace {

std::string scalar_problem(ops::ScalarOp op, uint8_t arity, Dtype to, const std::array<Dtype, 3>& operands) {
  const std::string name(name_of(op));
  if (arity != info_of(op).arity) return name + " has " + std::to_string(arity) + " operands";
  if (accepts(op, to, operands)) return "";
  std::string text = name + " of";
  for (unsigned k = 0; k < arity; ++k) text += " " + std::string(name_of(operands[k]));
  return text + " cannot give " + std::string(name_of(to));
}

// --- kernels ---

class KernelVerifier {
 public:
  explicit KernelVerifier(const Kernel& kernel) : kernel_(kernel), visible_(kernel.code.size(), false) {}

  std::string problem() {
    for (size_t k = 0; k < kernel_.code.size(); ++k) {
      std::string wrong = instruction(k, kernel_.code[k]);
      if (!wrong.empty()) return "v" + std::to_string(k) + ": " + wrong;
    }
    if (!open_.empty()) return "a rare block is not closed";
    for (const Kernel::Output& output : kernel_.outputs) {
      if (!is_visible(output.value)) return "an output is no value";
      if (kernel_.code[output.value].dtype != output.dtype) return "an output's dtype is not its value's";
    }
    if (kernel_.fails == Kernel::never) return "";
    if (!is_visible(kernel_.fails)) return "fails is no value";
    return kernel_.code[kernel_.fails].dtype == Dtype::boolean ? "" : "fails is no bool";
  }

 private:
  using Kind = KernelInstruction::Kind;

  bool is_visible(uint32_t value) const { return value < visible_.size() && visible_[value]; }

  std::string instruction(size_t k, const KernelInstruction& i) {
    switch (i.kind) {
      case Kind::load:
        if (i.index >= kernel_.inputs.size()) return "no such input";
        if (kernel_.inputs[i.index].dtype != i.dtype) return "the input's dtype differs";
        break;
      case Kind::number:
        if (i.index >= kernel_.numbers.size()) return "no such number";
        if (kernel_.numbers[i.index] != i.dtype) return "the number's dtype differs";
        break;
      case Kind::constant: break;
      case Kind::scalar: {
        std::string wrong = scalar(i);
        if (!wrong.empty()) return wrong;
        break;
      }
      case Kind::rare: return open(k, i);
      case Kind::end_rare: {
        std::string wrong = close(k);
        if (!wrong.empty()) return wrong;
        break;
      }
      case Kind::rare_result:  // looked at with its end_rare
        if (k == 0 || !closes_rare(kernel_.code[k - 1])) return "rare_result without end_rare";
        break;
      case Kind::outlined: {
        std::string wrong = outlined(i);
        if (!wrong.empty()) return wrong;
        break;
      }
    }
    visible_[k] = true;
    return "";
  }

  std::string scalar(const KernelInstruction& i) const {
    std::array<Dtype, 3> dtypes{};
    for (unsigned k = 0; k < i.arity && k < 3; ++k) {
      if (!is_visible(i.operands[k])) return "operand v" + std::to_string(i.operands[k]) + " is not made before";
      dtypes[k] = kernel_.code[i.operands[k]].dtype;
    }
    return scalar_problem(i.op, i.arity, i.dtype, dtypes);
  }

  std::string outlined(const KernelInstruction& i) const {
    if (i.index >= kernel_.outlined.size()) return "no such operator";
    const Kernel::Outlined& outlined = kernel_.outlined[i.index];
    const ops::PointwiseInfo& info = outlined.op->info;
    if (i.arity != 2 + info.arity - (info.parameter ? 1 : 0)) return "not as many operands as the operator has";
    if (i.dtype != outlined.dtype) return "the operator gives another dtype";
    for (unsigned k = 0; k < i.arity; ++k) {
      if (!is_visible(i.operands[k])) return "operand v" + std::to_string(i.operands[k]) + " is not made before";
      const Dtype wanted = k == 0 ? Dtype::boolean : outlined.dtype;
      if (kernel_.code[i.operands[k]].dtype != wanted) return "an operand is of the wrong dtype";
    }
    return "";
  }

  std::string open(size_t k, const KernelInstruction& i) {
    if (!is_visible(i.operands[0])) return "rare without a condition";
    if (kernel_.code[i.operands[0]].dtype != Dtype::boolean) return "rare's condition is no bool";
    open_.push_back(k);
    return "";
  }

  // The end of a block, at `end`, with the further results that stand behind it.
  std::string close(size_t end) {
    if (open_.empty()) return "end_rare without rare";
    const size_t start = open_.back();
    open_.pop_back();
    size_t last = end;
    while (last + 1 < kernel_.code.size() && kernel_.code[last + 1].kind == Kind::rare_result) ++last;
    for (size_t k = end; k <= last; ++k) {
      const KernelInstruction& i = kernel_.code[k];
      if (!is_visible(i.operands[1]) || i.operands[1] >= end) return "the rare value is not made before";
      if (kernel_.code[i.operands[1]].dtype != i.dtype) return "the rare value's dtype differs";
    }
    for (size_t k = start; k < visible_.size(); ++k) visible_[k] = false;
    for (size_t k = end; k <= last; ++k) {
      const KernelInstruction& i = kernel_.code[k];
      if (i.operands[0] != kernel_.code[start].operands[0]) return "end_rare has another condition than rare";
      if (!is_visible(i.operands[2])) return "the usual value is not made before the rare block";
      if (kernel_.code[i.operands[2]].dtype != i.dtype) return "the usual value's dtype differs";
    }
    return "";
  }

  const Kernel& kernel_;
  std::vector<bool> visible_;
  std::vector<size_t> open_;
};

// --- the function ---

// Registers that every path to a point has written. No path leads to an unreachable point: there, all are.
struct Written {
  std::vector<bool> registers;
  bool reachable = true;

  void meet(const Written& other) {
    if (!other.reachable) return;
    if (!reachable) {
      *this = other;
      return;
    }
    for (size_t r = 0; r < registers.size(); ++r) registers[r] = registers[r] && other.registers[r];
  }
};

struct Block {
  Instruction::Kind kind = Instruction::Kind::if_;  // if_, else_ or loop
  Written other{};  // if_: at its head; else_: at the end of the first part; loop: where it was left so far
  bool cold = false;
};

class CodeVerifier {
 public:
  explicit CodeVerifier(const Program& program) : CodeVerifier(program, program.code, false) {}
  static std::string problem_of_routine(const Program& program) {
    CodeVerifier verifier(program, program.routine->code, true);
    for (const Register r : program.routine->parameters) verifier.now_.registers.at(r) = true;
    return verifier.problem();
  }

  std::string problem() {
    for (size_t k = 0; k < code_.instructions.size(); ++k) {
      std::string wrong = instruction(code_.instructions[k]);
      if (!wrong.empty()) return "instruction " + std::to_string(k) + ": " + wrong;
    }
    return blocks_.empty() ? "" : "a block is not closed";
  }

 private:
  using Kind = Instruction::Kind;

  CodeVerifier(const Program& program, const Code& code, bool is_routine)
      : program_(program), code_(code), is_routine_(is_routine) {
    now_.registers.assign(code.registers.size(), false);
  }

  std::string register_text(Register r) const {
    std::string text = "register " + std::to_string(r);
    if (r < code_.register_names.size() && !code_.register_names[r].empty())
      text += " (" + code_.register_names[r] + ")";
    return text;
  }
  std::string read(Register r) const {
    if (r >= code_.registers.size()) return "there is no " + register_text(r);
    if (now_.reachable && !now_.registers[r]) return register_text(r) + " is read before it is written on every path";
    return "";
  }
  std::string read(Register r, Dtype dtype) const {
    std::string wrong = read(r);
    if (wrong.empty() && code_.registers[r] != dtype)
      wrong = register_text(r) + " is no " + std::string(name_of(dtype));
    return wrong;
  }
  std::string write(Register r) {
    if (r >= code_.registers.size()) return "there is no " + register_text(r);
    now_.registers[r] = true;
    return "";
  }

  std::string instruction(const Instruction& i) {
    switch (i.kind) {
      case Kind::extent:
        if (i.to < code_.registers.size() && code_.registers[i.to] != Dtype::i64) return "an extent is an i64";
        return i.index < max_rank ? write(i.to) : "no such axis";
      case Kind::constant:
      case Kind::load:
      case Kind::pop: return write(i.to);
      case Kind::move: return move(i);
      case Kind::scalar: return scalar(i);
      case Kind::if_:
      case Kind::else_:
      case Kind::end_if:
      case Kind::loop:
      case Kind::end_loop:
      case Kind::break_if:
      case Kind::break_unless:
      case Kind::fail:
      case Kind::leave: return control(i);
      case Kind::call: return call(i);
      case Kind::view: return look_up(i);
      case Kind::part: return "a part, which only a back end makes";
      case Kind::poll:
      case Kind::step: return "";
      case Kind::store:
      case Kind::push:
      case Kind::list_push: return read(i.operands[0]);
      case Kind::list_length:
        if (i.to < code_.registers.size() && code_.registers[i.to] != Dtype::i64) return "a length is an i64";
        return write(i.to);
      case Kind::list_item:
      case Kind::element: {
        std::string wrong = place(i);
        return wrong.empty() ? write(i.to) : wrong;
      }
      case Kind::list_set:
      case Kind::set_element: {
        std::string wrong = place(i);
        return wrong.empty() ? read(i.operands[0]) : wrong;
      }
    }
    return "no such instruction";
  }

  std::string move(const Instruction& i) {
    std::string wrong = read(i.operands[0]);
    if (wrong.empty()) wrong = write(i.to);
    if (wrong.empty() && code_.registers[i.to] != code_.registers[i.operands[0]]) wrong = "a move between dtypes";
    return wrong;
  }

  std::string scalar(const Instruction& i) {
    std::array<Dtype, 3> dtypes{};
    for (unsigned k = 0; k < i.arity && k < 3; ++k) {
      std::string wrong = read(i.operands[k]);
      if (!wrong.empty()) return wrong;
      dtypes[k] = code_.registers[i.operands[k]];
    }
    std::string wrong = write(i.to);
    return wrong.empty() ? scalar_problem(i.op, i.arity, code_.registers[i.to], dtypes) : wrong;
  }

  std::string call(const Instruction& i) {
    if (!program_.routine) return "there is no routine";
    const Routine& routine = *program_.routine;
    if (i.indices.size() != routine.parameters.size()) return "a call with too few or too many numbers";
    std::string wrong;
    for (size_t k = 0; k < i.indices.size() && wrong.empty(); ++k)
      wrong = read(i.indices[k], routine.code.registers[routine.parameters[k]]);
    if (wrong.empty()) wrong = write(i.to);
    if (wrong.empty() && code_.registers[i.to] != routine.code.registers[routine.result])
      wrong = "a result of another dtype";
    return wrong;
  }

  std::string place(const Instruction& i) const {
    std::string wrong = indices(i);
    for (size_t k = 0; k < i.saves.size() && wrong.empty(); ++k) wrong = read(i.saves[k].number);
    if (!wrong.empty() || i.view == Instruction::no_view) return wrong;
    if (i.view >= opened_.size() || !opened_[i.view]) return "a view that was not looked up";
    const View& view = code_.views[i.view];
    const bool writes = i.kind == Kind::set_element;
    const size_t leading = view.leading.size();
    const bool fits = view.slot == i.slot && view.rank + leading == i.indices.size() && (view.written || !writes) &&
                      std::equal(view.leading.begin(), view.leading.end(), i.indices.begin());
    return fits ? "" : "a view of another kind";
  }

  std::string look_up(const Instruction& i) {
    if (i.view >= code_.views.size()) return "no such view";
    const View& view = code_.views[i.view];
    opened_.resize(code_.views.size());
    if (view.parent != Instruction::no_view && (view.parent >= opened_.size() || !opened_[view.parent]))
      return "a part of a view that was not looked up";
    if (i.indices != view.leading) return "a view at other indices";
    if (!view.leading.empty()) {
      std::string wrong = indices(i);
      if (!wrong.empty()) return wrong;
    }
    opened_[i.view] = true;
    return "";
  }

  std::string indices(const Instruction& i) const {
    if (i.indices.empty() || i.indices.size() > max_rank) return "an element needs indices";
    for (Register r : i.indices) {
      std::string wrong = read(r, Dtype::i64);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string control(const Instruction& i) {
    std::string wrong;
    switch (i.kind) {
      case Kind::if_:
        wrong = read(i.operands[0], Dtype::boolean);
        blocks_.push_back({Kind::if_, now_, i.cold});
        return wrong;
      case Kind::loop: blocks_.push_back({Kind::loop, {now_.registers, false}, false}); return "";
      case Kind::else_: return else_part();
      case Kind::end_if: return close_if();
      case Kind::end_loop:
        if (blocks_.empty() || blocks_.back().kind != Kind::loop) return "end_loop without loop";
        now_ = blocks_.back().other;
        blocks_.pop_back();
        return "";
      case Kind::leave: {
        if (is_routine_ != (i.indices.size() == 1)) return "a routine leaves with its result, the function without";
        wrong = is_routine_ ? read(i.indices[0]) : "";
        if (is_routine_ && wrong.empty() && i.indices[0] != program_.routine->result) wrong = "another result is left";
        now_.reachable = false;
        return wrong;
      }
      case Kind::fail: now_.reachable = false; return is_routine_ ? "" : "only a routine fails";
      default:  // break_if, break_unless
        wrong = read(i.operands[0], Dtype::boolean);
        return wrong.empty() ? leave_loop() : wrong;
    }
  }

  std::string else_part() {
    if (blocks_.empty() || blocks_.back().kind != Kind::if_) return "else without if";
    if (blocks_.back().cold) return "a cold if has no else";
    blocks_.back().kind = Kind::else_;
    std::swap(now_, blocks_.back().other);
    return "";
  }

  // Without an else the other path is the one that has only tested; with one, the end of the first part.
  std::string close_if() {
    if (blocks_.empty() || blocks_.back().kind == Kind::loop) return "end_if without if";
    now_.meet(blocks_.back().other);
    blocks_.pop_back();
    return "";
  }

  std::string leave_loop() {
    for (size_t b = blocks_.size(); b-- > 0;) {
      if (blocks_[b].kind != Kind::loop) continue;
      blocks_[b].other.meet(now_);
      return "";
    }
    return "a break outside a loop";
  }

  const Program& program_;
  const Code& code_;
  const bool is_routine_;
  Written now_;
  std::vector<Block> blocks_;
  std::vector<bool> opened_;  // views
};

}  // namespace

std::string verify(const Program& program) {
  std::string wrong = CodeVerifier(program).problem();
  if (!wrong.empty()) return "code " + program.code.name + ": " + wrong;
  if (program.routine) wrong = CodeVerifier::problem_of_routine(program);
  if (!wrong.empty()) return "routine " + program.code.name + ": " + wrong;
  for (const Kernel& kernel : program.kernels) {
    wrong = KernelVerifier(kernel).problem();
    if (!wrong.empty()) return "kernel " + kernel.name + ": " + wrong;
  }
  return "";
}

}  // namespace covec::loops
