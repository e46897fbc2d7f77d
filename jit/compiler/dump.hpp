// What `covec dump --ir|--opt|--nests|--loops|--asm|--c file:f` shows: one function on its way to code, without running
// it.
#pragma once

#include <string>

#include "stdlib/value/value.hpp"

namespace covec {
class Compiler;
}

namespace covec::jit {

// `types`: of the parameters, "f64[_, _], {w: f64[_], b: f64}"; empty: those of the annotations. Throws CovecError.
std::string dump_compiled(Compiler& compiler, const Value& function, const std::string& stage,
                          const std::string& types);

}  // namespace covec::jit
