// What `covec dump --ir|--opt|--loops|--asm|--c file:f` shows.
#pragma once

#include <string>

namespace covec {
class Session;
}

namespace covec::jit {

// `types`: of the parameters, "f64[_, _], f64"; empty: those of the annotations. Throws CovecError.
std::string dump_compiled(Session& session, const std::string& stage, const std::string& function, const std::string& types);

}  // namespace covec::jit
