#include "jit/device/code.hpp"

#include "jit/source/c99.hpp"
#include "jit/source/device_library.hpp"

namespace covec::runtime {

namespace {

std::optional<source::DeviceReduction> reduction_of(const loops::Launch& launch) {
  if (launch.reductions.empty()) return std::nullopt;
  const loops::Launch::Reduction& reduction = launch.reductions[0];
  return source::DeviceReduction{reduction.entry->reduce->kind, reduction.dtype,
                                 (reduction.axes >> (reduction.rank - 1) & 1) != 0};
}

}  // namespace

DeviceKernel find_kernel(device::Module& module, const std::string& name,
                         const std::optional<source::DeviceReduction>& reduction) {
  DeviceKernel kernel{module.find(name + "_flat"), module.find(name + "_strided"), reduction};
  if (reduction) kernel.join = module.find(name + "_join");
  return kernel;
}

Value number_of(device::Accelerator& accelerator, Tensor& element) {
  std::vector<device::Blocks::Temporary> none;
  const device::DeviceAddress place = accelerator.blocks().place_of(element, none);
  const size_t size = size_of(element.dtype());
  uint64_t bits = 0;
  accelerator.device().read(&bits, place.handle, static_cast<size_t>(place.offset) * size, size);
  return Value::scalar(element.dtype(), &bits);
}

bool DeviceCode::is_worth_it(std::span<const Tensor* const> operands, int64_t elements, int64_t weight,
                             unsigned threads) const {
  uint64_t bytes = 0;  // that have to get there
  for (const Tensor* operand : operands) {
    const bool there = accelerator_.blocks().has(*operand);
    if (there && operand->on_device()) return elements > 0;
    if (!there) bytes += static_cast<uint64_t>(operand->size()) * size_of(operand->dtype());
  }
  constexpr int64_t large = 1 << 16;  // elements (docs/gpu.md)
  // A transfer takes some 0.08 ns a byte, an instruction of a vector 0.06 ns an element and thread.
  constexpr double bytes_in_the_time_of_one = 0.06 / 0.08;
  if (use_ == DeviceUse::all) return elements > 0;
  if (elements < large) return false;
  const double work = static_cast<double>(elements) * static_cast<double>(weight);
  return use_ == DeviceUse::large || work * bytes_in_the_time_of_one / threads > static_cast<double>(bytes);
}

std::string device_text(const loops::Plan& plan, device::Dialect dialect) {
  std::string text = source::device_prelude(dialect);
  for (const loops::Launch& launch : plan.launches) {
    const loops::Kernel& kernel = plan.program.kernels[launch.kernel];
    const auto reduction = reduction_of(launch);
    const std::string name = source::c99_kernel_name(plan.program, launch.kernel);
    text +=
        "\n" + (reduction ? source::device_reduction(kernel, *reduction, name) : source::device_kernel(kernel, name));
  }
  return text;
}

void DeviceCode::load() {
  std::shared_ptr<device::Module> module = accelerator_.module_of(device_text(plan_, accelerator_.device().dialect()));
  std::vector<DeviceKernel> kernels;
  for (const loops::Launch& launch : plan_.launches) {
    const std::string name = source::c99_kernel_name(plan_.program, launch.kernel);
    kernels.push_back(find_kernel(*module, name, reduction_of(launch)));
    kernels.back().can_fail = plan_.program.kernels[launch.kernel].fails != loops::Kernel::never;
    kernels.back().width = source::device_width(plan_.program.kernels[launch.kernel]);
  }
  module_ = std::move(module);
  kernels_ = std::move(kernels);
}

const DeviceKernel& DeviceCode::kernel(const loops::Launch& launch) {
  if (module_ == nullptr) load();
  return kernels_[static_cast<size_t>(&launch - plan_.launches.data())];
}

device::Function DeviceCode::special(const std::string& name, FunctionRef<std::string()> write) {
  Special& found = specials_[name];
  if (found.module == nullptr) {
    found.module = accelerator_.module_of(source::device_prelude(accelerator_.device().dialect()) + write());
    found.function = found.module->find(name);
  }
  return found.function;
}

device::Function DeviceCode::transposed(const loops::Launch& launch) {
  const std::string name = source::c99_kernel_name(plan_.program, launch.kernel);
  return special(name + "_transposed",
                 [&] { return source::device_transposed_kernel(plan_.program.kernels[launch.kernel], name); });
}

device::Function DeviceCode::ended_product(const loops::Launch& launch, uint32_t products, Dtype dtype, bool wide) {
  const std::string kernel = source::c99_kernel_name(plan_.program, launch.kernel);
  const std::string name =
      kernel + (wide ? "_wide_product" : "_product") + std::to_string(products) + "_" + std::string(name_of(dtype));
  return special(name, [&] {
    const source::DeviceEnd end = source::device_end(plan_.program.kernels[launch.kernel], products, dtype, kernel);
    return source::device_ended_product(dtype, wide, end, name);
  });
}

void DeviceCode::fetch_number(Value& number) {
  if (!number.is_tensor()) return;
  number = number_of(accelerator_, number.tensor());
  ++tally.numbers;
}

device::Handle DeviceCode::flag() {
  device::Blocks& blocks = accelerator_.blocks();
  if (flag_.empty()) {
    flag_.emplace_back(blocks.shared_from_this(), blocks.take(flag_words * sizeof(int32_t), {Dtype::i32, Shape()}));
  }
  return flag_[0].block().handle;
}

device::Handle DeviceCode::lowered_flag() {
  const int32_t down = 0;
  accelerator_.device().write(flag(), 0, &down, sizeof down);
  return flag();
}

bool DeviceCode::is_raised() {
  int32_t flag = 0;
  accelerator_.device().read(&flag, flag_[0].block().handle, 0, sizeof flag);
  return flag != 0;
}

}  // namespace covec::runtime
