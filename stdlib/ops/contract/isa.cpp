// Chooses the instruction set of the kernels: the best that the processor and the system support. The environment may
// ask for less (tests compare them).
#include "stdlib/ops/contract/isa.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <string_view>

namespace covec::ops {

namespace {

#if defined(__x86_64__)
// Not by __builtin_cpu_supports, which not every compiler asks for this.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

Isa supported() {
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (avx512) return Isa::avx512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c() ? Isa::avx2 : Isa::baseline;
}
#else  // other machines have the portable kernels only
Isa supported() { return Isa::baseline; }
#endif

}  // namespace

Isa detect_isa(const Gate& gate) {
  const Isa best = supported();
  const char* wanted = gate.variable("COVEC_ISA");
  if (wanted == nullptr) return best;
  const std::string_view name = wanted;
  if (name == "baseline") return Isa::baseline;
  return name == "avx2" && best != Isa::baseline ? Isa::avx2 : best;
}

}  // namespace covec::ops
