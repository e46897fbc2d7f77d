// Sums over ranks, inside a collective.
#pragma once

#include "stdlib/ops/ranks/leaf.hpp"

namespace covec::ops {

// What all ranks give, added up in the order of pairs, once their headers agree.
Value sum_of_ranks(Builder& builder, cluster::Joined& joined, LeafBytes& mine);

}  // namespace covec::ops
