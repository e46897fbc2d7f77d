// What is asked of machine code besides what it computes.
#pragma once

namespace covec::simd {

struct CodeOptions {
  bool listing = false;  // keep the assembly text
  bool checked = false;  // ask before each computed place in memory (checks.hpp)
  bool timed = false;    // note what outermost loops take (loop_timer.hpp)
  bool placed = false;   // note of which place of the graph each byte is (place_notes.hpp)
};

}  // namespace covec::simd
