// All operators of the family, file by file.
#include "stdlib/ops/random/family.hpp"

namespace covec::ops {

Family random_family() {
  static const std::vector<const Entry*> all = joined({random_entries(), random_example_entries()});
  return all;
}

}  // namespace covec::ops
