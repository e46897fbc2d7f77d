// Compiler: what makes compiled functions of functions, where there is such a thing. Operators reach it through their
// Context (compile, explain, the derivatives of compiled functions); the interpreter asks it too. jit implements it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "stdlib/value/value.hpp"

namespace covec {

class Compiler {
 public:
  virtual ~Compiler() = default;
  // What `@compile fn f` and compile(f) give: a callable of the same meaning, which compiles itself when it is called.
  // strict: one that is not compiled as a whole is an error at its call.
  virtual Value compile(const Value& function, bool strict = false) = 0;
  virtual bool is_compiled(const Value& function) const = 0;
  // full: nothing is left out, however long it becomes.
  virtual std::string explain(const Value& function, bool full) = 0;
  // Whether every function is to be compiled, marked or not (a way to test; see docs).
  virtual bool compiles_all() const { return false; }
  // Between two runs: lets code go that was made of functions of texts that are gone, and of the oldest where there is
  // too much.
  virtual void forget(const std::function<bool(const void* home)>&) {}
  virtual bool is_full() const { return false; }
  // The texts that run now. Who outlives the run and points at places in them (a tape that a pullback keeps) holds
  // this.
  virtual std::shared_ptr<const void> texts() const { return nullptr; }
};

}  // namespace covec
