// The elements of tensors, by their indices, and extents. A tensor's header is read where it lies
// (stdlib/tensor/layout.hpp), or a view has read it before the loop.
#pragma once

#include "jit/simd/machine/view_emitter.hpp"

namespace covec::simd {

class ElementEmitter {
 public:
  ElementEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls, ScalarMemory& memory,
                 SlotEmitter& slots, ViewEmitter& views)
      : e_(emitter), cc_(emitter.cc), r_(registers), calls_(calls), memory_(memory), slots_(slots), views_(views) {}
  void extent(const loops::instruction::Extent& i);
  // `next`: the instructions behind it.
  void load(const loops::instruction::Element& i, std::span<const loops::Instruction> next);
  void store(const loops::instruction::SetElement& i);

 private:
  using ElementPlace = loops::instruction::ElementPlace;
  x86::Mem place(const ElementPlace& i, Dtype dtype, bool writes, const Label& otherwise);
  x86::Mem place_in_view(const ElementPlace& i, Dtype dtype, bool writes, const Label& otherwise);
  x86::Mem kept_place(const ElementPlace& i, Dtype dtype, const Label& otherwise);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  RuntimeCalls& calls_;
  ScalarMemory& memory_;
  SlotEmitter& slots_;
  ViewEmitter& views_;
  x86::Gp kept_place_;  // of an element that is set next, from the view's first one
  bool keeps_place_ = false;
};

}  // namespace covec::simd
