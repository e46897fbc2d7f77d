// Iteration: what `for`, destructuring and comprehensions iterate over. These are sequences (range, zip, …), first axes
// of tensors, tuples, lists, and the characters of strings.
#pragma once

#include <array>

#include "interpreter/eval/apply/applier.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

// Strings of one character: those of ASCII are made once.
class Characters {
 public:
  Value of(std::string_view character) const {
    if (character.size() != 1 || static_cast<unsigned char>(character[0]) >= ascii_.size())
      return make_string(std::string(character));
    Value& known = ascii_[static_cast<unsigned char>(character[0])];
    if (known.is_none()) known = make_string(std::string(character));
    return known;
  }

 private:
  mutable std::array<Value, 128> ascii_;
};

class Iteration {
 public:
  Iteration(const Applier& applier, const Reporter& reporter) : applier_(applier), reporter_(reporter) {}

  // How many items there are; a Symbol of a tensor whose extents only the run knows.
  Dim length_of(const Value& iterable, Span span, const Frame& f) const;
  // The same where it must be known: staging stops where it is not.
  int64_t known_length_of(const Value& iterable, Span span, const Frame& f) const;
  Value item_of(const Value& iterable, int64_t index, Span span, const Frame& f) const;
  // item_of at first, first + step, …, `count` of them, put behind what is there.
  void add_items(const Value& iterable, int64_t first, int64_t step, int64_t count, std::vector<Value>& to, Span span,
                 const Frame& f) const;
  Value character(const String& text, int64_t index) const { return characters_.of(text.character(index)); }
  // Of a tensor, at a place that may be a Symbol.
  Value item_at(const Value& tensor, const Value& index, Span span, const Frame& f) const;
  // The extent that an axis gives an index called `name`.
  Dim extent_of(const Value& tensor, uint32_t axis, std::string_view name, Span span, const Frame& f) const;

  // What a `for` goes through: of a map or record its keys, as they are now.
  static Value walked(Value iterable) { return has_named_children(iterable) ? keys_of(iterable) : iterable; }

 private:
  const Applier& applier_;
  const Reporter& reporter_;
  Characters characters_;
};

// How often a loop through a range is passed; INT64_MAX where there is more, which nobody sees the end of.
int64_t iterations_of(const Range& range);

}  // namespace covec
