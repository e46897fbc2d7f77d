#include "jit/prepared/bindings.hpp"

#include <algorithm>

#include "stdlib/tensor/tensor.hpp"

namespace covec::jit {

Bindings::Bindings(const Prepared& prepared, const loops::Plan& plan) : prepared_(prepared) {
  for (const FixedType& type : prepared.inputs) {
    inputs_.push_back({.dtype = type.dtype});
    has_bools_ |= type.dtype == Dtype::boolean;
  }
  for (const FixedType& type : prepared.outputs) outputs_.push_back({.bytes = type.bytes(), .dtype = type.dtype});
  for (size_t i = 0; i < prepared.places.size(); ++i) {
    const size_t argument = prepared.places[i].argument;
    if (argument != PreparedInput::no_argument) inputs_[argument].slot = plan.inputs[i];
  }
  unbound_ = inputs_.size() + outputs_.size();
}

namespace {

constexpr int64_t nothing = 0;  // lies where there are no elements

Value header_over(Pool& pool, const FixedType& type, const void* memory, bool read_only) {
  if (type.extents.empty()) return Value();
  return Tensor::share(pool, type.dtype, type.shape(), const_cast<void*>(memory), read_only, nullptr, nullptr);
}

}  // namespace

void Bindings::bind_input(size_t number, const void* memory, Pool& pool) {
  if (memory == nullptr) memory = &nothing;
  Input& input = inputs_[number];
  input.tensor = header_over(pool, prepared_.inputs[number], memory, true);
  if (input.memory == nullptr) --unbound_;
  input.memory = memory;
  bound_anew_ = true;
}

void Bindings::bind_output(size_t number, void* memory, Pool& pool) {
  if (memory == nullptr) memory = const_cast<int64_t*>(&nothing);
  Output& output = outputs_[number];
  output.tensor = header_over(pool, prepared_.outputs[number], memory, false);
  if (output.memory == nullptr) --unbound_;
  output.memory = memory;
  bound_anew_ = true;
}

namespace {

bool meet(const void* a, size_t bytes_of_a, const void* b, size_t bytes_of_b) {
  const auto first = reinterpret_cast<uintptr_t>(a), second = reinterpret_cast<uintptr_t>(b);
  return first < second + bytes_of_b && second < first + bytes_of_a;
}

}  // namespace

void Bindings::look_for_overlaps() {
  overlap_ = clash_ = false;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    for (size_t k = 0; k < i; ++k) clash_ |= meet(output.memory, output.bytes, outputs_[k].memory, outputs_[k].bytes);
    for (size_t k = 0; k < inputs_.size(); ++k)
      overlap_ |= meet(output.memory, output.bytes, inputs_[k].memory, prepared_.inputs[k].bytes());
  }
  bound_anew_ = false;
}

// Arithmetic counts on a bool being 0 or 1.
bool Bindings::are_bools(size_t number) const {
  unsigned all = 0;
  const auto* bytes = static_cast<const uint8_t*>(inputs_[number].memory);
  for (size_t i = 0; i < prepared_.inputs[number].bytes(); ++i) all |= bytes[i];
  return all <= 1;
}

const char* Bindings::why_not_ready() {
  if (unbound_ != 0) return "an input or output is not bound";
  if (bound_anew_) look_for_overlaps();
  if (clash_) return "two outputs share the same memory";
  for (size_t i = 0; has_bools_ && i < inputs_.size(); ++i) {
    if (inputs_[i].dtype == Dtype::boolean && !are_bools(i)) return "a bool is neither 0 nor 1";
  }
  return nullptr;
}

}  // namespace covec::jit
