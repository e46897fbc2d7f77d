// Lists positions by group: those of code 0, of code 1, …, each in order.
#pragma once

#include <cstdint>
#include <vector>

#include "stdlib/ops/contract/builder.hpp"

namespace covec::ops {

struct Codes {
  Value vector;
  const int64_t* data;
  int64_t size, groups;
  // From 0 to groups - 1, as two operands of a call give them; anything else is an error.
  Codes(const Call& call, unsigned codes, unsigned groups);
};

struct GroupedRows {
  std::vector<int64_t> starts;  // of each group, and the end
  std::vector<int64_t> rows;
  GroupedRows(Builder& b, const Codes& codes);
};

}  // namespace covec::ops
