#include "jit/simd/machine/access.hpp"

namespace covec::simd {

using loops::Register;

x86::Gp index_in_bounds(Emitter& e, ScalarRegisters& r, Register place, const Operand_& extent,
                        const Label& out_of_range) {
  x86::Gp index = r.word();
  Label back = e.cc.newLabel(), outside = e.cc.newLabel();
  e.cc.emit(Inst::kIdMov, index, r.integer_operand(place));
  e.cc.emit(Inst::kIdCmp, index, extent);
  e.cc.jae(outside);
  e.cc.bind(back);
  e.out_of_line([&] {
    e.cc.bind(outside);
    e.cc.emit(Inst::kIdAdd, index, extent);
    e.cc.emit(Inst::kIdCmp, index, extent);
    e.cc.jae(out_of_range);
    e.cc.jmp(back);
  });
  return index;
}

void require_exclusive(Emitter& e, ScalarRegisters& r, const x86::Gp& header, const Label& shared) {
  Label own = e.cc.newLabel();
  x86::Gp storage = r.word();
  e.cc.cmp(x86::dword_ptr(header, at(TensorLayout::references)), 1);
  e.cc.jne(shared);
  e.cc.mov(storage, x86::qword_ptr(header, at(TensorLayout::storage)));
  e.cc.test(storage, storage);
  e.cc.jz(own);
  e.cc.cmp(x86::dword_ptr(storage, at(TensorLayout::storage_references)), 1);
  e.cc.jne(shared);
  e.cc.cmp(x86::byte_ptr(storage, at(TensorLayout::storage_read_only)), 0);
  e.cc.jne(shared);
  e.cc.cmp(x86::byte_ptr(header, at(TensorLayout::contiguous)), 0);
  e.cc.je(shared);
  e.cc.bind(own);
}

}  // namespace covec::simd
