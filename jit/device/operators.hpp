// Runs operators on a device without a kernel of the function's own: reductions, products, moves of elements. The
// processor does everything else, and fetches operands that are on the device. Start at DeviceOperators::apply.
#pragma once

#include "jit/device/code.hpp"
#include "stdlib/ops/contract/offload.hpp"

namespace covec::runtime {

class DeviceOperators final : public ops::Offload {
 public:
  explicit DeviceOperators(DeviceCode& code) : code_(code), accelerator_(code.accelerator()) {}
  Value apply(ops::Builder& builder, ops::Call& call) override;

 private:
  bool is_worth_it(const ops::Call& call, int64_t weight, unsigned threads) const;
  // Unbound where the processor is to do it: the operands are as they were then, to the bit.
  Value apply_on_device(ops::Builder& builder, ops::Call& call);
  Value apply_on_host(ops::Builder& builder, ops::Call& call);
  // Each is unbound where the processor is to do it.
  Value move(ops::Builder& builder, ops::Call& call);  // moves elements, or visits them in order
  Value draw_numbers(ops::Builder& builder, ops::Call& call);
  Value reduce(ops::Builder& builder, ops::Call& call);
  Value multiply_vectors(ops::Builder& builder, ops::Call& call);
  // A number that has been computed there, as a tensor of one element: fetched, if it may not stay.
  Value number(Value element);
  Value reduce_axes(ops::Builder& builder, ops::ReduceKind kind, Value x, uint32_t axes, const Shape& shape);
  Value search(ops::Builder& builder, ops::ReduceKind kind, Value x, uint32_t axes, const Shape& shape);
  Value reduce_group(ops::Builder& builder, ops::ReduceKind kind, Tensor& x, uint32_t axes, const Shape& shape);
  bool any_on_device(const ops::Call& call) const;

  DeviceCode& code_;
  device::Accelerator& accelerator_;
  bool number_stays_ = false;  // what the operator being applied gives
  uint64_t told_ = 0;          // of the bytes fetched, those that an operator has been found for
};

// While it lives, operators of the session go through it.
class OffloadScope {
 public:
  OffloadScope(ops::Context& context, DeviceCode& code);
  OffloadScope(const OffloadScope&) = delete;
  OffloadScope& operator=(const OffloadScope&) = delete;
  ~OffloadScope();

 private:
  DeviceOperators operators_;
  device::Devices& devices_;
  ops::Offload* const outer_;
};

}  // namespace covec::runtime
