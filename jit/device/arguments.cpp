#include "jit/device/arguments.hpp"

#include <algorithm>

#include "stdlib/value/broadcast.hpp"

namespace covec::runtime {

namespace {

constexpr int64_t groups_per_unit = 32;                  // of the device, so that all have work to the end
constexpr int64_t least_side = source::device_side / 2;  // of a tile, for it to be one

}  // namespace

device::DeviceAddress DeviceArguments::scratch(size_t size, Dtype dtype) {
  device::Blocks& blocks = accelerator_.blocks();
  const Dim elements(static_cast<int64_t>(size / size_of(dtype)));
  temporaries_.emplace_back(blocks.shared_from_this(),
                            blocks.take(std::max<size_t>(1, size), {dtype, Shape{elements}}));
  return {temporaries_.back().block().handle, 0};
}

void DeviceArguments::launch(device::Function kernel, int64_t items) const {
  launch_groups(kernel, (items + device_group - 1) / device_group, device_group);
}

void DeviceArguments::launch_groups(device::Function kernel, int64_t groups, int64_t group) const {
  device::Device& device = accelerator_.device();
  const int64_t max_groups = groups_per_unit * device.units();
  device.launch(kernel, static_cast<uint64_t>(std::min(groups, max_groups)), static_cast<uint32_t>(group),
                {list_, count_});
}

void DeviceWalks::add(const Tensor& tensor, const Shape& extents) {
  int64_t strides[max_rank];
  repeated_strides(tensor.dims(), tensor.strides(), {strides, extents.rank()});
  kernels::Axes& walk = walk_[count_++];
  for (unsigned axis = 0; axis < extents.rank(); ++axis) walk.push(extents[axis].number(), strides[axis]);
}

void DeviceWalks::merge() {
  if (count_ == 0) return;
  kernels::merge_together({walk_, count_});
  for (unsigned i = 0; i < count_ && walk_[i].count == 0; ++i) walk_[i].push(1, 1);
}

bool DeviceWalks::flat() const {
  if (count_ == 0) return true;
  return walk_[0].count == 1 && std::all_of(walk_, walk_ + count_, [](const kernels::Axes& walk) {
           return walk.stride[0] == 0 || walk.stride[0] == 1;
         });
}

bool DeviceWalks::put() {
  if (walk_[0].count > source::max_axes) return false;
  words_[0] = static_cast<int32_t>(walk_[0].count);
  bool fits = true;
  const auto put_row = [&](int32_t* row, const int64_t* numbers) {
    for (unsigned axis = 0; axis < walk_[0].count; ++axis) {
      row[axis] = static_cast<int32_t>(numbers[axis]);
      fits = fits && row[axis] == numbers[axis];
    }
  };
  put_row(words_ + 1, walk_[0].dim);
  for (unsigned i = 0; i < count_; ++i) put_row(words_ + 1 + (1 + i) * source::max_axes, walk_[i].stride);
  return fits;
}

DeviceWalks::Crossing DeviceWalks::transposing() const {
  Crossing result;
  if (count_ == 0 || walk_[0].count < 2) return result;
  const kernels::Axes& first = walk_[0];
  const unsigned last = first.count - 1;
  if (first.dim[last] < least_side) return result;
  for (unsigned i = 0; i < count_; ++i) {
    const kernels::Axes& walk = walk_[i];
    if (walk.stride[last] >= -1 && walk.stride[last] <= 1) continue;
    for (unsigned axis = 0; axis < last; ++axis) {
      if (walk.stride[axis] != 1 || walk.dim[axis] < least_side || (result.inputs != 0 && axis != result.across))
        continue;
      result.across = axis;
      result.inputs |= 1u << i;
    }
  }
  const auto tiles = [&](unsigned axis) { return (first.dim[axis] + source::device_side - 1) / source::device_side; };
  if (result.inputs == 0) return result;
  result.tiles = first.elements() / (first.dim[last] * first.dim[result.across]) * tiles(last) * tiles(result.across);
  return result;
}

void DeviceWalks::give(DeviceArguments& arguments, std::span<Tensor* const> inputs) const {
  const bool is_flat = flat();
  for (size_t i = 0; i < inputs.size(); ++i) {
    arguments.tensor(*inputs[i]);
    if (is_flat) arguments.number(step(i));
  }
  if (!is_flat) give_walk(arguments, inputs.size());
}

}  // namespace covec::runtime
