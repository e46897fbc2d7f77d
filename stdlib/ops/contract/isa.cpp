// Which instruction set the kernels use: the best that the processor and the system support, or less when the
// environment asks for it (tests compare them).
#include "stdlib/ops/contract/isa.hpp"

#include <cstdlib>
#include <string_view>

namespace covec::ops {

namespace {

Isa supported() {
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (avx512) return Isa::avx512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")
             ? Isa::avx2
             : Isa::baseline;
}

}  // namespace

Isa detect_isa(bool use_environment) {
  const Isa best = supported();
  const char* wanted = use_environment ? std::getenv("COVEC_ISA") : nullptr;
  if (wanted == nullptr) return best;
  const std::string_view name = wanted;
  if (name == "baseline") return Isa::baseline;
  return name == "avx2" && best != Isa::baseline ? Isa::avx2 : best;
}

}  // namespace covec::ops
