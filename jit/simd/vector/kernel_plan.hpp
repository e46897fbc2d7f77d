// Decides about a kernel before it is emitted: the number of lanes, the last use of each value, and which uniform
// values stay in registers during the loop.
#pragma once

#include <vector>

#include "jit/loops/program.hpp"

namespace covec::simd {

struct KernelPlan {
  KernelPlan(const loops::Kernel& kernel, bool avx512);

  int widest = 4;  // bytes of the widest element
  int lanes = 8;
  int vectors = 1;  // computed side by side in the loop over several, so that their latencies overlap
  size_t operations = 0;
  bool calls = false;              // some are done lane by lane, by functions
  bool outlines = false;           // some call eager kernels where a lane needs it
  std::vector<uint32_t> uses;      // of each value
  std::vector<uint32_t> last_use;  // the number of the last instruction that uses it; code.size(): it is stored
  std::vector<uint32_t> root;      // the value whose register it shares: bitcasts
  std::vector<bool> uniform;       // a constant, a number, an input's only element
  std::vector<bool> kept;          // uniform, and in a register before the loop
  std::vector<uint32_t> end_of;    // of a rare: its end_rare

 private:
  void count_uses(const loops::Kernel& kernel);
  void use(uint32_t value, uint32_t at);
  unsigned max_alive(const loops::Kernel& kernel, bool avx512) const;
  void keep(const loops::Kernel& kernel, bool avx512);
};

}  // namespace covec::simd
