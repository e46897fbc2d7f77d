// All operators of the family, file by file.
#include "stdlib/ops/signal/family.hpp"

namespace covec::ops {

Family signal_family() {
  static const std::vector<const Entry*> all =
      joined({signal_convolve_entries(), signal_line_entries(), signal_fourier_entries(), signal_pool_entries(),
              signal_entries()});
  return all;
}

}  // namespace covec::ops
