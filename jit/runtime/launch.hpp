// Launches a kernel over tensors. It finds shapes operation by operation and cuts the elements into pieces for the
// threads. Results reuse the memory of dead operands, or get fresh memory. A launch is replayed if something is not as
// expected: shapes that do not fit, an element that cannot be computed, a result that is not of the kernel's shape.
// Replay applies the operators in program order, so the first one that fails raises its own error. Start at
// KernelLaunch::run.
#pragma once

#include "jit/runtime/run.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::runtime {

class KernelElements;

class KernelLaunch {
 public:
  // `slots`: the activation's.
  KernelLaunch(const loops::Plan& plan, const loops::Launch& launch, const Backend& backend, Host& host,
               std::span<Value> slots)
      : plan_(plan), launch_(launch), backend_(backend), host_(host), slots_(slots) {}
  // Output i is put into places[i], a tensor of its shape and dtype, where there is one.
  void run(std::span<const Value> places = {});

 private:
  using Inputs = std::span<const Tensor* const>;
  // A few results, few elements, all arrays alike and row-major: straight to the kernel. False: it is not so.
  bool run_small(Inputs inputs);
  // One result of very few elements, whatever the arrays: what is repeated or strided is laid out first.
  bool run_small_laid_out(Inputs inputs);
  void run_any(Inputs inputs);
  void run_numbers();
  // The result goes into the part of a tensor that Launch::into speaks of. False: it cannot, nothing has been done.
  bool run_into(Inputs inputs);
  void add_inputs(KernelElements& elements, Inputs inputs) const;
  void replay_steps();
  class Operands;
  Value argument(const loops::Launch::Source& source, Operands& operands) const;
  Value apply(uint32_t place, const ops::Entry& entry, std::span<Value> args, uint32_t literals);
  Value place_small(const loops::Launch::Output& output, const Tensor& like);
  void drop_inputs();
  void give(loops::SlotId slot, Value&& value) {
    if (slot != loops::Step::nowhere) slots_[slot] = std::move(value);
  }
  void finish(std::span<Value> results);

  const loops::Plan& plan_;
  const loops::Launch& launch_;
  const Backend& backend_;
  Host& host_;
  const std::span<Value> slots_;
  std::span<const Value> places_ = {};
};

}  // namespace covec::runtime
