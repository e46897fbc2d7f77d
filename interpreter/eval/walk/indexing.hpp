// Indexing: reads parts of values. Elements of tensors come straight from memory if all indices are plain numbers; all
// other reads of tensors use index_read. Lists, tuples and strings are read here. Start at index().
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/apply/iteration.hpp"
#include "interpreter/eval/values/index_values.hpp"
#include "interpreter/eval/walk/expressions.hpp"
#include "stdlib/ops/general/lists.hpp"

namespace covec {

struct Parts;

class Indexing {
 public:
  explicit Indexing(Parts& parts) : parts_(parts) {}

  Raw index(const core::Index& node, Frame& f);
  void evaluate_items(const std::vector<core::IndexItem>& items, Span span, IndexValues& out, Frame& f);
  Value index_into(Value object, const IndexValues& at, Span whole, Span object_span, const Frame& f) const;
  // Where in something of `length` an index leads.
  // Of a map: the key that an index means, and what is there, or the error.
  Value key_of(const IndexValues& at, Span whole, const Frame& f) const;
  const Value* entry_of(const Value& map, const IndexValues& at, Span whole, const Frame& f) const;
  int64_t position(const Value& index, int64_t length, const char* what, Span span, const Frame& f) const;

 private:
  std::optional<Raw> plain_part(const Value& object, const Value& at) const;
  Raw index_one(const core::Index& node, const Value& object, Frame& f);
  Raw index_general(const core::Index& node, Value object, Frame& f);
  Value field_of(const Value& record, const IndexValues& at, const Frame& f) const;
  Value index_sequence(const Value& object, const IndexValues& at, Span whole, const Frame& f) const;
  Raw list_slice(const core::Index& node, Value list, Frame& f);
  ops::ListSlice slice_bounds(const IndexValues& at, int64_t length, Span span, const Frame& f) const;

  Parts& parts_;
};

// A plain integer, also when a transformation has wrapped it; `otherwise` is said of anything else.
int64_t whole_number(const Reporter& reporter, const Value& value, const Message& otherwise, const char* what,
                     Span span, const Frame& f);

}  // namespace covec
