// A kernel in C: a loop over the elements, a variable per value. What a rare block makes is computed only where its
// condition holds.
#include "jit/source/c99.hpp"
#include "jit/source/c99_scalar.hpp"

namespace covec::source {

namespace {

using loops::Kernel;
using loops::KernelInstruction;
using Kind = KernelInstruction::Kind;

class KernelWriter {
 public:
  KernelWriter(Kernel kernel, const std::string& name) : kernel_(std::move(kernel)), name_(name) {}

  std::string text() {
    if (!kernel_.name.empty()) put("/* " + c99_identifier(kernel_.name) + " */");
    put("int64_t " + name_ + "(void* const* outputs, const void* const* inputs, int64_t n, const uint64_t* numbers) {");
    ++depth_;
    put("(void)outputs, (void)inputs, (void)numbers;");
    arrays();
    put("for (int64_t i = 0; i < n; ++i) {");
    ++depth_;
    for (uint32_t k = 0; k < kernel_.code.size(); ++k) write(k);
    if (kernel_.fails != Kernel::never) put("if (" + value(kernel_.fails) + ") return i;");
    for (size_t o = 0; o < kernel_.outputs.size(); ++o) {
      put("out" + std::to_string(o) + "[i] = " + c_stored(kernel_.outputs[o].dtype, value(kernel_.outputs[o].value)) +
          ";");
    }
    close();
    put("return -1;");
    close();
    return std::move(text_);
  }

 private:
  void put(const std::string& line) { text_ += std::string(2 * depth_, ' ') + line + "\n"; }
  void close() {
    --depth_;
    put("}");
  }
  static std::string value(uint32_t k) { return "v" + std::to_string(k); }

  void arrays() {
    for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
      const std::string type(c_memory_type(kernel_.inputs[k].dtype)), number = std::to_string(k);
      put("const " + type + "* in" + number + " = (const " + type + "*)inputs[" + number + "];");
    }
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const std::string type(c_memory_type(kernel_.outputs[k].dtype)), number = std::to_string(k);
      put(type + "* out" + number + " = (" + type + "*)outputs[" + number + "];");
    }
  }

  void write(uint32_t k) {
    const KernelInstruction& i = kernel_.code[k];
    if (i.kind == Kind::rare) return open_rare(k);
    if (i.kind == Kind::end_rare) {
      put(value(k) + " = " + value(i.operands[1]) + ";");
      return close();
    }
    put("const " + std::string(c_type(i.dtype)) + " " + value(k) + " = " + expression(i) + ";");
  }

  // The variable of the block's value stands before the block, and is the usual one to begin with.
  void open_rare(uint32_t k) {
    const uint32_t end = end_of(k);
    const KernelInstruction& last = kernel_.code[end];
    put(std::string(c_type(last.dtype)) + " " + value(end) + " = " + value(last.operands[2]) + ";");
    put("if (" + value(kernel_.code[k].operands[0]) + ") {");
    ++depth_;
  }
  uint32_t end_of(uint32_t rare) const {
    size_t open = 0;
    uint32_t k = rare;
    for (;; ++k) {
      if (kernel_.code[k].kind == Kind::rare) ++open;
      if (kernel_.code[k].kind == Kind::end_rare && --open == 0) return k;
    }
  }

  std::string expression(const KernelInstruction& i) const {
    if (i.kind == Kind::constant) return c_constant(i.dtype, i.bits);
    if (i.kind == Kind::number) return c_from_word(i.dtype, "numbers[" + std::to_string(i.index) + "]");
    if (i.kind == Kind::load) {
      return c_loaded(i.dtype, "in" + std::to_string(i.index) + (kernel_.inputs[i.index].uniform ? "[0]" : "[i]"));
    }
    ScalarExpression scalar{i.op, i.dtype, kernel_.code[i.operands[0]].dtype, i.arity, {}};
    for (unsigned k = 0; k < i.arity; ++k) scalar.operands[k] = value(i.operands[k]);
    return c_expression(scalar);
  }

  const Kernel kernel_;
  const std::string& name_;
  std::string text_;
  size_t depth_ = 0;
};

}  // namespace

// Nothing is outlined here, so that the text depends on no other code.
std::string c99_kernel(const Kernel& kernel, const std::string& name) {
  return KernelWriter(loops::expanded(kernel), name).text();
}

}  // namespace covec::source
