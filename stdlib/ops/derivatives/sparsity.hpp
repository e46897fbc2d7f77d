// Patterns of derivatives as builtins of the module `sparse`.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

const ops::Entry& sparse_pattern_entry();  // (f, args, wrt, most): where the Jacobian of f has nonzeros
const ops::Entry& sparse_reasons_entry();  // (args, places): the leaves on which a pattern depends

}  // namespace covec::autodiff
