// Checks what every back end assumes about a loop program. In kernels, each value is made before it is used and has the
// dtype that its operation gives. Values of a rare block are used only inside it. In code, blocks are properly nested,
// dtypes fit, and a register is read only where every path has written it. Start at verify() at the end.
#include <string>

#include <algorithm>
#include <span>

#include "jit/loops/program.hpp"
#include "jit/loops/scalar_ops.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/value/match.hpp"

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

// A bit for each register: large functions have thousands, and sets of them meet at each branch.
class RegisterSet {
 public:
  RegisterSet() = default;
  explicit RegisterSet(size_t registers) : words_((registers + bits - 1) / bits) {}
  bool has(Register r) const { return (words_[r / bits] >> r % bits & 1) != 0; }
  void add(Register r) { words_.at(r / bits) |= uint64_t{1} << r % bits; }
  void remove_all_but(const RegisterSet& others) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] &= others.words_[w];
  }

 private:
  static constexpr size_t bits = 64;  // of a word
  std::vector<uint64_t> words_;
};

// Registers that every path to a point has written. No path leads to an unreachable point: there, all are.
struct Written {
  RegisterSet registers;
  bool reachable = true;

  void meet(const Written& other) {
    if (!other.reachable) return;
    if (!reachable) {
      *this = other;
      return;
    }
    registers.remove_all_but(other.registers);
  }
};

struct Block {
  enum class Kind : uint8_t { first_part, else_part, loop };
  Kind kind = Kind::first_part;
  Written other{};  // first_part: at its head; else_part: at the end of the first; loop: where it was left so far
  bool cold = false;
};

class CodeVerifier {
 public:
  explicit CodeVerifier(const Program& program) : CodeVerifier(program, program.code, Kind::function) {}
  static std::string problem_of_lanes(const Program& program, const LaneLoop& loop) {
    CodeVerifier verifier(program, loop.code, Kind::lanes);
    verifier.now_.registers.add(loop.iteration);
    return verifier.problem();
  }
  static std::string problem_of_routine(const Program& program) {
    CodeVerifier verifier(program, program.routine->code, Kind::routine);
    for (const Register r : program.routine->parameters) verifier.now_.registers.add(r);
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
  enum class Kind : uint8_t { function, routine, lanes };
  CodeVerifier(const Program& program, const Code& code, Kind kind)
      : program_(program), code_(code), kind_(kind), now_{RegisterSet(code.registers.size())} {}

  std::string register_text(Register r) const {
    std::string text = "register " + std::to_string(r);
    if (r < code_.register_names.size() && !code_.register_names[r].empty())
      text += " (" + code_.register_names[r] + ")";
    return text;
  }
  std::string read(Register r) const {
    if (r >= code_.registers.size()) return "there is no " + register_text(r);
    if (now_.reachable && !now_.registers.has(r))
      return register_text(r) + " is read before it is written on every path";
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
    now_.registers.add(r);
    return "";
  }

  // --- numbers ---

  std::string instruction(const Instruction& any) {
    return match<std::string>(
        any, [&](const instruction::Constant& i) { return write(i.to); },
        [&](const instruction::Load& i) { return write(i.to); },
        [&](const instruction::Store& i) { return read(i.from); }, [&](const instruction::Poll&) { return ""; },
        [&](const instruction::CallStep&) {
          return kind_ == Kind::function ? "" : "code that takes no steps calls one";
        },
        [&](const instruction::CallPart&) { return "a part, which only a back end makes"; },
        [&](const instruction::PushNumber& i) { return read(i.from); },
        [&](const instruction::PopNumber& i) { return write(i.to); },
        [&](const instruction::ListPush& i) { return read(i.from); },
        [&](const instruction::ListLength& i) { return write_i64(i.to, "a length is an i64"); },
        [&](const instruction::Extent& i) {
          return i.axis < max_rank ? write_i64(i.to, "an extent is an i64") : "no such axis";
        },
        [&](const instruction::BreakIf& i) { return leave_loop(i.condition); },
        [&](const instruction::BreakUnless& i) { return leave_loop(i.condition); },
        [&](const auto& each) { return check(each); });
  }
  std::string check(const instruction::Move& i) {
    std::string wrong = read(i.from);
    if (wrong.empty()) wrong = write(i.to);
    if (wrong.empty() && code_.registers[i.to] != code_.registers[i.from]) wrong = "a move between dtypes";
    return wrong;
  }
  std::string check(const instruction::Scalar& i) {
    std::array<Dtype, 3> dtypes{};
    for (unsigned k = 0; k < i.arity && k < 3; ++k) {
      std::string wrong = read(i.operands[k]);
      if (!wrong.empty()) return wrong;
      dtypes[k] = code_.registers[i.operands[k]];
    }
    std::string wrong = write(i.to);
    return wrong.empty() ? scalar_problem(i.op, i.arity, code_.registers[i.to], dtypes) : wrong;
  }

  // --- slots, stacks and lists ---

  std::string check(const instruction::ListItem& i) {
    std::string wrong = read(i.index, Dtype::i64);
    return wrong.empty() ? write(i.to) : wrong;
  }
  std::string check(const instruction::ListSet& i) {
    std::string wrong = read(i.index, Dtype::i64);
    return wrong.empty() ? read(i.from) : wrong;
  }
  std::string write_i64(Register r, const char* otherwise) {
    if (r < code_.registers.size() && code_.registers[r] != Dtype::i64) return otherwise;
    return write(r);
  }

  std::string check(const instruction::Draw& i) {
    if (i.buffer >= std::size(ops::DrawnAhead().buffers)) return "no such buffer";
    std::string wrong = write(i.to);
    if (wrong.empty() && code_.registers[i.to] != ops::dtype_of_buffer(i.buffer)) wrong = "a draw of another dtype";
    if (wrong.empty() && i.key) wrong = read_i64(*i.key);
    return wrong;
  }
  std::string check(const instruction::NextCall& i) { return write_i64(i.to, "a call number that is no i64"); }
  std::string check(const instruction::SetNextCall& i) const { return read_i64(i.from); }
  std::string read_i64(Register r) const {
    const std::string wrong = read(r);
    return wrong.empty() && code_.registers[r] != Dtype::i64 ? "a key or call number that is no i64" : wrong;
  }

  // --- tensors ---

  std::string check(const instruction::Element& i) {
    std::string wrong = place(i, false);
    return wrong.empty() ? write(i.to) : wrong;
  }
  std::string check(const instruction::SetElement& i) {
    std::string wrong = place(i, true);
    return wrong.empty() ? read(i.from) : wrong;
  }
  std::string place(const instruction::ElementPlace& i, bool writes) const {
    std::string wrong = indices(i.indices);
    for (size_t k = 0; k < i.saves.size() && wrong.empty(); ++k) wrong = read(i.saves[k].number);
    if (!wrong.empty() || i.view == no_view) return wrong;
    if (i.view >= opened_.size() || !opened_[i.view]) return "a view that was not looked up";
    const View& view = code_.views[i.view];
    const size_t leading = view.leading.size();
    const bool fits = view.slot == i.slot && view.rank + leading == i.indices.size() && (view.written || !writes) &&
                      std::equal(view.leading.begin(), view.leading.end(), i.indices.begin());
    return fits ? "" : "a view of another kind";
  }
  std::string check(const instruction::LookUp& i) {
    if (i.view >= code_.views.size()) return "no such view";
    const View& view = code_.views[i.view];
    opened_.resize(code_.views.size());
    if (view.parent != no_view && (view.parent >= opened_.size() || !opened_[view.parent]))
      return "a part of a view that was not looked up";
    if (i.indices != view.leading) return "a view at other indices";
    if (!view.leading.empty()) {
      std::string wrong = indices(i.indices);
      if (!wrong.empty()) return wrong;
    }
    opened_[i.view] = true;
    return "";
  }
  std::string indices(std::span<const Register> indices) const {
    if (indices.empty() || indices.size() > max_rank) return "an element needs indices";
    for (const Register r : indices) {
      std::string wrong = read(r, Dtype::i64);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  // --- control ---

  std::string check(const instruction::If& i) {
    std::string wrong = read(i.condition, Dtype::boolean);
    blocks_.push_back({Block::Kind::first_part, now_, i.cold});
    return wrong;
  }
  std::string check(const instruction::Else&) {
    if (blocks_.empty() || blocks_.back().kind != Block::Kind::first_part) return "else without if";
    if (blocks_.back().cold) return "a cold if has no else";
    blocks_.back().kind = Block::Kind::else_part;
    std::swap(now_, blocks_.back().other);
    return "";
  }
  // Without an else the other path is the one that has only tested; with one, the end of the first part.
  std::string check(const instruction::EndIf&) {
    if (blocks_.empty() || blocks_.back().kind == Block::Kind::loop) return "end_if without if";
    now_.meet(blocks_.back().other);
    blocks_.pop_back();
    return "";
  }
  std::string check(const instruction::Loop&) {
    blocks_.push_back({Block::Kind::loop, {now_.registers, false}, false});
    return "";
  }
  std::string check(const instruction::EndLoop&) {
    if (blocks_.empty() || blocks_.back().kind != Block::Kind::loop) return "end_loop without loop";
    now_ = blocks_.back().other;
    blocks_.pop_back();
    return "";
  }
  std::string leave_loop(Register condition) {
    std::string wrong = read(condition, Dtype::boolean);
    if (!wrong.empty()) return wrong;
    for (size_t b = blocks_.size(); b-- > 0;) {
      if (blocks_[b].kind != Block::Kind::loop) continue;
      blocks_[b].other.meet(now_);
      return "";
    }
    return "a break outside a loop";
  }

  // --- the end, and the routine ---

  std::string check(const instruction::Leave& i) {
    if ((kind_ == Kind::routine) != i.result.has_value())
      return "a routine leaves with its result, the function without";
    std::string wrong = kind_ == Kind::routine ? read(*i.result) : "";
    if (kind_ == Kind::routine && wrong.empty() && *i.result != program_.routine->result)
      wrong = "another result is left";
    now_.reachable = false;
    return wrong;
  }
  std::string check(const instruction::Fail&) {
    now_.reachable = false;
    return kind_ == Kind::function ? "only a routine and lanes fail" : "";
  }
  std::string check(const instruction::ArrayStep& i) {
    if (kind_ != Kind::lanes) return "only lanes have arrays of their own";
    std::string wrong;
    for (size_t k = 0; k < i.arguments.size() && wrong.empty(); ++k) wrong = read(i.arguments[k]);
    return wrong;
  }
  std::string check(const instruction::CallRoutine& i) {
    if (!program_.routine) return "there is no routine";
    const Routine& routine = *program_.routine;
    if (i.arguments.size() != routine.parameters.size()) return "a call with too few or too many numbers";
    std::string wrong;
    for (size_t k = 0; k < i.arguments.size() && wrong.empty(); ++k)
      wrong = read(i.arguments[k], routine.code.registers[routine.parameters[k]]);
    if (wrong.empty()) wrong = write(i.to);
    if (wrong.empty() && code_.registers[i.to] != routine.code.registers[routine.result])
      wrong = "a result of another dtype";
    return wrong;
  }

  const Program& program_;
  const Code& code_;
  const Kind kind_;
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
  for (const LaneLoop& loop : program.lane_loops) {
    wrong = CodeVerifier::problem_of_lanes(program, loop);
    if (!wrong.empty()) return "lanes of " + program.code.name + ": " + wrong;
  }
  for (const Kernel& kernel : program.kernels) {
    wrong = KernelVerifier(kernel).problem();
    if (!wrong.empty()) return "kernel " + kernel.name + ": " + wrong;
  }
  return "";
}

}  // namespace covec::loops
