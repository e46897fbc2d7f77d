// `covec dump --ir|--loops|--c file:function`: what the compiler makes of one function. Part of the composition root: the only
// place of the command that knows both the session and the compiler.
#pragma once

#include <string>

namespace covec {

class Session;

// `types` are the parameters' types ("f32[_, _], f64"); empty: the function's annotations say them. Throws CovecError.
std::string dump_compiled(Session& session, const std::string& stage, const std::string& function, const std::string& types);

}  // namespace covec
