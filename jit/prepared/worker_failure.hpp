// Why a worker's run failed, as the program's session would tell it: the texts were made with the code. Start at
// failure_of().
#pragma once

#include <string>

#include "jit/prepared/prepared.hpp"
#include "jit/prepared/worker_host.hpp"

namespace covec::jit {

struct WorkerFailure {
  OpError error;
  const ErrorText* text = nullptr;
  std::string message() const;
  const SourcePosition* place() const;  // nullptr: unknown
};

WorkerFailure failure_of(const Prepared& prepared, const WorkerHost::Raised& raised);

}  // namespace covec::jit
