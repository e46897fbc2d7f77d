// Operators that only compiled functions apply: checks that the interpreter makes by itself, and text made piece by
// piece.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& require_entry();
const Entry& require_value_entry();
const Entry& join_text_entry();
const Entry& type_text_entry();

}  // namespace covec::ops
