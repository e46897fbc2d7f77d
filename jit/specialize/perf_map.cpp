#include "jit/specialize/perf_map.hpp"

#include <algorithm>
#include <cstdio>

#include "jit/loops/plan.hpp"
#include "jit/runtime/code_parts.hpp"
#include "jit/simd/compile.hpp"

namespace covec::jit {

namespace {

std::string line(simd::Compiled::Range range, const std::string& name) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%lx %zx ", static_cast<unsigned long>(range.begin), range.bytes);
  std::string shown = name;
  std::ranges::replace(shown, '\n', ' ');
  return buffer + shown + "\n";
}

// "f: kernel mul add" for kernel `number`, which a launch runs or a vectorized loop.
std::string kernel_name(const loops::Plan& plan, const ops::CodeParts& parts, uint32_t number) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const auto* const launch = plan.steps[i].get_if<loops::step::RunLaunch>();
    const auto* const loop = plan.steps[i].get_if<loops::step::RunVectorLoop>();
    const bool runs = (launch != nullptr && (plan.launches[launch->launch].kernel == number ||
                                             plan.launches[launch->launch].row_kernel == number)) ||
                      (loop != nullptr && plan.vector_loops[loop->loop].kernel == number);
    if (runs) return parts.steps[i].text;
  }
  return "kernel";
}

}  // namespace

std::string perf_map_of(const Code& code, const std::string& name) {
  if (code.machine == nullptr) return "";
  const ops::CodeParts parts = runtime::parts_of(*code.plan);
  const std::vector<simd::Compiled::Range> ranges = code.machine->ranges();
  const size_t kernels = code.plan->program.kernels.size();
  std::string lines;
  for (size_t i = 0; i < ranges.size(); ++i) {
    std::string part;
    if (i > 0) part = i <= kernels ? kernel_name(*code.plan, parts, static_cast<uint32_t>(i - 1)) : "a loop in lanes";
    lines += line(ranges[i], name + (part.empty() ? "" : ": " + part));
  }
  for (const Code& function : code.functions) lines += perf_map_of(function, name + ", called by itself");
  return lines;
}

}  // namespace covec::jit
