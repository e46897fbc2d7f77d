// The evaluated contents of index brackets: the form of each item, and the values of their parts with their places.
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

// r["name"]: a field of a record.
inline bool is_field_name(const IndexValues& at) {
  return at.spec.items() == 1 && at.spec.item(0) == ops::IndexSpec::Item::at && at.items[0].is(ObjectKind::string);
}

}  // namespace covec
