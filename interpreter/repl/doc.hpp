// `covec doc`: the manual of the builtins, or what it says of one; of a module or a file what that says of itself.
#pragma once

#include <string>

#include "interpreter/session/session.hpp"

namespace covec {

struct DocRequest {
  std::string name;  // "": the whole manual
  bool html = false;
  bool status = false, words = false, tokens = false;  // instead of the manual
};
int run_doc(const DocRequest& request, SessionOptions options);

}  // namespace covec
