// Tracks conditionally defined variables, which only some paths have defined. A ConditionalValue holds the value, and
// whether it is defined. The variable itself reads as unbound; its bits hold the number of its ConditionalValue. So
// copying, keeping and restoring a variable does the same to what is known of it. A ConditionalValue never changes: a
// variable that some path defines anew gets another one.
#pragma once

#include <deque>

#include "interpreter/compiler.hpp"
#include "stdlib/value/value.hpp"

namespace covec::ir {

struct ConditionalValue {
  Value value;
  Value is_defined;  // a bool; none: what the interpreter has left there, or not
  // Of a cotangent or tangent that is not there: what the value is then.
  enum class Absent : uint8_t { undefined, anything, zeros } absent = Absent::undefined;
};

class ConditionalValues {
 public:
  // What a variable is to hold.
  Value hold(ConditionalValue conditional);
  // nullptr where all paths have defined it, or none.
  const ConditionalValue* find(const Value& variable) const;

 private:
  std::deque<ConditionalValue> all_;  // by number, from 1; they stay where they are
};

// No path has defined it.
bool is_undefined(const Value& variable);

// What variables hold, and putting it back: with what is known of those that only some paths have defined.
std::vector<Value> values_of(const Staging::Variables& variables);
void put_back(const Staging::Variables& variables, const std::vector<Value>& values);

// Cotangents are none where there is none; variables of branches and loops are unbound there.
void unbound_where_absent(const Staging::Variables& variables);
void none_where_absent(const Staging::Variables& variables);

}  // namespace covec::ir
