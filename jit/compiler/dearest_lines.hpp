// Writes the second and the third line of explain(f): the dearest line of the program, and what to do about it.
#pragma once

#include <span>
#include <string>

#include "jit/compiler/run_host.hpp"
#include "jit/cost/roofline.hpp"
#include "jit/specialize/specialization.hpp"

namespace covec::jit {

// The lines of the specialization whose dearest line costs the most. many: stands for code that is not made any more;
// nullptr: it is made.
std::string dearest_lines(const RunHost& host, const Walker& walker, std::span<const Specialization* const> all,
                          const Specialization* many, const Roofline* roofline);

}  // namespace covec::jit
