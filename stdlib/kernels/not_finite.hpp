// Whether all floats of a row are finite, which each instruction set provides: a look at the exponents at the speed of
// memory. Elements are given as bits.
#pragma once

#include <cstdint>

#include "built/isas.hpp"

namespace covec::kernels {

// Whether any exponent is all ones. `lowest` is the lowest bit of the dtype's exponent.
template <class Bits>
using AnyNotFinite = bool (*)(const Bits* elements, int64_t count, Bits lowest);

}  // namespace covec::kernels

COVEC_DECLARE_PER_ISA(bool any_not_finite(const uint16_t* elements, int64_t count, uint16_t lowest);
                      bool any_not_finite(const uint32_t* elements, int64_t count, uint32_t lowest);
                      bool any_not_finite(const uint64_t* elements, int64_t count, uint64_t lowest);)
