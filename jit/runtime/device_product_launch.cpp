#include "jit/runtime/device_product_launch.hpp"

#include <algorithm>

#include "jit/device/arguments.hpp"
#include "jit/device/products.hpp"
#include "jit/runtime/device_launch.hpp"
#include "jit/runtime/launch_extents.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::runtime {

using loops::Launch;
using loops::Operand;
using loops::SlotId;

Tensor* DeviceProductLaunch::factor(size_t operand) const {
  const Operand& given = step_.operands[operand];
  Value* const value = given.kind == Operand::Kind::slot ? &slots_[given.slot] : nullptr;
  return value != nullptr && value->is_tensor() && value->tensor().size() > 0 ? &value->tensor() : nullptr;
}

// What fewer digits are asked for the device's library multiplies.
bool DeviceProductLaunch::fits(const Tensor& a, const Tensor& b) const {
  const bool is_float = a.dtype() == Dtype::f32 || a.dtype() == Dtype::f64;
  return is_float && a.dtype() == b.dtype() && a.rank() >= 2 && b.rank() == 2 && a.dim(a.rank() - 1) == b.dim(0) &&
         (code_.precision() == Precision::full || a.dtype() == Dtype::f64) && !is_too_wide(launch_);
}

bool DeviceProductLaunch::is_worth_it(const Tensor& a, const Tensor& b) const {
  const Tensor* const factors[] = {&a, &b};
  return code_.is_worth_it(factors, std::max(a.size(), b.size()), b.dim(0), host_.eager().context().threads);
}

uint32_t DeviceProductLaunch::products() const {
  uint32_t bits = 0;
  bool dies = false;
  for (size_t i = 0; i < launch_.inputs.size(); ++i) {
    if (launch_.inputs[i].slot != step_.results[0]) continue;
    bits |= 1u << i;
    dies = dies || launch_.inputs[i].last;
  }
  return dies ? bits : 0;
}

bool DeviceProductLaunch::run() {
  kernels::poll_interrupt(host_.eager().context());
  Tensor *const a = factor(0), *const b = factor(1);
  return a != nullptr && b != nullptr && fits(*a, *b) && is_worth_it(*a, *b) && products() != 0 && multiply(*a, *b);
}

bool DeviceProductLaunch::multiply(Tensor& a, Tensor& b) {
  Shape shape(a.shape().begin(), a.rank() - 1);
  shape.push_back(b.dim(1));
  device::Accelerator& accelerator = code_.accelerator();
  Pool& pool = *host_.eager().context().pool;
  const auto at_product = [&](auto f) { return at_place(host_, *plan_.graph, step_.place, f); };
  Value product = at_product([&] { return accelerator.blocks().make(pool, a.dtype(), shape); });
  SmallVector<Tensor*, max_device_inputs> inputs(launch_.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const SlotId slot = launch_.inputs[i].slot;
    inputs[i] = slot == step_.results[0] ? &product.tensor() : &slots_[slot].tensor();
  }
  const std::optional<Extents> found = find_extents(launch_, {inputs.data(), inputs.size()});
  if (!found || found->shape != shape) return false;
  DeviceWalks walks;
  for (const Tensor* tensor : inputs) walks.add(*tensor, shape);
  walks.merge();
  if (!walks.put()) return false;
  SmallVector<Value, max_device_outputs> results(launch_.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const Dtype dtype = launch_.outputs[i].dtype;
    results[i] = i == 0 && dtype == a.dtype() ? product : accelerator.blocks().make(pool, dtype, shape);
  }
  const uint32_t replaced = products();
  const auto kernel = [&](bool wide) { return code_.ended_product(launch_, replaced, a.dtype(), wide); };
  const auto end = [&](DeviceArguments& arguments) {
    for (Value& result : span_of(results)) arguments.tensor(result.tensor());
    for (Tensor* input : inputs) arguments.tensor(*input);
    walks.give_walk(arguments, inputs.size());
    put_numbers(plan_, launch_, code_, slots_, arguments);
  };
  if (!at_product([&] { return DeviceProducts(code_).multiply_into(a, b, product.tensor(), kernel, end); }))
    return false;
  finish(span_of(results));
  ++code_.tally.operators;
  return true;
}

void DeviceProductLaunch::finish(std::span<Value> results) {
  for (const Operand& operand : step_.operands) {
    if (operand.kind == Operand::Kind::slot && operand.last) slots_[operand.slot] = Value();
  }
  for (const SlotId slot : step_.drops) slots_[slot] = Value();
  for (const Launch::Input& input : launch_.inputs) {
    if (input.last) slots_[input.slot] = Value();
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Value& slot = slots_[launch_.outputs[i].slot];
    slot = std::move(results[i]);
    bring_to_host(plan_, launch_.outputs[i].slot, slot);
  }
}

}  // namespace covec::runtime
