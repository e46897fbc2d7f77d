// Writes the function in C: a variable per register, `if` and `for (;;)` as in the loop IR, and a return wherever a
// step's status demands it.
#include <algorithm>

#include "jit/source/c99.hpp"
#include "jit/source/c99_scalar.hpp"
#include "stdlib/value/match.hpp"

namespace covec::source {

namespace {

using loops::Code;
using loops::Instruction;
using loops::Register;
namespace instruction = loops::instruction;

class CodeWriter {
 public:
  CodeWriter(const loops::Program& program, const std::string& name)
      : program_(program), code_(program.code), name_(name) {}

  // What calls itself, before the function that calls it.
  static std::string routine(const loops::Program& program, const std::string& name) {
    if (!program.routine) return "";
    CodeWriter writer(program, *program.routine, name);
    return writer.routine_text();
  }

  std::string text() {
    put("int32_t " + name_ + "(covec_activation* a) {");
    ++depth_;
    put("covec_value* const slots = a->slots;");
    put("covec_stack* const stacks = a->stacks;");
    put("(void)slots, (void)stacks;");
    if (program_.routine) put("const int64_t calls = a->calls;");
    for (Register r = 0; r < code_.registers.size(); ++r) declare(r);
    for (const Instruction& i : code_.instructions) write(i);
    put("return 0;");
    close();
    return std::move(text_);
  }

 private:
  CodeWriter(const loops::Program& program, const loops::Routine& routine, const std::string& name)
      : program_(program), code_(routine.code), name_(name), routine_(&routine) {}

  std::string routine_name() const { return name_ + "_routine"; }
  std::string routine_text() {
    std::string head = "static " + std::string(c_type(code_.registers[routine_->result])) + " " + routine_name() +
                       "(covec_activation* a, const int64_t calls";
    for (const Register r : routine_->parameters)
      head += ", " + std::string(c_type(code_.registers[r])) + " " + variable(r);
    open(head + ")");
    for (Register r = 0; r < code_.registers.size(); ++r) {
      if (std::ranges::find(routine_->parameters, r) == routine_->parameters.end()) declare(r);
    }
    open("if (calls <= " + std::to_string(routine_->frames) + " || *(const volatile uint8_t*)a->interrupt != 0)");
    put(raise(0));
    close();
    put("covec_value* const slots = a->slots;");
    put("(void)slots;");
    for (const Instruction& i : code_.instructions) write(i);
    close();
    return std::move(text_);
  }
  void declare(Register r) { put(std::string(c_type(code_.registers[r])) + " " + variable(r) + " = 0;"); }
  void put(const std::string& line) { text_ += std::string(2 * depth_, ' ') + line + "\n"; }
  void open(const std::string& head) {
    put(head + " {");
    ++depth_;
  }
  void close() {
    --depth_;
    put("}");
  }

  std::string variable(Register r) const {
    if (r >= code_.register_names.size() || code_.register_names[r].empty()) return "r" + std::to_string(r);
    return c99_identifier(code_.register_names[r]) + "_" + std::to_string(r);
  }
  void set(Register to, const std::string& expression) { put(variable(to) + " = " + expression + ";"); }
  Dtype dtype(Register r) const { return code_.registers[r]; }
  static std::string slot(loops::SlotId slot) { return "slots[" + std::to_string(slot) + "]"; }
  static std::string stack(uint32_t stack) { return "stacks[" + std::to_string(stack) + "]"; }
  static std::string call(uint32_t step) { return "a->step(a, " + std::to_string(step) + ")"; }
  // Leaves by a step that raises; a routine fails.
  std::string raise(uint32_t step) const {
    return routine_ != nullptr ? "{ a->failed = 1; return 0; }" : "return " + call(step) + ";";
  }
  // A call of the runtime, which leaves the function where its status is not 0.
  static std::string call_and_test(const std::string& call) {
    return "{ const int32_t status = " + call + "; if (status != 0) return status; }";
  }

  // --- numbers ---

  void write(const Instruction& any) {
    match(
        any, [&](const instruction::Constant& i) { set(i.to, c_constant(dtype(i.to), i.bits)); },
        [&](const instruction::Move& i) { set(i.to, variable(i.from)); },
        [&](const instruction::If& i) { open("if (" + variable(i.condition) + ")"); },
        [&](const instruction::Else&) { --depth_, open("} else"); }, [&](const instruction::EndIf&) { close(); },
        [&](const instruction::Loop&) { open("for (;;)"); }, [&](const instruction::EndLoop&) { close(); },
        [&](const instruction::BreakIf& i) { put("if (" + variable(i.condition) + ") break;"); },
        [&](const instruction::BreakUnless& i) { put("if (!" + variable(i.condition) + ") break;"); },
        [&](const instruction::Leave&) { leave(); }, [&](const instruction::Fail&) { put(raise(0)); },
        [&](const instruction::CallPart&) {}, [&](const instruction::ArrayStep&) {},
        [&](const instruction::Load& i) { set(i.to, c_from_word(dtype(i.to), slot(i.slot) + ".bits")); },
        [&](const instruction::Store& i) { store(i.slot, i.from); },
        [&](const instruction::CallStep& i) { put(call_and_test(call(i.step))); },
        [&](const instruction::PopNumber& i) { set(i.to, c_from_word(dtype(i.to), "*--" + stack(i.stack) + ".top")); },
        [&](const instruction::Extent& i) {
          set(i.to, "covec_extent(" + slot(i.slot) + ", " + std::to_string(i.axis) + ")");
        },
        [&](const instruction::LookUp&) {},  // a C compiler sees for itself what stays
        [&](const instruction::ListLength& i) { set(i.to, "covec_length(" + slot(i.slot) + ")"); },
        [&](const auto& each) { write_one(each); });
  }
  void write_one(const instruction::Scalar& i) {
    ScalarExpression e{i.op, dtype(i.to), dtype(i.operands[0]), i.arity, {}, "fma"};
    for (unsigned k = 0; k < i.arity; ++k) e.operands[k] = variable(i.operands[k]);
    set(i.to, c_expression(e));
  }

  // --- control ---

  void write_one(const instruction::Poll& i) {
    const std::string condition = "if (*(const volatile uint8_t*)a->interrupt != 0) ";
    const std::string poll = "a->poll(a, " + std::to_string(i.step) + ")";
    put(condition + (routine_ != nullptr ? raise(i.step) : call_and_test(poll)));
  }
  void leave() { put(routine_ != nullptr ? "return " + variable(routine_->result) + ";" : "return 0;"); }
  void write_one(const instruction::CallRoutine& i) {
    std::string text = routine_name() + "(a, calls - " + std::to_string(i.depth);
    for (const Register r : i.arguments) text += ", " + variable(r);
    set(i.to, text + ")");
    put("if (a->failed) return " + (routine_ != nullptr ? "0" : call(i.step)) + ";");
  }

  // --- slots and stacks ---

  void write_one(const instruction::PushNumber& i) {
    put("while (" + stack(i.stack) + ".top == " + stack(i.stack) + ".end) " + call_and_test(call(i.step)));
    put("*" + stack(i.stack) + ".top++ = " + c_to_word(dtype(i.from), variable(i.from)) + ";");
  }
  void store(loops::SlotId to, Register number) {
    put(slot(to) + ".tag = COVEC_TAG_" + std::string(name_of(dtype(number))) + ";");
    put(slot(to) + ".bits = " + c_to_word(dtype(number), variable(number)) + ";");
  }

  // --- tensors ---

  // Where the element lies, or NULL.
  std::string address(const instruction::ElementPlace& i, Dtype dtype) const {
    std::string text =
        "covec_address(" + slot(i.slot) + ", " + std::to_string(i.indices.size()) + ", (const int64_t[]){";
    for (size_t k = 0; k < i.indices.size(); ++k) text += (k > 0 ? ", " : "") + variable(i.indices[k]);
    return text + "}, " + std::to_string(size_of(dtype)) + ")";
  }
  void save(const instruction::ElementPlace& i) {
    for (const instruction::Saved& saved : i.saves) store(saved.slot, saved.number);
  }
  void write_one(const instruction::Element& i) {
    const std::string type(c_memory_type(dtype(i.to)));
    open("");
    put("const " + type + "* const p = (const " + type + "*)" + address(i, dtype(i.to)) + ";");
    open("if (p == NULL)");
    save(i);
    put(raise(i.step));
    close();
    set(i.to, c_loaded(dtype(i.to), "*p"));
    close();
  }
  void write_one(const instruction::SetElement& i) {
    const std::string type(c_memory_type(dtype(i.from)));
    open("");
    put(type + "* const p = covec_exclusive(" + slot(i.slot) + ") ? (" + type + "*)" + address(i, dtype(i.from)) +
        " : NULL;");
    put("if (p != NULL) *p = " + c_stored(dtype(i.from), variable(i.from)) + ";");
    open("else");
    save(i);
    put(call_and_test(call(i.step)));
    close();
    close();
  }

  // --- random numbers ---

  void write_one(const OneOf<instruction::Draw, instruction::NextCall, instruction::SetNextCall> auto& i) {
    const std::string next = "a->random->calls";
    if constexpr (requires { i.from; }) {
      put(next + " = (uint64_t)" + variable(i.from) + ";");
    } else if constexpr (!requires { i.buffer; }) {
      set(i.to, "(int64_t)" + next);
    } else {
      const std::string type(c_memory_type(dtype(i.to))), key = i.key ? variable(*i.key) : "a->random->key";
      open("");
      put("const void* p;");
      for (const instruction::Saved& saved : i.saves) store(saved.slot, saved.number);
      put("while ((p = covec_drawn(a, (uint64_t)" + key + ", " + std::to_string(i.buffer) + ", sizeof(" + type +
          "))) == NULL) " + call_and_test(call(i.step)));
      set(i.to, c_loaded(dtype(i.to), "*(const " + type + "*)p"));
      if (i.takes) put("++" + next + ";");
      close();
    }
  }

  // --- lists ---

  std::string item(loops::SlotId list, Register index) const {
    return "covec_item(" + slot(list) + ", " + variable(index) + ")";
  }
  void write_one(const instruction::ListItem& i) {
    open("");
    put("const covec_value* const p = " + item(i.slot, i.index) + ";");
    put("if (p == NULL) " + raise(i.step));
    set(i.to, c_from_word(dtype(i.to), "p->bits"));
    close();
  }
  void write_one(const instruction::ListSet& i) {
    open("");
    put("covec_value* const p = covec_alone(" + slot(i.slot) + ") ? " + item(i.slot, i.index) + " : NULL;");
    put("if (p != NULL) p->bits = " + c_to_word(dtype(i.from), variable(i.from)) + ";");
    put("else " + call_and_test(call(i.step)));
    close();
  }
  void write_one(const instruction::ListPush& i) {
    put("while (!covec_has_room(" + slot(i.slot) + ")) " + call_and_test(call(i.step)));
    put("covec_append(" + slot(i.slot) + ", COVEC_TAG_" + std::string(name_of(dtype(i.from))) + ", " +
        c_to_word(dtype(i.from), variable(i.from)) + ");");
  }

  const loops::Program& program_;
  const Code& code_;
  const std::string& name_;
  const loops::Routine* routine_ = nullptr;  // whose code it is
  std::string text_;
  size_t depth_ = 0;
};

}  // namespace

std::string c99_code(const loops::Program& program, const std::string& name) {
  return CodeWriter::routine(program, name) + CodeWriter(program, name).text();
}

}  // namespace covec::source
