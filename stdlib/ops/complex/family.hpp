// Operators that make complex numbers and take them apart. contract/complex.hpp says what other operators do with them.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& c64_entry();
const Entry& c128_entry();
const Entry& conj_entry();

Family complex_family();

}  // namespace covec::ops
