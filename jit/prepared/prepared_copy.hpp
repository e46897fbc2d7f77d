// A worker's own copy of a prepared call. It shares the machine code and the elements of constants, but no Value, since
// Values are counted without atomics. Start at the constructor.
#pragma once

#include <memory>
#include <vector>

#include "jit/prepared/prepared.hpp"

namespace covec::jit {

class PreparedCopy {
 public:
  // A slot that gets the same value in each run.
  struct Fixed {
    loops::SlotId slot;
    Value value;
  };

  PreparedCopy(const Prepared& prepared, Pool& pool);
  PreparedCopy(const PreparedCopy&) = delete;
  PreparedCopy& operator=(const PreparedCopy&) = delete;

  const loops::Plan& plan() const { return *plan_; }
  const runtime::Backend& backend() const { return backend_; }
  const std::vector<Fixed>& fixed() const { return fixed_; }
  const std::vector<PreparedOutput>& results() const { return results_; }
  // Whether functions that call themselves are part of it.
  bool recurses() const { return recurses_; }

 private:
  void copy_functions(const Prepared& prepared, Pool& pool);

  std::unique_ptr<loops::Plan> plan_;
  std::vector<std::unique_ptr<loops::Plan>> plans_;  // of functions
  std::vector<runtime::Backend> backends_;           // of those
  std::vector<runtime::Function> functions_;
  runtime::Backend backend_;
  std::vector<Fixed> fixed_;
  std::vector<PreparedOutput> results_;
  bool recurses_ = false;
};

}  // namespace covec::jit
