// Shows one stage of a function's compilation without running it: `covec dump --ir|--opt|--kernels|--loops|--asm|--c
// file:f`.
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
