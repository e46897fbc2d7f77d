#include "jit/runtime/device_launch.hpp"

#include "jit/runtime/device_arguments.hpp"
#include "jit/runtime/device_reduce.hpp"
#include "jit/runtime/launch_extents.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::runtime {

namespace {

bool is_too_wide(const loops::Launch& launch) {
  return launch.inputs.size() > most_device_inputs || launch.outputs.size() > most_device_outputs ||
         launch.numbers.size() > most_device_numbers;
}

}  // namespace

bool DeviceLaunch::is_worth_it(int64_t n) const {
  uint64_t bytes = 0;
  for (size_t i = 0; i < launch_.inputs.size(); ++i) {
    const bool there = code_.accelerator().blocks().has(input(i));
    if (there && input(i).away()) return n > 0;
    if (!there) bytes += static_cast<uint64_t>(input(i).size()) * size_of(input(i).dtype());
  }
  return code_.is_worth_it(n, launch_.weight, bytes, host_.eager().context().threads);
}

bool DeviceLaunch::run() {
  kernels::poll_interrupt(host_.eager().context());
  if ((launch_.outputs.empty() && launch_.reductions.empty()) || is_too_wide(launch_)) return false;
  SmallVector<Tensor*, most_device_inputs> inputs(launch_.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = &input(i);
  const std::optional<Extents> found = find_extents(launch_, {inputs.data(), inputs.size()});
  if (!found || !is_worth_it(found->shape.elements())) return false;
  DeviceWalks walks;
  for (const Tensor* tensor : inputs) walks.add(*tensor, found->shape);
  walks.merge();
  if (!walks.flat() && !walks.put()) return false;
  SmallVector<Value, most_device_outputs + 1> results(launch_.outputs.size() + launch_.reductions.size());
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
  SmallVector<uint64_t, most_device_numbers> words(launch_.numbers.size());
  put_words(launch_, slots_, span_of(words));
  const auto put_arrays = [&](DeviceArguments& arguments) {
    for (size_t i = 0; i < launch_.outputs.size(); ++i) arguments.tensor(results[i].tensor());
    walks.give(arguments, inputs);
    for (const uint64_t word : words) arguments.word(word);
  };
  const device::Handle flag = kernel.can_fail ? code_.lowered_flag() : 0;
  if (kernel.reduction) {
    results.back() = reduce_there(accelerator, pool, kernel, walks.flat(), reduced(extents), shape_of_result(extents),
                                  flag, put_arrays);
  } else {
    DeviceArguments arguments(accelerator);
    arguments.number(extents.elements());
    if (kernel.can_fail) arguments.memory(flag);
    put_arrays(arguments);
    arguments.launch(walks.flat() ? kernel.flat : kernel.strided, extents.elements());
  }
  return !kernel.can_fail || !code_.is_raised();
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
    bring_home(plan_, slot, slots_[slot]);
  };
  for (size_t i = 0; i < launch_.outputs.size(); ++i) give(launch_.outputs[i].slot, results[i]);
  if (!launch_.reductions.empty()) give(launch_.reductions[0].slot, results.back());
}

}  // namespace covec::runtime
