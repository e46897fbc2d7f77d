// Compiler: what makes compiled functions of functions, where there is such a thing. Operators reach it through their
// Context (compile, explain, the derivatives of compiled functions); the interpreter asks it too. jit implements it.
#pragma once

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
  virtual std::string explain(const Value& function) = 0;
  // Whether every function is to be compiled, marked or not (a way to test; see docs).
  virtual bool compiles_all() const { return false; }
};

}  // namespace covec
