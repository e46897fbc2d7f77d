// Runs a Plan with the machine code that a back end made of it. Start at run().
#pragma once

#include <memory>
#include <span>

#include "jit/loops/plan.hpp"
#include "jit/runtime/host.hpp"
#include "stdlib/ops/contract/activity.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::runtime {

class DeviceCode;
class Meter;
struct Backend;

// A function that calls itself (ir::Functions).
struct Function {
  const loops::Plan* plan = nullptr;
  const Backend* backend = nullptr;
};

// What a back end made of plan.program: the function, and one function for each kernel.
struct Backend {
  loops::CodeFunction code = nullptr;
  const loops::KernelFunction* kernels = nullptr;
  const loops::LaneFunction* lane_loops = nullptr;  // nullptr: it makes none
  DeviceCode* device = nullptr;                     // where kernels over tensors run; nullptr: the processor
  const Function* functions = nullptr;              // that steps invoke
  Meter* meter = nullptr;                           // measured: gets what each step takes
  size_t cells = 0;                                 // of ActivationRecord
  ops::PlacedCode* placed = nullptr;                // for a profile; nullptr: it is not known where the code lies
};

// `inputs`: one value for each of the graph's parameters, of its type; moved from. Gives the function's result, or
// throws what went wrong in it, as Host raises it.
Value run(const loops::Plan& plan, const Backend& backend, Host& host, std::span<Value> inputs);

class Activation;

// What a device has of a tensor whose elements the code reads itself.
inline void bring_to_host(const loops::Plan& plan, loops::SlotId slot, Value& value) {
  if (plan.reads_elements && plan.elements[slot] && value.is_tensor() && value.tensor().on_device())
    value.tensor().data();
}

// The call's memory: what the last call has left, or new (a function that calls itself). Goes back at the end.
class Lease {
 public:
  explicit Lease(const loops::Plan& plan);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();
  Activation& activation() { return *activation_; }

 private:
  const loops::Plan& plan_;
  std::unique_ptr<Activation> activation_;
};

// A call that pauses, with all that it holds until it goes on.
class Paused {
 public:
  // Runs up to the pause: `given` becomes what the call gives there.
  Paused(const loops::Plan& plan, const Backend& backend, Host& host, std::span<Value> inputs, Value& given);
  Paused(const Paused&) = delete;
  Paused& operator=(const Paused&) = delete;
  // The rest, once, given the values of the pause's results (moved from).
  Value go_on(Host& host, std::span<Value> inputs);

 private:
  Lease lease_;
};

}  // namespace covec::runtime
