// What other families and the registry use of this one.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& split_text_entry();  // split, where it is given a string

}  // namespace covec::ops
