// An update of a place while it is made: what is to happen there, and the indices on the way.
#pragma once

#include "interpreter/eval/interpreter.hpp"

namespace covec {

struct Interpreter::PathValues {
  std::vector<IndexValues> steps;  // by step, those of fields empty; none at all when there are only fields
};

struct Interpreter::Update {
  enum class Kind : uint8_t { assign, augment, push } kind = Kind::assign;
  Value value;
  const Builtin* op = nullptr;
  bool literal = false;
  Span value_span;
  const Span& whole;
};

}  // namespace covec
