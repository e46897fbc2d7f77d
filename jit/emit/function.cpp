#include "jit/emit/function.hpp"

#include <algorithm>
#include <stdexcept>

#include "jit/emit/steps.hpp"
#include "jit/source/c99.hpp"
#include "stdlib/value/match.hpp"

namespace covec::emit {

using loops::Code;
using loops::Instruction;
using loops::Register;
using loops::SlotId;
using loops::Step;
namespace instruction = loops::instruction;

namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

[[noreturn]] void refuse_list(uint32_t place) {
  throw Refusal{"it has a list whose length is known only at run time", place};
}

// It only gives a number.
bool is_pure(const Instruction& i) {
  return loops::is<instruction::Constant, instruction::Move, instruction::Scalar, instruction::Load,
                   instruction::Extent>(i);
}

class CodeWriter {
 public:
  CodeWriter(const loops::Plan& plan, const Shapes& shapes, File& file, std::span<const Port> inputs,
             std::span<const Port> outputs)
      : plan_(plan),
        code_(plan.program.code),
        inputs_(inputs),
        outputs_(outputs),
        frame_(plan, shapes, file, inputs, outputs),
        steps_(frame_),
        writes_(code_.registers.size()),
        read_(code_.registers.size()),
        constants_(code_.registers.size()) {
    if (plan.program.routine || !plan.graph->functions.all.empty()) throw Refusal{"it calls itself"};
    look();
  }

  Body body() {
    frame_.lines.open("");  // the depth of a body
    frame_.lines.take();
    for (const Instruction& i : code_.instructions) {
      if (is_needed(i)) write(i);
    }
    const std::string lines = frame_.lines.take();
    Body body;
    body.text = frame_.declarations(lines);
    body.text += variables(lines) + lines;
    body.work_bytes = frame_.work_bytes();
    body.scratch_bytes = frame_.scratch_bytes();
    return body;
  }

 private:
  // --- what is read ---

  // Registers that nobody reads are not written.
  void look() {
    for (const Instruction& i : code_.instructions) {
      if (const Register* const to = loops::written_by(i)) ++writes_[*to];
    }
    for (const Instruction& i : code_.instructions) {
      if (const auto* const constant = std::get_if<instruction::Constant>(&i);
          constant != nullptr && writes_[constant->to] == 1)
        constants_[constant->to] = constant->bits;
      if (const auto* const known = std::get_if<instruction::Extent>(&i);
          known != nullptr && writes_[known->to] == 1 && extent(*known).known())
        constants_[known->to] = static_cast<uint64_t>(extent(*known).number());
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : code_.instructions) {
        if (is_pure(i) && !read_[*loops::written_by(i)]) continue;
        loops::each_operand(i, [&](Register r) {
          changed |= !read_[r];
          read_[r] = true;
        });
      }
    }
  }
  const Size& extent(const instruction::Extent& i) const { return frame_.type(i.slot).extents[i.axis]; }
  const std::string& stack_name(uint32_t stack) const { return frame_.stacks().numbers()[stack].name; }

  // --- lines ---

  std::string variable(Register r) const {
    if (r >= code_.register_names.size() || code_.register_names[r].empty()) return "r" + std::to_string(r);
    return source::c99_identifier(code_.register_names[r]) + "_r" + std::to_string(r);
  }
  std::string operand(Register r) const {
    if (constants_[r]) return number_text(code_.registers[r], *constants_[r]);
    return variable(r);
  }
  void put(const std::string& line) { frame_.put(line); }
  // The first time at the outermost level a variable's declaration stands here.
  void set(Register to, const std::string& expression) {
    const bool declares = blocks_ == 0 && writes_[to] == 1;
    if (declares) declared_.insert(to);
    put((declares ? "const " + number_type(code_.registers[to]) + " " : "") + variable(to) + " = " + expression + ";");
  }
  void open(const std::string& head) {
    frame_.open(head);
    ++blocks_;
  }
  void close() {
    frame_.close();
    --blocks_;
  }
  std::string variables(const std::string& lines) const {
    std::string text;
    for (Register r = 0; r < code_.registers.size(); ++r) {
      if (read_[r] && !constants_[r] && !declared_.contains(r) && writes_[r] > 0)
        text += "  " + number_type(code_.registers[r]) + " " + variable(r) + " = 0;\n";
    }
    for (SlotId slot = 0; slot < plan_.slots; ++slot) {
      if (frame_.has(slot) && frame_.type(slot).number) text += slot_variable(slot, lines);
    }
    return text;
  }
  // A number's slot is a variable, if it is named.
  std::string slot_variable(SlotId slot, const std::string& lines) const {
    const std::string name = Frame::number(slot);
    bool named = false, read = false;
    for (size_t at = lines.find(name); at != std::string::npos; at = lines.find(name, at + 1)) {
      const size_t end = at + name.size();
      if ((at > 0 && is_word(lines[at - 1])) || (end < lines.size() && is_word(lines[end]))) continue;
      named = true;
      const bool sets = (at == 0 || lines[at - 1] == ' ') && lines.compare(end, 3, " = ") == 0;
      read |= !sets;
    }
    if (!named) return "";
    const auto port = std::ranges::find_if(inputs_, [&](const Port& input) { return input.slot == slot; });
    const std::string begins = port == inputs_.end() ? "0" : source::c_loaded(port->type.dtype, port->name);
    return "  " + number_type(frame_.type(slot).dtype) + " " + name + " = " + begins + ";\n" +
           (read ? "" : "  (void)" + name + ";\n");
  }

  // --- instructions ---

  bool is_needed(const Instruction& i) const {
    if (!is_pure(i)) return true;
    const Register to = *loops::written_by(i);
    return read_[to] && !constants_[to];
  }
  void write(const Instruction& any) {
    match(
        any, [&](const instruction::Constant& i) { set(i.to, source::c_constant(code_.registers[i.to], i.bits)); },
        [&](const instruction::Move& i) { set(i.to, operand(i.from)); },
        [&](const instruction::If& i) { open("if (" + operand(i.condition) + ")"); },
        [&](const instruction::Else&) { close(), open("else"); }, [&](const instruction::EndIf&) { close(); },
        [&](const instruction::Loop&) { open("for (;;)"); }, [&](const instruction::EndLoop&) { close(); },
        [&](const instruction::BreakIf& i) { put("if (" + operand(i.condition) + ") break;"); },
        [&](const instruction::BreakUnless& i) { put("if (!" + operand(i.condition) + ") break;"); },
        [&](const instruction::Poll&) {}, [&](const instruction::CallPart&) {}, [&](const instruction::LookUp&) {},
        [&](const instruction::Leave&) { leave(); },
        [&](const instruction::Load& i) { set(i.to, Frame::number(i.slot)); },
        [&](const instruction::Store& i) { put(Frame::number(i.slot) + " = " + operand(i.from) + ";"); },
        [&](const instruction::PushNumber& i) { put("*" + stack_name(i.stack) + "++ = " + operand(i.from) + ";"); },
        [&](const instruction::CallRoutine&) { throw Refusal{"it calls itself"}; },
        [&](const instruction::Fail&) { throw Refusal{"it calls itself"}; }, [&](const instruction::ArrayStep&) {},
        [&](const instruction::CallStep& i) { steps_.write(i.step); },
        [&](const instruction::Extent& i) {
          set(i.to, extent(i).known() ? "INT64_C(" + extent(i).text() + ")" : extent(i).text());
        },
        [&](const instruction::Draw& i) {
          const loops::Step& step = plan_.steps[i.step];
          throw Refusal{"draws random numbers", step.place, step.op()->entry};
        },
        [&](const OneOf<instruction::NextCall, instruction::SetNextCall> auto&) {
          throw Refusal{"draws random numbers", Refusal::nowhere};
        },
        [&](const instruction::ListLength&) { refuse_list(Refusal::nowhere); },
        [&](const instruction::ListItem& i) { refuse_list(plan_.steps[i.step].place); },
        [&](const instruction::ListSet& i) { refuse_list(plan_.steps[i.step].place); },
        [&](const instruction::ListPush& i) { refuse_list(plan_.steps[i.step].place); },
        [&](const auto& each) { write_one(each); });
  }
  void write_one(const instruction::Scalar& i) {
    source::ScalarExpression e{i.op, code_.registers[i.to], code_.registers[i.operands[0]], i.arity, {}, fma_name};
    for (unsigned k = 0; k < i.arity; ++k) e.operands[k] = operand(i.operands[k]);
    set(i.to, source::c_expression(e));
  }
  void write_one(const instruction::PopNumber& i) {
    if (!read_[i.to]) return put("--" + stack_name(i.stack) + ";");
    set(i.to, "*--" + stack_name(i.stack));
  }

  // Where the element lies; an index that is known only at run time is checked before.
  std::string place(const instruction::ElementPlace& i) {
    const SlotType& type = frame_.type(i.slot);
    std::string text;
    Size known = 0;
    for (size_t axis = 0; axis < i.indices.size(); ++axis) {
      const Size stride = Size::product(std::span(type.extents).subspan(axis + 1));
      const std::string term = index(i.step, i.indices[axis], type.extents[axis], known, stride);
      if (!term.empty()) text += (text.empty() ? "" : " + ") + term + (stride.is(1) ? "" : " * " + stride.factor());
    }
    if (text.empty()) return known.text();
    return text + (known.is(0) ? "" : " + " + known.text());
  }
  std::string index(uint32_t step, Register r, const Size& size, Size& known, const Size& stride) {
    if (constants_[r] && size.known()) {
      const auto number = static_cast<int64_t>(*constants_[r]), at = number < 0 ? number + size.number() : number;
      if (at >= 0 && at < size.number()) {
        known += stride * at;
        return "";
      }
    }
    const std::string name = frame_.fresh("i");
    put("const int64_t " + name + " = " + variable_index(r, size) + ";");
    put("if ((uint64_t)" + name + " >= " + (size.known() ? size.text() + "u" : "(uint64_t)" + size.factor()) + ") " +
        steps_.failing(step));
    return name;
  }
  std::string variable_index(Register r, const Size& size) const {
    const std::string text = operand(r);
    if (constants_[r]) return static_cast<int64_t>(*constants_[r]) < 0 ? text + " + " + size.text() : text;
    return text + " < 0 ? " + text + " + " + size.text() + " : " + text;
  }
  void write_one(const instruction::Element& i) {
    if (i.indices.size() != frame_.type(i.slot).rank()) throw std::logic_error("an element is read by too few indices");
    const std::string at = place(i);
    if (!read_[i.to]) return;
    set(i.to, source::c_loaded(code_.registers[i.to], Frame::pointer(i.slot) + "[" + at + "]"));
  }
  void write_one(const instruction::SetElement& i) {
    const std::string at = place(i);
    put(Frame::pointer(i.slot) + "[" + at + "] = " + source::c_stored(code_.registers[i.from], operand(i.from)) + ";");
  }

  void leave() {
    for (const Port& output : outputs_) {
      if (output.slot == Step::nowhere) {
        give(output, frame_.argument(*output.constant, Refusal::nowhere));
      } else if (frame_.memory_of(output.slot) != Memory::output) {
        give(output, frame_.argument(output.slot));
      }
    }
    put("return 0;");
  }
  void give(const Port& output, const Argument& value) {
    if (value.is_number())
      put("*" + output.name + " = " + source::c_stored(value.type.dtype, value.text) + ";");
    else if (!value.type.is_empty())
      frame_.copy(output.name, value.text, value.type.bytes());
  }

  const loops::Plan& plan_;
  const Code& code_;
  const std::span<const Port> inputs_, outputs_;
  Frame frame_;
  StepWriter steps_;
  std::vector<uint32_t> writes_;  // by register: how many instructions
  std::vector<bool> read_;
  std::vector<std::optional<uint64_t>> constants_;
  std::set<Register> declared_;
  size_t blocks_ = 0;
};

}  // namespace

Body write_function(const loops::Plan& plan, const Shapes& shapes, File& file, std::span<const Port> inputs,
                    std::span<const Port> outputs) {
  return CodeWriter(plan, shapes, file, inputs, outputs).body();
}

}  // namespace covec::emit
