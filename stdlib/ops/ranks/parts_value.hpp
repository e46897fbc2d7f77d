// The parts that `parallel.map` gives, as a value: {n, first, items}. A rank has the items of its stretch.
#pragma once

#include "stdlib/cluster/header.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::ops {

struct PartsArgument {
  int64_t count = 0;
  const Value* items = nullptr;  // a list; nullptr: the parts are numbers
  bool fits = true;              // false: the items are not those of this rank's stretch, so a program has changed them
  // The argument of `f` for a part of this rank.
  Value item(int64_t part, int64_t first) const;
};
// A number of parts, or what parallel.map has given.
PartsArgument parts_argument(const Context& context, const Call& call, unsigned operand, cluster::Operation operation);
// The latter alone.
PartsArgument mapped_argument(const Context& context, const Call& call, unsigned operand, cluster::Operation operation);
// Whether it has the fields of one, whatever they hold.
bool looks_like_parts(const Value& value);
// Of an argument that does not fit.
[[noreturn]] void fail_parts(const Value& value, cluster::Operation operation);

Value make_parts(int64_t count, int64_t first, std::vector<Value> items);

}  // namespace covec::ops
