// Module: the names of one file (or of the REPL) with their values, as a value of the language. LoadedUnit: one
// resolved text with its constants ready. The session owns both: a module until the session's end, a unit as long as
// closures point at it (session/units.hpp).
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/resolve/resolve.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

// The values beside a ModuleScope. They never move in memory (an activation may look at one while a nested text
// defines more names): address space is reserved for all of them, and pages are touched as names come.
class Globals {
 public:
  Globals();
  ~Globals();
  Globals(const Globals&) = delete;
  Globals& operator=(const Globals&) = delete;
  Value* data() const { return data_; }
  size_t size() const { return size_; }
  bool grow(size_t size);  // new ones are unbound; false past max_values_of_module
  void clear();            // all unbound

 private:
  Value* data_;
  size_t size_ = 0;
};

struct Module : Object {
  Module(std::string n, std::string f) : Object(ObjectKind::module), name(std::move(n)), file(std::move(f)) {}
  ~Module() = default;
  const Value* find(std::string_view global) const;  // nullptr when there is none or it has no value
  bool gets_rule(std::string_view global) const;     // while functions run (@derivative(of=…) in one of them)
  enum class State : uint8_t { fresh, running, done, failed };
  std::string name;
  std::string file;  // path on disk; "" for text
  State state = State::fresh;
  ModuleScope scope;
  Globals globals;
  size_t rules_known = 0;  // of the scope's, to the compiler
};

struct LoadedUnit {
  std::unique_ptr<core::Unit> unit;
  Module* module = nullptr;
  std::vector<Value> constants;  // by Constant::id
  // Closures of its functions: those that a program may call, and those that compiled code keeps for itself, which must
  // not be what keeps that code.
  mutable uint32_t closures = 0, in_code = 0;
  uint64_t unused_since = 0;  // for Units
  // Bodies of expression functions as the statements that they mean, for the compiler's walk.
  mutable std::unordered_map<const core::Function*, std::unique_ptr<core::Return>> expression_bodies;
};

inline Module& module_of(const Value& value) { return *static_cast<Module*>(value.object()); }

}  // namespace covec
