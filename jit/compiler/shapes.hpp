// What a variable of a function holds, as far as the annotations of its parameters say: "f64[n, k]". The function is
// staged, as for compilation; nothing of it runs. Start at type_of_variable().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/source/source.hpp"
#include "stdlib/value/value.hpp"

namespace covec {
class Compiler;
}

namespace covec::jit {

struct VariableUse {
  std::string_view name;
  Span span;              // where it is named, in the function's file
  uint32_t function = 0;  // the first byte of the function whose variable it is: the one that is staged, or inside it
  bool written = false;   // what it holds after that, else before
};

// "" where it is not the same at each walk, or cannot be said with the names and numbers of annotations. Throws
// CovecError where types are not annotated.
std::string type_of_variable(Compiler& compiler, const Value& function, const VariableUse& use);

}  // namespace covec::jit
