// What a rank does by itself in the middle of a collective, such as writing a file: the others learn how it went.
#pragma once

#include <string>
#include <vector>

#include "stdlib/cluster/collective.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ops {

// All ranks call it, and each does its own. If some fail, the error of the lowest one is raised on all; otherwise each
// gets what all have told, by rank.
std::vector<std::string> do_own_work(Context& context, cluster::Operation operation, FunctionRef<std::string()> work);

}  // namespace covec::ops
