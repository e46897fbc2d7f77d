// `covec emit`: writes a function, or a derivative of it, as a C file and its header. `covec verify --emit` compares
// that with machine code.
#pragma once

#include <string>

#include "interpreter/command/command.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

struct EmitRequest {
  std::string place;       // file.covec:function
  std::string derivative;  // "", "grad", "jacobian", "vjp"
  std::string types;       // where the function has no annotations with extents
  std::string folder = ".";
  std::string given;  // arguments to compare with
  int64_t draws = 1000;
  std::string build;  // a compiler and its flags
};

int run_emit(const EmitRequest& request, SessionOptions options, const Parts& parts);
int run_compare(const EmitRequest& request, SessionOptions options, const Parts& parts);

}  // namespace covec
