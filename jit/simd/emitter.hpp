// What the emitters share: asmjit's compiler, the table of helpers, constants, and code out of the way. Private to this
// folder, as all of asmjit.
#pragma once

#include <asmjit/x86.h>

#include <bit>
#include <cstring>

#include "jit/loops/program.hpp"
#include "jit/simd/helpers.hpp"
#include "stdlib/value/context.hpp"

namespace covec::simd {

namespace x86 = asmjit::x86;
using asmjit::imm;
using asmjit::Label;
using asmjit::Operand_;
namespace Inst = x86::Inst;
using InstId = asmjit::InstId;

inline InstId pick(Dtype dtype, InstId f32, InstId f64, InstId i32 = 0, InstId i64 = 0) {
  switch (dtype) {
    case Dtype::f32: return f32;
    case Dtype::f64: return f64;
    case Dtype::i32: return i32;
    default: return i64;
  }
}

class Emitter {
 public:
  Emitter(x86::Compiler& compiler, ops::Isa isa, Label table) : cc(compiler), isa_(isa), table_(table) {}

  x86::Compiler& cc;
  bool avx512() const { return isa_ == ops::Isa::avx512; }
  x86::Mem helper(Helper helper) const { return x86::qword_ptr(table_, 8 * static_cast<int32_t>(helper)); }

  // A constant behind the function's code, repeated `count` times.
  x86::Mem constant(uint64_t bits, size_t size, size_t count = 1) {
    uint8_t bytes[64] = {};
    for (size_t k = 0; k < count; ++k) std::memcpy(bytes + k * size, &bits, size);
    x86::Mem place = cc.newConst(asmjit::ConstPoolScope::kLocal, bytes, size * count);
    place.setSize(static_cast<uint32_t>(size * count));
    return place;
  }

  // Begins a function; `emit` of out_of_the_way() goes behind all that is emitted otherwise, which must not run on into
  // it.
  void begin_cold_part() {
    asmjit::BaseNode* here = cc.cursor();
    cc.comment("seldom");
    cold_ = cc.setCursor(here);
  }
  template <class F>
  void out_of_the_way(F emit) {
    asmjit::BaseNode* here = cc.setCursor(cold_);
    emit();
    cc.setCursor(here);
  }

 private:
  ops::Isa isa_;
  Label table_;
  asmjit::BaseNode* cold_ = nullptr;
};

}  // namespace covec::simd
