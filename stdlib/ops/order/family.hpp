// The files of the order family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family order_items_entries();
Family order_sort_entries();
Family order_set_entries();

Family order_family();

}  // namespace covec::ops
