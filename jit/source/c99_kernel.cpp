// Writes a kernel in C: a loop over the elements.
#include "jit/source/c99.hpp"
#include "jit/source/c99_scalar.hpp"
#include "jit/source/kernel_body.hpp"

namespace covec::source {

namespace {

using loops::Kernel;

// The names of arrays are in0, in1, …, out0, …
std::string arrays(const Kernel& kernel) {
  std::string text;
  for (size_t k = 0; k < kernel.inputs.size(); ++k) {
    const std::string type(c_memory_type(kernel.inputs[k].dtype)), number = std::to_string(k);
    text += "  const " + type + "* in" + number + " = (const " + type + "*)inputs[" + number + "];\n";
  }
  for (size_t k = 0; k < kernel.outputs.size(); ++k) {
    const std::string type(c_memory_type(kernel.outputs[k].dtype)), number = std::to_string(k);
    text += "  " + type + "* out" + number + " = (" + type + "*)outputs[" + number + "];\n";
  }
  return text;
}

std::string stores(const Kernel& kernel) {
  std::string text;
  for (size_t k = 0; k < kernel.outputs.size(); ++k) {
    const Kernel::Output& output = kernel.outputs[k];
    text +=
        "    out" + std::to_string(k) + "[i] = " + c_stored(output.dtype, "v" + std::to_string(output.value)) + ";\n";
  }
  return text;
}

}  // namespace

// Nothing is outlined here, so that the text depends on no other code.
std::string c99_kernel(const Kernel& given, const std::string& name) {
  const Kernel kernel = loops::expanded(given);
  const KernelNames names = {
      [&](uint32_t k) { return "in" + std::to_string(k) + (kernel.inputs[k].uniform ? "[0]" : "[i]"); },
      [](uint32_t k) { return "numbers[" + std::to_string(k) + "]"; }};
  std::string text =
      "int64_t " + name + "(void* const* outputs, const void* const* inputs, int64_t n, const uint64_t* numbers) {\n";
  text += "  (void)outputs, (void)inputs, (void)numbers;\n" + arrays(kernel);
  text += "  for (int64_t i = 0; i < n; ++i) {\n" + kernel_body(kernel, 2, names);
  if (kernel.fails != Kernel::never) text += "    if (v" + std::to_string(kernel.fails) + ") return i;\n";
  return text + stores(kernel) + "  }\n  return -1;\n}\n";
}

}  // namespace covec::source
