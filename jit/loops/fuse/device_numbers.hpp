// Finds numbers that may stay on the device that a function is compiled for. These are results of reductions there,
// numbers computed from them, and those that loops and branches carry. The slot of such a number holds a number, or a
// tensor of one element on the device. Kernels read either. The register is loaded where code needs the number, which
// waits for the device (Placement::settle).
//
// An operator on such numbers runs there, as a kernel of one element, in three cases. A kernel needs the result, a loop
// or branch carries it on, or the function returns it. What only conditions and indices need is computed on the
// processor. A loop carries a number on the device only if a reduction in its body contributes to it. Other numbers may
// run through millions of iterations that launch nothing.
#pragma once

#include <vector>

#include "jit/ir/graph.hpp"

namespace covec::loops {

class DeviceNumbers {
 public:
  DeviceNumbers() = default;  // of a function for the processor: there are none
  explicit DeviceNumbers(const ir::Graph& graph);

  bool may_stay(ir::Id id) const { return id < kinds_.size() && kinds_[id] != Kind::here; }
  bool empty() const { return kinds_.empty(); }
  // An operation on numbers that is a kernel.
  bool computes(const ir::Operation& operation) const {
    return operation.results.size() == 1 && operation.results[0] < kinds_.size() &&
           kinds_[operation.results[0]] == Kind::computed;
  }
  // Of the graph's places: that of what made it.
  uint32_t place_of(ir::Id id) const { return places_[id]; }

 private:
  class Finder;
  enum class Kind : uint8_t { here, reduced, computed, carried };
  std::vector<Kind> kinds_;       // by value
  std::vector<uint32_t> places_;  // the same
};

}  // namespace covec::loops
