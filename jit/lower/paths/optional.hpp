// Represents a value that is none on some paths: a ConditionalValue that reads as an object instead of as unbound. It
// is a value with parts like others, so branches and loops merge and carry it. A comparison with none reads the flag.
// Every other use needs the value, so the run checks that it is there; if not, the interpreter makes the call again. On
// a path chosen by a condition on the flag, it is known, and becomes the value or none.
#pragma once

#include <map>
#include <optional>

#include "jit/ir/graph.hpp"
#include "jit/lower/graph/conditional_value.hpp"

namespace covec::ir {

// What may be none: where it is not defined. nullptr where it is something else.
const ConditionalValue* optional_in(const Value& value);
Value optional_of(ConditionalValue held);

// What is known of flags on the path that is walked.
class Facts {
 public:
  // `holds` is that the flag does not.
  void note_negation(const Value& holds, const Value& flag) { negations_[id_of(holds)] = id_of(flag); }
  // While a path is walked on which the condition is this.
  class Scope {
   public:
    Scope(Facts& facts, const Value& condition, bool holds);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Facts& facts_;
    const Id id_;
    const bool is_new_;
  };
  std::optional<bool> known(const Value& flag) const;
  // The value with all that is known of its optional parts.
  Value settled(const Value& value) const;

 private:
  std::map<Id, Id> negations_;
  std::map<Id, bool> known_;
};

}  // namespace covec::ir
