#include "jit/source/kernel_body.hpp"

#include <vector>

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
    if (names_.typed) find_live();
    for (uint32_t k = 0; k < kernel_.code.size(); ++k) write(k);
    return std::move(text_);
  }

 private:
  void put(const std::string& line) { text_ += std::string(2 * depth_, ' ') + line + "\n"; }
  static std::string value(uint32_t k) { return "v" + std::to_string(k); }

  // What an output needs, from the last to the first. A block is needed where one of its results is.
  void find_live() {
    live_.assign(kernel_.code.size(), false);
    for (const Kernel::Output& output : kernel_.outputs) live_[output.value] = true;
    if (kernel_.fails != Kernel::never) live_[kernel_.fails] = true;
    std::vector<bool> open;
    for (uint32_t k = static_cast<uint32_t>(kernel_.code.size()); k-- > 0;) {
      const KernelInstruction& i = kernel_.code[k];
      if (i.kind == Kind::rare_result) live_[k - 1] = live_[k - 1] || live_[k];  // as all of one block
      if (i.kind == Kind::end_rare) {
        for (uint32_t at = k; is_result_of(k, at); ++at) {
          live_[at] = live_[k];
          for (unsigned operand = 0; live_[k] && operand < 3; ++operand)
            live_[kernel_.code[at].operands[operand]] = true;
        }
        open.push_back(live_[k]);
      }
      if (i.kind == Kind::rare) {
        live_[k] = open.back();
        open.pop_back();
      }
      for (unsigned operand = 0; live_[k] && operand < loops::operands_of(i); ++operand)
        live_[i.operands[operand]] = true;
    }
  }

  void write(uint32_t k) {
    const KernelInstruction& i = kernel_.code[k];
    if (!live_.empty() && !live_[k]) return;
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
    if (i.kind == Kind::number && names_.typed) return names_.number(i.index);
    if (i.kind == Kind::number) return c_from_word(i.dtype, names_.number(i.index));
    if (i.kind == Kind::load && names_.typed) return names_.element(i.index);
    if (i.kind == Kind::load) return c_loaded(i.dtype, names_.element(i.index));
    ScalarExpression scalar{i.op, i.dtype, kernel_.code[i.operands[0]].dtype, i.arity, {}, names_.fma};
    for (unsigned k = 0; k < i.arity; ++k) scalar.operands[k] = value(i.operands[k]);
    return c_expression(scalar);
  }

  const Kernel& kernel_;
  const KernelNames& names_;
  std::vector<bool> live_;  // empty: all
  std::string text_;
  size_t depth_;
};

}  // namespace

std::string kernel_body(const Kernel& kernel, size_t depth, const KernelNames& names) {
  return BodyWriter(kernel, depth, names).text();
}

}  // namespace covec::source
