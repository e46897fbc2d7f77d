// `covec --sandbox`: runs an untrusted program in a child process that the kernel limits too. The session's gate and
// limits come first and give errors with places. The kernel's limits hold even if Covec itself has a hole. Start at
// run_sandboxed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interpreter/session/session.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

struct SandboxRequest {
  std::vector<std::string> read, write;  // folders
  double seconds = 10;                   // of the wall's clock
  uint64_t megabytes = 512;              // of values
};

// Makes `options` those of a program that is not trusted.
void confine(const SandboxRequest& request, SessionOptions& options);
// Limits this process from here on, for as long as it lives. It ends with its parent.
void shut_in(const SandboxRequest& request);
// Runs `body` in a child process and gives its exit status; 1 where the kernel has ended it.
int run_sandboxed(const SandboxRequest& request, FunctionRef<int()> body);

}  // namespace covec
