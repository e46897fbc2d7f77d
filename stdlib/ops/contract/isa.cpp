// Chooses the instruction set of the kernels: the best that the processor and the system support. The environment may
// ask for less (tests compare them).
#include "stdlib/ops/contract/isa.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <iterator>
#include <optional>

#include "built/isas.hpp"

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

constexpr std::string_view names[isa_count] = {"baseline", "avx2", "avx512"};  // by Isa

#define COVEC_CHECK_NUMBER(isa, number, ...) static_assert(static_cast<size_t>(Isa::isa) == number);
COVEC_EACH_ISA(COVEC_CHECK_NUMBER)

// The one that COVEC_ISA names.
std::optional<Isa> wanted_isa(const Gate& gate) {
  const char* const wanted = gate.variable("COVEC_ISA");
  if (wanted == nullptr) return std::nullopt;
  const auto* const found = std::ranges::find(names, wanted);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Isa>(found - names);
}

}  // namespace

bool is_built(Isa isa) {
#define COVEC_OR_EQUAL(built, number, ...) || isa == Isa::built
  return false COVEC_EACH_ISA(COVEC_OR_EQUAL);
}

std::string names_of_built_isas() {
  std::string all;
  for (size_t isa = 0; isa < isa_count; ++isa) {
    if (is_built(static_cast<Isa>(isa))) all.append(all.empty() ? "" : ", ").append(names[isa]);
  }
  return all;
}

Isa detect_isa(const Gate& gate) {
  const Isa best = supported();
  Isa isa = std::min(wanted_isa(gate).value_or(best), best);
  while (!is_built(isa)) isa = static_cast<Isa>(static_cast<size_t>(isa) - 1);  // the baseline always is
  return isa;
}

std::string_view isa_not_built(const Gate& gate) {
  const std::optional<Isa> wanted = wanted_isa(gate);
  return wanted && !is_built(*wanted) ? names[static_cast<size_t>(*wanted)] : std::string_view();
}

}  // namespace covec::ops
