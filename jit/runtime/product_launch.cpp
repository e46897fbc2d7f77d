#include "jit/runtime/product_launch.hpp"

#include <algorithm>

#include "jit/runtime/device_product_launch.hpp"
#include "jit/runtime/kernel_elements.hpp"
#include "jit/runtime/launch_extents.hpp"
#include "stdlib/kernels/gemm.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::runtime {

using loops::Launch;
using loops::Operand;
using loops::SlotId;

namespace {

bool is_multiplied_as_it_is(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f64 || dtype == Dtype::i32 || dtype == Dtype::i64;
}

// The left factor's rows, those of all its leading axes one after the other.
kernels::Product product_of(const Tensor& a, const Tensor& b, Tensor& c) {
  const unsigned rank = a.rank();
  const int64_t k = b.dim(0), n = b.dim(1);
  return {a.dtype(),
          c.size() / n,
          n,
          k,
          {a.data(), a.stride(rank - 2), a.stride(rank - 1)},
          {b.data(), b.stride(0), b.stride(1)},
          c.data(),
          n};
}

Shape shape_of_product(const Tensor& a, const Tensor& b) {
  Shape shape(a.shape().begin(), a.rank() - 1);
  shape.push_back(b.dim(1));
  return shape;
}

struct Rows {
  const KernelElements& elements;
  int64_t columns;
  static void compute(void* self, int64_t begin, int64_t end) {
    const Rows& rows = *static_cast<Rows*>(self);
    rows.elements.run(begin * rows.columns, end * rows.columns, nullptr);
  }
};

}  // namespace

const Tensor* ProductLaunch::factor(size_t operand) const {
  const Operand& given = step_.operands[operand];
  const Value* value = given.kind == Operand::Kind::slot       ? &slots_[given.slot]
                       : given.kind == Operand::Kind::constant ? &given.value
                                                               : nullptr;
  return value != nullptr && value->is_tensor() ? &value->tensor() : nullptr;
}

bool ProductLaunch::fits(const Tensor& a, const Tensor& b) const {
  if (a.dtype() != b.dtype() || !is_multiplied_as_it_is(a.dtype()) || a.rank() < 2 || b.rank() != 2) return false;
  if (a.on_device() || b.on_device() || launch_.inputs.size() > KernelElements::max_inputs) return false;
  const int64_t k = b.dim(0), n = b.dim(1);
  const bool is_one_matrix = a.rank() == 2 || a.contiguous();
  return is_one_matrix && a.dim(a.rank() - 1) == k && k > 0 && a.size() / k > 1 && n > 1 && a.size() / k * n >= fewest;
}

bool ProductLaunch::run() {
  if (backend_.device != nullptr) return DeviceProductLaunch(plan_, launch_, *backend_.device, host_, slots_).run();
  const Tensor *a = factor(0), *b = factor(1);
  return a != nullptr && b != nullptr && fits(*a, *b) && multiply(*a, *b);
}

// What goes wrong with the product is told of its operator; of the rest, of the kernel's (Activation::keep_error).
template <class F>
auto ProductLaunch::at_product(F f) const {
  return at_place(host_, *plan_.graph, step_.place, f);
}

// In the product's place where nobody needs that; it is the only input whose elements have all been read by then.
Value ProductLaunch::result(const Launch::Output& output, const Value& product) const {
  const Tensor& like = product.tensor();
  const auto dies = [&](const Launch::Input& input) { return input.slot == step_.results[0] && input.last; };
  const bool takes_place = &output == launch_.outputs.data() && output.dtype == like.dtype();
  if (takes_place && std::ranges::any_of(launch_.inputs, dies)) return product;
  return make_tensor(host_.eager().pool(), output.dtype, like.shape());
}

bool ProductLaunch::multiply(const Tensor& a, const Tensor& b) {
  Value product = at_product([&] { return make_tensor(host_.eager().pool(), a.dtype(), shape_of_product(a, b)); });
  const Tensor* inputs[KernelElements::max_inputs];
  for (size_t i = 0; i < launch_.inputs.size(); ++i) {
    const SlotId slot = launch_.inputs[i].slot;
    inputs[i] = slot == step_.results[0] ? &product.tensor() : &slots_[slot].tensor();
  }
  const std::span<const Tensor* const> all(inputs, launch_.inputs.size());
  const std::optional<Extents> found = find_extents(launch_, all);
  if (!found || found->repeats || found->shape != product.tensor().shape()) return false;
  ops::Context& context = host_.eager().context();
  SmallVector<uint64_t, 64> words(launch_.numbers.size());
  put_words(launch_, slots_, span_of(words));
  KernelElements elements(backend_.kernels[launch_.kernel], words.data(), found->shape, context.isa);
  for (const Tensor* input : all) elements.add_input(*input);
  if (launch_.row_kernel != Launch::no_kernel)
    elements.set_row_kernel(backend_.kernels[launch_.row_kernel], launch_.columns);
  SmallVector<Value, 16> results(launch_.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = result(launch_.outputs[i], product);
    elements.add_output(results[i].tensor().data(), size_of(launch_.outputs[i].dtype));
  }
  elements.prepare();
  Rows rows{elements, b.dim(1)};
  const kernels::Product factors = product_of(a, b, product.tensor());
  if (elements.tiles() > 0 || !at_product([&] {
        return kernels::multiply_by_rows(context, factors, {&Rows::compute, &rows});
      }))
    return false;
  finish(std::move(product), span_of(results));
  return true;
}

void ProductLaunch::finish(Value product, std::span<Value> results) {
  for (const Operand& operand : step_.operands) {
    if (operand.kind == Operand::Kind::slot && operand.last) slots_[operand.slot] = Value();
  }
  for (const SlotId slot : step_.drops) slots_[slot] = Value();
  slots_[step_.results[0]] = std::move(product);
  for (const Launch::Input& input : launch_.inputs) {
    if (input.last) slots_[input.slot] = Value();
  }
  for (size_t i = 0; i < results.size(); ++i) slots_[launch_.outputs[i].slot] = std::move(results[i]);
}

}  // namespace covec::runtime
