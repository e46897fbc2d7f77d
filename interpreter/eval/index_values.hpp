// What stands between brackets, evaluated: the form of each item, and the values of their parts with their places.
#pragma once

#include <vector>

#include "frontend/source/source.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

struct IndexValues {
  ops::IndexSpec spec;
  std::vector<Value> items;
  std::vector<Span> spans;  // of the items
};

}  // namespace covec
