// Numbers that may stay on the device that a function is compiled for: what reductions give there, what is computed of
// that, and what loops and branches carry of it. Such a number's slot holds a number, or a tensor of one element that
// lies there; kernels read either, and its register is loaded where code needs it, which waits for the device
// (Placement::settle).
//
// A number's operator runs there, as a kernel of one element, if a kernel needs what it gives, a loop or branch carries
// it on, or the function gives it. What only conditions and indices need is computed here. A loop carries what a
// reduction in its body has had a part in: other numbers of a loop may take millions of passes that launch nothing.
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
