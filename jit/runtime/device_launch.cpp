#include "jit/runtime/device_launch.hpp"

#include <algorithm>
#include <bit>

#include "jit/device/arguments.hpp"
#include "jit/device/reduce.hpp"
#include "jit/runtime/launch_extents.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::runtime {

bool is_too_wide(const loops::Launch& launch) {
  return launch.inputs.size() > max_device_inputs || launch.outputs.size() > max_device_outputs ||
         launch.numbers.size() > max_device_numbers;
}

bool DeviceLaunch::any_number_on_device() const {
  return std::ranges::any_of(launch_.numbers, [&](loops::SlotId slot) { return slots_[slot].is_tensor(); });
}

bool DeviceLaunch::is_worth_it(std::span<const Tensor* const> inputs, int64_t n) const {
  if (any_number_on_device()) return n > 0;
  return !launch_.of_numbers && code_.is_worth_it(inputs, n, launch_.weight, host_.eager().context().threads);
}

bool DeviceLaunch::run() {
  kernels::poll_interrupt(host_.eager().context());
  if ((launch_.outputs.empty() && launch_.reductions.empty()) || is_too_wide(launch_)) return false;
  SmallVector<Tensor*, max_device_inputs> inputs(launch_.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = &input(i);
  const std::optional<Extents> found =
      launch_.of_numbers ? Extents{Shape{Dim(1)}} : find_extents(launch_, {inputs.data(), inputs.size()});
  // A member that fails may have elements where the results have none.
  if (found && launch_.can_fail && found->shape.elements() == 0) return false;
  if (!found || !is_worth_it({inputs.data(), inputs.size()}, found->shape.elements())) return false;
  DeviceWalks walks;
  for (const Tensor* tensor : inputs) walks.add(*tensor, found->shape);
  walks.merge();
  if (!walks.flat() && !walks.put()) return false;
  SmallVector<Value, max_device_outputs + 1> results(launch_.outputs.size() + launch_.reductions.size());
  const bool good = compute(found->shape, walks, span_of(inputs), span_of(results));
  if (good) finish(span_of(results));
  code_.tally.kernels += good;
  return good;
}

bool DeviceLaunch::compute(const Shape& extents, const DeviceWalks& walks, std::span<Tensor* const> inputs,
                           std::span<Value> results) {
  device::Accelerator& accelerator = code_.accelerator();
  const DeviceKernel& kernel = code_.kernel(launch_);
  Pool& pool = *host_.eager().context().pool;
  for (size_t i = 0; i < launch_.outputs.size(); ++i) {
    results[i] = accelerator.blocks().make(pool, launch_.outputs[i].dtype, extents);
  }
  const auto put_arrays = [&](DeviceArguments& arguments) {
    for (size_t i = 0; i < launch_.outputs.size(); ++i) arguments.tensor(results[i].tensor());
    walks.give(arguments, inputs);
    put_numbers(plan_, launch_, code_, slots_, arguments);
  };
  const device::Handle flag = kernel.can_fail ? code_.lowered_flag() : 0;
  if (kernel.reduction) {
    results.back() = reduce_on_device(accelerator, pool, kernel, walks.flat(), reduced(extents),
                                      shape_of_result(extents), flag, put_arrays);
  } else {
    DeviceArguments arguments(accelerator);
    arguments.number(extents.elements());
    if (kernel.can_fail) arguments.memory(flag);
    put_arrays(arguments);
    const DeviceWalks::Crossing transposing = walks.transposing();
    if (transposing.inputs != 0 && source::device_can_cross(described())) {
      DeviceWalks::launch(arguments, code_.transposed(launch_), transposing);
    } else {
      const int64_t width = walks.flat() ? kernel.width : 1;
      arguments.launch(walks.flat() ? kernel.flat : kernel.strided, (extents.elements() + width - 1) / width);
    }
  }
  return !kernel.can_fail || !code_.is_raised();
}

// One that may stay on the device comes as a word or from its place there, which is −1 where it is a word.
void put_numbers(const loops::Plan& plan, const loops::Launch& launch, DeviceCode& code, std::span<Value> slots,
                 DeviceArguments& arguments) {
  for (size_t i = 0; i < launch.numbers.size(); ++i) {
    Value& number = slots[launch.numbers[i]];
    const bool there = number.is_tensor();
    arguments.word(there ? 0 : word_of(number, launch.number_dtypes[i]));
    if (!plan.program.kernels[launch.kernel].stays(i)) continue;
    if (there)
      arguments.tensor(number.tensor());
    else
      arguments.array({code.flag(), -1});
  }
}

// The reduced axes are the first ones or the last ones.
ReducedExtents DeviceLaunch::reduced(const Shape& extents) const {
  const loops::Launch::Reduction& reduction = launch_.reductions[0];
  const bool last = (reduction.axes >> (reduction.rank - 1) & 1) != 0;
  ReducedExtents result;
  for (unsigned axis = 0; axis < reduction.rank; ++axis) {
    const bool is_reduced = (reduction.axes >> axis & 1) != 0;
    (is_reduced ? result.n : last ? result.outer : result.inner) *= extents[axis].number();
  }
  return result;
}

Shape DeviceLaunch::shape_of_result(const Shape& extents) const {
  const loops::Launch::Reduction& reduction = launch_.reductions[0];
  return ops::reduced_shape(extents, {reduction.axes, reduction.keepdims});
}

void DeviceLaunch::finish(std::span<Value> results) {
  for (const loops::Launch::Input& input : launch_.inputs) {
    if (input.last) slots_[input.slot] = Value();
  }
  const auto give = [&](loops::SlotId slot, Value& value) {
    if (slot == loops::Step::nowhere) return;
    slots_[slot] = std::move(value);
    bring_to_host(plan_, slot, slots_[slot]);
  };
  for (size_t i = 0; i < launch_.outputs.size(); ++i) give(launch_.outputs[i].slot, results[i]);
  if (launch_.reductions.empty()) return;
  const loops::Launch::Reduction& reduction = launch_.reductions[0];
  const bool is_number = !reduction.keepdims && std::popcount(reduction.axes) == static_cast<int>(reduction.rank);
  if (is_number && !reduction.stays) results.back() = number_of(code_.accelerator(), results.back().tensor());
  give(reduction.slot, results.back());
}

}  // namespace covec::runtime
