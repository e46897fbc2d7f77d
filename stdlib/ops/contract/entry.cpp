#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

std::vector<const Entry*> joined(std::initializer_list<Family> lists) {
  std::vector<const Entry*> all;
  for (const Family& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace covec::ops
