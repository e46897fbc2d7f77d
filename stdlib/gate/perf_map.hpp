// The map of generated code that Linux's `perf` reads: /tmp/perf-PID.map, a line for each function.
#pragma once

#include <string>

namespace covec::gate {

// Lines "START SIZE NAME", in hexadecimal digits. A file that cannot be written is none.
void append_to_perf_map(const std::string& lines);

}  // namespace covec::gate
