// The host's memory that is bound to the inputs and outputs of a prepared call. An output may lie where an input does,
// but not where another output does. Start at bind_input() and why_not_ready().
#pragma once

#include <vector>

#include "jit/prepared/prepared.hpp"

namespace covec::jit {

class Bindings {
 public:
  struct Input {
    loops::SlotId slot = loops::Step::nowhere;
    Dtype dtype = Dtype::f64;
    const void* memory = nullptr;
    Value tensor = {};  // a header over that memory
  };
  struct Output {
    void* memory = nullptr;
    Value tensor = {};
    size_t bytes = 0;
    Dtype dtype = Dtype::f64;
  };

  // `plan`: the worker's own.
  Bindings(const Prepared& prepared, const loops::Plan& plan);
  // `memory` holds what the type says, and stays until another one is bound or the bindings go. Headers lie in `pool`.
  void bind_input(size_t number, const void* memory, Pool& pool);
  void bind_output(size_t number, void* memory, Pool& pool);
  // Why the call cannot be run; nullptr: it can.
  const char* why_not_ready();

  const std::vector<Input>& inputs() const { return inputs_; }
  std::vector<Output>& outputs() { return outputs_; }
  bool overlap() const { return overlap_; }

 private:
  void look_for_overlaps();
  bool are_bools(size_t number) const;

  const Prepared& prepared_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  size_t unbound_ = 0;
  bool has_bools_ = false;
  bool bound_anew_ = true;  // since somebody has looked whether
  bool overlap_ = false;    // an output lies where an input does
  bool clash_ = false;      // or where another output does
};

}  // namespace covec::jit
