// Writes elementwise kernels for devices: the loop over elements, or over tiles of them. Each work item strides by the
// number of all work items, so any number of them works (a grid-stride loop).
#include <algorithm>

#include "jit/source/device.hpp"
#include "jit/source/element_writer.hpp"

namespace covec::source {

using loops::Kernel;

std::string device_kernel(const Kernel& given, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const int64_t width = device_width(given);
  std::string types;
  Lines lines;
  for (const bool strided : {false, true}) {
    const ElementWriter element(kernel, name, strided, kernel.outputs.size());
    lines.open("COVEC_KERNEL " + name + (strided ? "_strided(" : "_flat(") + "int64_t n" + element.flag() +
               element.arrays() + ")");
    element.read_numbers(lines);
    if (strided || width == 1) {
      lines.open("for (int64_t i = covec_first; i < n; i += covec_all)");
      element.put(lines);
    } else {
      const std::string w = std::to_string(width);
      lines.open("for (int64_t first = covec_first * " + w + "; first < n; first += covec_all * " + w + ")");
      element.put_wide(lines, width);
      types = element.wide_types(width);
    }
    lines.close();
    lines.close();
  }
  return walk_type(kernel, name) + types + lines.take();
}

DeviceEnd device_end(const Kernel& given, uint32_t products, Dtype dtype, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const ElementWriter element(kernel, name, true, kernel.outputs.size());
  Lines lines;
  lines.open("COVEC_FUNCTION void " + name + "_end(" + std::string(c_type(dtype)) + " product, int64_t i" +
             element.arrays() + ")");
  element.read_numbers(lines);
  element.put_of_product(lines, products);
  lines.close();
  return {walk_type(kernel, name) + lines.take(), element.arrays(),
          name + "_end(c[c_first + place], place" + element.arguments() + ");"};
}

std::string device_transposed_kernel(const Kernel& given, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const ElementWriter element(kernel, name, true, kernel.outputs.size());
  Lines lines;
  lines.open("COVEC_KERNEL " + name + "_transposed(int64_t n" + element.flag() + element.arrays() +
             ", int64_t across, int64_t transposed)");
  element.read_numbers(lines);
  element.put_tiles(lines);
  lines.close();
  return walk_type(kernel, name) + lines.take();
}

bool device_can_cross(const Kernel& given) {
  constexpr size_t local_memory = 32 << 10;  // what every device has
  size_t bytes = 0;
  for (const Kernel::Input& input : loops::expanded(given).inputs)
    bytes += static_cast<size_t>(device_side * (device_side + 1)) * size_of(input.dtype);
  return bytes <= local_memory;
}

int64_t device_width(const Kernel& given) {
  constexpr size_t longest = 64;  // instructions: what computes more does not wait for memory
  // Bytes of the widest load of a CUDA thread (CUDA C++ Programming Guide), and the f16 in it.
  constexpr size_t bytes = 16, most = 8;
  const Kernel kernel = loops::expanded(given);
  if (kernel.inputs.empty() || kernel.code.size() > longest) return 1;
  size_t widest = bytes / most;
  for (const Kernel::Input& input : kernel.inputs) widest = std::max(widest, size_of(input.dtype));
  for (const Kernel::Output& output : kernel.outputs) widest = std::max(widest, size_of(output.dtype));
  return static_cast<int64_t>(bytes / widest);
}

std::string device_numbered_kernel(const Kernel& given, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const Kernel::Output& output = kernel.outputs[0];
  Lines lines;
  std::string numbers;
  for (size_t k = 0; k < kernel.numbers.size(); ++k) numbers += ", uint64_t number" + std::to_string(k);
  lines.open("COVEC_KERNEL " + name + "(int64_t n, " + array(std::string(c_memory_type(output.dtype)), out(0)) +
             numbers + ")");
  lines.open("for (int64_t i = covec_first; i < n; i += covec_all)");
  lines.add(kernel_body(kernel, lines.depth(),
                        {[](uint32_t) { return "i"; }, [](uint32_t k) { return "number" + std::to_string(k); }}));
  lines.put("out0[out0_first + i] = " + c_stored(output.dtype, "v" + std::to_string(output.value)) + ";");
  lines.close();
  lines.close();
  return lines.take();
}

}  // namespace covec::source
