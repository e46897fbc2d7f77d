// What the interpreter asks of a compiler, and all that the two know of each other: jit implements Compiler, the
// composition root joins them (Session::set_compiler). A session without one runs everything eagerly, with the same
// results.
#pragma once

#include <memory>

#include "stdlib/value/value.hpp"

namespace covec {

class Session;

class Compiler {
 public:
  virtual ~Compiler() = default;
  // What `@compile fn f` and compile(f) give: a callable of the same meaning, which compiles itself when it is called.
  virtual Value compile(const Value& function) = 0;
};

// Defined where a compiler is built in.
std::unique_ptr<Compiler> make_compiler(Session& session);

}  // namespace covec
