// What the emitters share: asmjit's compiler, the table of helpers, constants, and out-of-line code. Private to this
// folder, as all of asmjit.
#pragma once

#include <asmjit/x86.h>

#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "jit/loops/program.hpp"
#include "jit/simd/machine/helpers.hpp"
#include "jit/simd/places/code_options.hpp"
#include "jit/simd/places/place_notes.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/half.hpp"

namespace covec::simd {

namespace x86 = asmjit::x86;
using asmjit::imm;
using asmjit::Label;
using asmjit::Operand_;
namespace Inst = x86::Inst;
using InstId = asmjit::InstId;

// Half-precision numbers lie in registers as f32 that they hold exactly: their bits there.
inline uint64_t register_bits(Dtype dtype, uint64_t bits) {
  if (is_narrow_integer(dtype)) return static_cast<uint64_t>(integer_at(dtype, &bits));
  return is_half(dtype) ? std::bit_cast<uint32_t>(float_of_half(dtype, static_cast<uint16_t>(bits))) : bits;
}
inline size_t register_size(Dtype dtype) { return size_of(computing_dtype(dtype)); }

inline InstId pick(Dtype dtype, InstId f32, InstId f64, InstId i32 = 0, InstId i64 = 0) {
  switch (compute_of(dtype)) {
    case Compute::f32: return f32;
    case Compute::f64: return f64;
    case Compute::i32: return i32;
    default: return i64;
  }
}

// A call of ActivationRecord::step or poll.
struct ColdCall {
  loops::ActivationRecord* activation;
  int64_t member;  // its offset
  uint32_t index;
  int32_t status;
};

class Emitter {
 public:
  Emitter(x86::Compiler& compiler, ops::Isa isa, const Label& table, const CodeOptions& options)
      : cc(compiler),
        isa_(isa),
        checked_(options.checked),
        timed_(options.timed),
        table_(table),
        outlined_call_(compiler.newLabel()),
        cold_call_(compiler.newLabel()) {
    if (options.placed) places_.emplace(compiler);
  }

  x86::Compiler& cc;
  bool avx512() const { return isa_ == ops::Isa::avx512; }
  x86::Mem helper(Helper helper) const { return x86::qword_ptr(table_, 8 * static_cast<int32_t>(helper)); }
  // In checked code: asks one of the helpers that are CheckFunctions.
  bool checked() const { return checked_; }
  bool timed() const { return timed_; }
  void check(Helper helper, const Operand_& whose, const Operand_& place, const Operand_& extent);
  // The number of an eager kernel behind the helpers.
  uint32_t outlined(const loops::Kernel::Outlined& outlined);
  // What calls it with the OutlinedCall above the return address, and leaves all registers as they are: so that the
  // register allotment of a loop does not see the call. emit_outlined_call() emits it, where it was asked for.
  Label outlined_call() const { return outlined_call_; }
  void emit_outlined_call();
  // The same for steps that the function itself hardly ever asks for: with a ColdCall there.
  Label cold_call() {
    calls_cold_ = true;
    return cold_call_;
  }
  void emit_cold_call();
  // What stands in front of the code, for its first `words` words.
  std::vector<const void*> table(size_t words) const;

  // A constant behind the function's code, repeated `count` times.
  x86::Mem constant(uint64_t bits, size_t size, size_t count = 1) {
    uint8_t bytes[64] = {};
    for (size_t k = 0; k < count; ++k) std::memcpy(bytes + k * size, &bits, size);
    x86::Mem place = cc.newConst(asmjit::ConstPoolScope::kLocal, bytes, size * count);
    place.setSize(static_cast<uint32_t>(size * count));
    return place;
  }

  // In code that is to be placed: the place of what is emitted from here on.
  void set_place(uint32_t place) {
    if (places_) places_->set(place);
  }
  void set_place(const loops::Instruction& i) {
    if (i.place != 0) set_place(i.place);
  }
  asmjit::Error finalize(ops::PlacedCode& placed) { return places_ ? places_->finalize(placed) : cc.finalize(); }

  // Begins a function; `emit` of out_of_line() goes behind all that is emitted otherwise, which must not run on into
  // it.
  void begin_cold_part() {
    asmjit::BaseNode* here = cc.cursor();
    cc.comment("cold");
    cold_ = cc.setCursor(here);
  }
  asmjit::BaseNode* begin_out_of_line() { return go_to(cold_); }  // gives where to come back to
  asmjit::BaseNode* go_to(asmjit::BaseNode* cursor) {
    if (places_) places_->note();
    return cc.setCursor(cursor);
  }
  template <class F>
  void out_of_line(F emit) {
    asmjit::BaseNode* here = begin_out_of_line();
    emit();
    go_to(here);
  }

 private:
  void enter(int32_t bytes);  // a frame of this size, aligned
  void leave();
  void keep(bool save, InstId id, const x86::Reg& reg, int32_t at);
  void keep_all(bool save);
  void keep_numbers(bool save);

  ops::Isa isa_;
  bool checked_, timed_;
  std::optional<PlaceNotes> places_;
  Label table_, outlined_call_, cold_call_;
  bool calls_cold_ = false;
  std::vector<kernels::PointwiseKernel> outlined_;
  asmjit::BaseNode* cold_ = nullptr;
};

}  // namespace covec::simd
