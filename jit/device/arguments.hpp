// Prepares the arguments of kernels on a device: their parameters in order, and each input's strides over the elements.
#pragma once

#include <vector>

#include "jit/source/device.hpp"
#include "stdlib/device/devices.hpp"
#include "stdlib/kernels/strided.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::runtime {

// Arrays and numbers of a launch; larger ones run on the host.
inline constexpr unsigned max_device_inputs = 16, max_device_outputs = 8, max_device_numbers = 16;
inline constexpr uint32_t device_group = 256;  // items of one where the kernel does not say

// The parameters of one launch; they stay here until it has been made, and what was uploaded for it alone.
class DeviceArguments {
 public:
  explicit DeviceArguments(device::Accelerator& accelerator) : accelerator_(accelerator) {}
  DeviceArguments(const DeviceArguments&) = delete;
  DeviceArguments& operator=(const DeviceArguments&) = delete;

  void bytes(const void* data, size_t size) { list_[count_++] = {data, size, false}; }
  void word(uint64_t word) {
    words_[used_] = word;
    bytes(&words_[used_++], sizeof word);
  }
  void number(int64_t number) { word(static_cast<uint64_t>(number)); }
  void memory(device::Handle handle) {
    words_[used_] = handle;
    list_[count_++] = {&words_[used_++], sizeof handle, true};
  }
  void array(device::DeviceAddress place) {
    memory(place.handle);
    number(place.offset);
  }
  void tensor(Tensor& tensor) { array(accelerator_.blocks().place_of(tensor, temporaries_)); }
  // What was uploaded for the launch alone.
  std::vector<device::Blocks::Temporary>& temporaries() { return temporaries_; }
  // Memory that goes back when the launch has been made. At least one byte.
  device::DeviceAddress scratch(size_t size, Dtype dtype);
  // So many work items, of at most which a kernel takes its share in turn.
  void launch(device::Function kernel, int64_t items) const;
  void launch_groups(device::Function kernel, int64_t groups, int64_t group) const;

 private:
  // Words: 2 for an output, 3 for an input or a number, as source/device.hpp says; 18 for all else, an upper estimate.
  static constexpr size_t most = 18 + 2 * max_device_outputs + 3 * max_device_inputs + 3 * max_device_numbers;
  device::Accelerator& accelerator_;
  uint64_t words_[most];
  device::Argument list_[most];
  size_t used_ = 0, count_ = 0;
  std::vector<device::Blocks::Temporary> temporaries_;
};

// The elements' axes, merged, as each input goes through them.
class DeviceWalks {
 public:
  void add(const Tensor& tensor, const Shape& extents);
  void merge();
  // Each input is one run, or one element throughout. (There may be none.)
  bool flat() const;
  int64_t step(size_t input) const { return walk_[input].stride[0]; }
  // As a strided kernel takes them; false: the axes are too many, or too long.
  bool put();
  // Inputs that run along another axis than the last one, for kernels that take tiles of both (NAME_transposed).
  struct Crossing {
    unsigned across = 0;  // that axis
    uint32_t inputs = 0;  // bits; none: there is nothing to gain
    int64_t tiles = 0;
  };
  Crossing transposing() const;
  // The last two arguments of such a kernel, and its launch.
  static void launch(DeviceArguments& arguments, device::Function kernel, const Crossing& transposing) {
    arguments.number(transposing.across);
    arguments.number(transposing.inputs);
    arguments.launch_groups(kernel, transposing.tiles, source::device_tile_items);
  }
  // Flat or walk, inputs' places and steps, for kernels that take these next.
  void give(DeviceArguments& arguments, std::span<Tensor* const> inputs) const;
  void give_walk(DeviceArguments& arguments, size_t inputs) const {
    arguments.bytes(words_, (1 + source::max_axes * (1 + inputs)) * sizeof(int32_t));
  }

 private:
  kernels::Axes walk_[max_device_inputs];
  unsigned count_ = 0;
  int32_t words_[1 + source::max_axes * (1 + max_device_inputs)] = {};
};

}  // namespace covec::runtime
