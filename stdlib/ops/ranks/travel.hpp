// Values as bytes, for other ranks: numbers, tensors, texts and trees of them. Functions and what they hold stay on
// their rank, and so do traced values.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/cluster/bytes.hpp"
#include "stdlib/cluster/header.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/value.hpp"

namespace covec::ops {

// The first leaf of the tree that cannot travel: "a function"; "" where there is none. Throws OpError(too_deep).
std::string fixed_leaf(const Value& tree);

// Of such a leaf.
[[noreturn]] void fail_fixed(cluster::Operation operation, const std::string& leaf);

// Of a tree whose leaves can travel.
void put_value(cluster::ByteWriter& out, const Value& tree);
Value get_value(Pool& pool, cluster::ByteReader& in);

}  // namespace covec::ops
