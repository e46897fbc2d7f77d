// The open brackets around a token, innermost last: round, square, curly, and the interpolations of f-strings.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "antlr4-runtime.h"
#include "frontend/source/source.hpp"

namespace covec::grammar {

// Which `in` of a `for` is the one between target and range: the first at the bracket level of the `for`; where clauses
// follow each other in brackets, the first after each comma. Every other is the operator. An `if` at this level, behind
// the `for` of a comprehension, is the comprehension's filter.
struct ClauseLevel {
  bool awaits_range = false;
  bool generator = false;

  void begin(bool of_comprehension) {
    awaits_range = true;
    generator = of_comprehension;
  }
  void comma() { awaits_range |= generator; }
  void end_line() { awaits_range = generator = false; }
  bool takes_in() { return std::exchange(awaits_range, false); }
};

struct Bracket {
  size_t type = 0;     // of the opening token; FSTRING_OPEN for an interpolation
  uint32_t token = 0;  // the number of the opening token
  Span span;
  antlr4::CommonToken* opens_operand = nullptr;  // a parenthesis that may turn out to begin a lambda
  antlr4::CommonToken* key_of = nullptr;         // a parenthesis that may be the key of a record after a lambda's arrow
  ClauseLevel clauses;
};

// The type of the token that closes it.
size_t closer_of(size_t opener);

class Brackets {
 public:
  bool empty() const { return open_.empty(); }
  size_t size() const { return open_.size(); }
  const Bracket& innermost() const { return open_.back(); }
  void open(const Bracket& bracket) { open_.push_back(bracket); }
  Bracket close() {
    Bracket closed = open_.back();
    open_.pop_back();
    return closed;
  }

  // Statements (or a record's fields) stand here: newlines end them.
  bool in_block() const;
  bool in_interpolation() const;
  // Round or square brackets inside the innermost block or interpolation.
  size_t open_groups() const;
  // In round or square brackets: a word that begins a statement shows that one was forgotten.
  bool in_group() const { return !in_block() && !in_interpolation(); }
  ClauseLevel& clauses() { return open_.empty() ? outermost_ : open_.back().clauses; }
  // The number of the open bracket that `closer` closes, or of all brackets where it closes none. An interpolation is
  // a wall: its text ends with it.
  size_t find_opener(size_t closer) const;

 private:
  std::vector<Bracket> open_;
  ClauseLevel outermost_;
};

}  // namespace covec::grammar
