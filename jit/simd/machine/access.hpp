// What every access to a tensor or list needs: offsets in its header, an index in bounds, and whether it may be written
// in place. The code of a check jumps to the label that it is given where the check fails.
#pragma once

#include "jit/simd/machine/scalar_registers.hpp"
#include "stdlib/tensor/layout.hpp"

namespace covec::simd {

// An element's bytes as a shift.
inline uint32_t shift_of(Dtype dtype) { return static_cast<uint32_t>(std::countr_zero(size_of(dtype))); }
// An offset, as asmjit takes it.
inline int32_t at(size_t offset) { return static_cast<int32_t>(offset); }

// An index, from the front, of what has `extent` places: a register or a word in memory.
x86::Gp index_in_bounds(Emitter& e, ScalarRegisters& r, loops::Register place, const Operand_& extent,
                        const Label& out_of_range);
// Tensor::exclusive(); whether a tensor with gaps overlaps itself is left to the step.
void require_exclusive(Emitter& e, ScalarRegisters& r, const x86::Gp& header, const Label& shared);

}  // namespace covec::simd
