// Complex numbers: how they are made and taken apart. What other operators do with them: contract/complex.hpp.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& c64_entry();
const Entry& c128_entry();
const Entry& conj_entry();

Family complex_family();

}  // namespace covec::ops
