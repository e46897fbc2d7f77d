// Writes the function in C: a variable per register, `if` and `for (;;)` as in the loop IR, and a return wherever a
// step's status demands it.
#include <algorithm>

#include "jit/source/c99.hpp"
#include "jit/source/c99_scalar.hpp"

namespace covec::source {

namespace {

using loops::Code;
using loops::Instruction;
using loops::Register;
using Kind = Instruction::Kind;

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
    fail();
    close();
    for (const Instruction& i : code_.instructions) write(i);
    close();
    return std::move(text_);
  }
  void declare(Register r) { put(std::string(c_type(code_.registers[r])) + " " + variable(r) + " = 0;"); }
  void fail() { put("a->failed = 1; return 0;"); }
  void leave() { put(routine_ != nullptr ? "return " + variable(routine_->result) + ";" : "return 0;"); }
  void poll(const Instruction& i) {
    const std::string condition = "if (*(const volatile uint8_t*)a->interrupt != 0) ";
    put(condition + (routine_ != nullptr ? "{ a->failed = 1; return 0; }" : call("poll", i)));
  }
  void call_routine(const Instruction& i) {
    std::string text = routine_name() + "(a, calls - " + std::to_string(i.slot);
    for (const Register r : i.indices) text += ", " + variable(r);
    set(i, text + ")");
    put("if (a->failed) return " + (routine_ != nullptr ? "0" : "a->step(a, " + std::to_string(i.index) + ")") + ";");
  }
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
  std::string operand(const Instruction& i) const { return variable(i.operands[0]); }
  void set(const Instruction& i, const std::string& expression) { put(variable(i.to) + " = " + expression + ";"); }

  void write(const Instruction& i) {
    switch (i.kind) {
      case Kind::constant: return set(i, c_constant(code_.registers[i.to], i.bits));
      case Kind::move: return set(i, operand(i));
      case Kind::scalar: return set(i, scalar(i));
      case Kind::if_: return open("if (" + operand(i) + ")");
      case Kind::else_: --depth_; return open("} else");
      case Kind::end_if:
      case Kind::end_loop: return close();
      case Kind::loop: return open("for (;;)");
      case Kind::break_if: return put("if (" + operand(i) + ") break;");
      case Kind::break_unless: return put("if (!" + operand(i) + ") break;");
      case Kind::poll: return poll(i);
      case Kind::leave: return leave();
      case Kind::call: return call_routine(i);
      case Kind::fail: return fail();
      case Kind::load: return set(i, c_from_word(code_.registers[i.to], slot(i) + ".bits"));
      case Kind::store: return store(i.slot, i.operands[0]);
      case Kind::part:
      case Kind::view: return;  // a C compiler sees for itself what stays
      case Kind::step: return put(call("step", i));
      case Kind::element: return element(i);
      case Kind::set_element: return set_element(i);
      case Kind::push: return push(i);
      case Kind::extent: return set(i, "covec_extent(" + slot(i) + ", " + std::to_string(i.index) + ")");
      case Kind::pop: return set(i, c_from_word(code_.registers[i.to], "*--" + stack(i) + ".top"));
      case Kind::list_length: return set(i, "covec_length(" + slot(i) + ")");
      case Kind::list_item: return list_item(i);
      case Kind::list_set: return list_set(i);
      case Kind::list_push: return list_push(i);
    }
  }

  std::string scalar(const Instruction& i) const {
    ScalarExpression e{i.op, code_.registers[i.to], code_.registers[i.operands[0]], i.arity, {}, "fma"};
    for (unsigned k = 0; k < i.arity; ++k) e.operands[k] = variable(i.operands[k]);
    return c_expression(e);
  }

  // A call of the runtime, which leaves the function where its status is not 0.
  static std::string call(const char* member, const Instruction& i) {
    return std::string("{ const int32_t status = a->") + member + "(a, " + std::to_string(i.index) +
           "); if (status != 0) return status; }";
  }

  static std::string slot(const Instruction& i) { return "slots[" + std::to_string(i.slot) + "]"; }
  static std::string stack(const Instruction& i) { return "stacks[" + std::to_string(i.slot) + "]"; }
  Dtype operand_dtype(const Instruction& i) const { return code_.registers[i.operands[0]]; }

  void store(loops::SlotId to, Register number) {
    const std::string slot = "slots[" + std::to_string(to) + "]";
    const Dtype dtype = code_.registers[number];
    put(slot + ".tag = COVEC_TAG_" + std::string(name_of(dtype)) + ";");
    put(slot + ".bits = " + c_to_word(dtype, variable(number)) + ";");
  }
  void save(const Instruction& i) {
    for (const Instruction::Saved& saved : i.saves) store(saved.slot, saved.number);
  }

  // Where the element lies, or NULL.
  std::string address(const Instruction& i, Dtype dtype) const {
    std::string text = "covec_address(" + slot(i) + ", " + std::to_string(i.indices.size()) + ", (const int64_t[]){";
    for (size_t k = 0; k < i.indices.size(); ++k) text += (k > 0 ? ", " : "") + variable(i.indices[k]);
    return text + "}, " + std::to_string(size_of(dtype)) + ")";
  }
  void element(const Instruction& i) {
    const Dtype dtype = code_.registers[i.to];
    const std::string type(c_memory_type(dtype));
    open("");
    put("const " + type + "* const p = (const " + type + "*)" + address(i, dtype) + ";");
    open("if (p == NULL)");
    save(i);
    put("return a->step(a, " + std::to_string(i.index) + ");");
    close();
    set(i, c_loaded(dtype, "*p"));
    close();
  }
  void set_element(const Instruction& i) {
    const Dtype dtype = operand_dtype(i);
    const std::string type(c_memory_type(dtype));
    open("");
    put(type + "* const p = covec_exclusive(" + slot(i) + ") ? (" + type + "*)" + address(i, dtype) + " : NULL;");
    put("if (p != NULL) *p = " + c_stored(dtype, operand(i)) + ";");
    open("else");
    save(i);
    put(call("step", i));
    close();
    close();
  }

  void push(const Instruction& i) {
    put("while (" + stack(i) + ".top == " + stack(i) + ".end) " + call("step", i));
    put("*" + stack(i) + ".top++ = " + c_to_word(operand_dtype(i), operand(i)) + ";");
  }

  std::string item(const Instruction& i) const { return "covec_item(" + slot(i) + ", " + variable(i.indices[0]) + ")"; }
  void list_item(const Instruction& i) {
    open("");
    put("const covec_value* const p = " + item(i) + ";");
    put("if (p == NULL) return a->step(a, " + std::to_string(i.index) + ");");
    set(i, c_from_word(code_.registers[i.to], "p->bits"));
    close();
  }
  void list_set(const Instruction& i) {
    open("");
    put("covec_value* const p = covec_alone(" + slot(i) + ") ? " + item(i) + " : NULL;");
    put("if (p != NULL) p->bits = " + c_to_word(operand_dtype(i), operand(i)) + ";");
    put("else " + call("step", i));
    close();
  }
  void list_push(const Instruction& i) {
    const Dtype dtype = operand_dtype(i);
    put("while (!covec_has_room(" + slot(i) + ")) " + call("step", i));
    put("covec_append(" + slot(i) + ", COVEC_TAG_" + std::string(name_of(dtype)) + ", " + c_to_word(dtype, operand(i)) +
        ");");
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
