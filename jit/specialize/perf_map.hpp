// Names of machine code for `perf`: one for each function, kernel and loop in lanes.
#pragma once

#include <string>

#include "jit/pipeline.hpp"

namespace covec::jit {

// Lines of gate::append_to_perf_map.
std::string perf_map_of(const Code& code, const std::string& name);

}  // namespace covec::jit
