// Iteration: what `for`, destructuring and comprehensions walk over: sequences (range, zip, …), first axes of tensors,
// tuples, lists.
#pragma once

#include "interpreter/eval/applier.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

class Iteration {
 public:
  Iteration(const Applier& applier, const Reporter& reporter) : applier_(applier), reporter_(reporter) {}

  int64_t length_of(const Value& iterable, Span span, const Frame& f) const;
  Value item_of(const Value& iterable, int64_t index, Span span, const Frame& f) const;
  // Of a tensor, at a place that may be a Symbol.
  Value item_at(const Value& tensor, const Value& index, Span span, const Frame& f) const;
  // The extent that an axis gives an index called `name`; below 0: a Symbol's.
  int64_t extent_of(const Value& tensor, uint32_t axis, std::string_view name, Span span, const Frame& f) const;

 private:
  const Applier& applier_;
  const Reporter& reporter_;
};

}  // namespace covec
