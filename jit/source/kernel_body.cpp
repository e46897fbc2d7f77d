#include "jit/source/kernel_body.hpp"

#include "jit/source/c99_scalar.hpp"

namespace covec::source {

namespace {

using loops::Kernel;
using loops::KernelInstruction;
using Kind = KernelInstruction::Kind;

class BodyWriter {
 public:
  BodyWriter(const Kernel& kernel, size_t depth, const KernelNames& names)
      : kernel_(kernel), names_(names), depth_(depth) {}

  std::string text() {
    for (uint32_t k = 0; k < kernel_.code.size(); ++k) write(k);
    return std::move(text_);
  }

 private:
  void put(const std::string& line) { text_ += std::string(2 * depth_, ' ') + line + "\n"; }
  static std::string value(uint32_t k) { return "v" + std::to_string(k); }

  void write(uint32_t k) {
    const KernelInstruction& i = kernel_.code[k];
    if (i.kind == Kind::rare) return open_rare(k);
    if (i.kind == Kind::end_rare) {
      for (uint32_t at = k; is_result_of(k, at); ++at)
        put(value(at) + " = " + value(kernel_.code[at].operands[1]) + ";");
      --depth_;
      return put("}");
    }
    if (i.kind == Kind::rare_result) return;  // made with its end_rare
    put("const " + std::string(c_type(i.dtype)) + " " + value(k) + " = " + expression(i) + ";");
  }

  // Whether instruction `at` is the end of a block, or another result of it.
  bool is_result_of(uint32_t end, uint32_t at) const {
    return at == end || (at < kernel_.code.size() && kernel_.code[at].kind == Kind::rare_result);
  }

  // The variables of the block's values stand before the block, and are the usual ones to begin with.
  void open_rare(uint32_t k) {
    const uint32_t end = end_of(k);
    for (uint32_t at = end; is_result_of(end, at); ++at) {
      const KernelInstruction& last = kernel_.code[at];
      put(std::string(c_type(last.dtype)) + " " + value(at) + " = " + value(last.operands[2]) + ";");
    }
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
    if (i.kind == Kind::number) return c_from_word(i.dtype, names_.number(i.index));
    if (i.kind == Kind::load) return c_loaded(i.dtype, names_.element(i.index));
    ScalarExpression scalar{i.op, i.dtype, kernel_.code[i.operands[0]].dtype, i.arity, {}};
    for (unsigned k = 0; k < i.arity; ++k) scalar.operands[k] = value(i.operands[k]);
    return c_expression(scalar);
  }

  const Kernel& kernel_;
  const KernelNames& names_;
  std::string text_;
  size_t depth_;
};

}  // namespace

std::string kernel_body(const Kernel& kernel, size_t depth, const KernelNames& names) {
  return BodyWriter(kernel, depth, names).text();
}

}  // namespace covec::source
