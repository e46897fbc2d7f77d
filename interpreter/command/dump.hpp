// `covec dump`: shows a program's syntax tree, its core, or one stage of compiling a function.
#pragma once

#include <string>

#include "interpreter/command/command.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

struct DumpRequest {
  std::string stage = "core";
  std::string place;  // file.covec or file.covec:function
  std::string types;  // for the compiler's stages, where the function has no annotations
};

int run_dump(const DumpRequest& request, SessionOptions options, const Parts& parts);

}  // namespace covec
