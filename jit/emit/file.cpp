#include "jit/emit/file.hpp"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "jit/emit/library.hpp"
#include "jit/loops/build_kernel.hpp"
#include "jit/source/c99.hpp"
#include "jit/source/c99_scalar.hpp"
#include "jit/source/filled.hpp"
#include "jit/source/kernel_body.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::emit {

std::string File::function(const std::string& name, const std::string& text) {
  const auto [known, is_new] = by_text_.try_emplace(text);
  if (!is_new) return known->second;
  known->second = fresh(name);
  functions_ += "\n" + source::filled(text, {{"{NAME}", known->second}});
  return known->second;
}

std::string File::fresh(const std::string& name) {
  std::string full = "covec_" + source::c99_identifier(name);
  if (const size_t before = uses_[full]++; before > 0) full += "_" + std::to_string(before + 1);
  return full;
}

std::string File::definitions(const std::string& text) const {
  std::string used;
  for (const auto& [name, constant] : constants_) {
    if (names_word(text, name)) used += constant;
  }
  return used + functions_;
}

namespace {

// A function of numbers of these dtypes: its text.
std::string function_of(const std::vector<Dtype>& operands,
                        FunctionRef<ops::ScalarRef(loops::KernelBuilder&, std::span<const ops::ScalarRef>)> make) {
  loops::Kernel kernel;
  loops::KernelBuilder builder(kernel, false, true);
  std::vector<ops::ScalarRef> refs;
  for (uint32_t k = 0; k < operands.size(); ++k) {
    kernel.inputs.push_back({operands[k], true});
    refs.push_back(builder.load(operands[k], k));
  }
  const ops::ScalarRef result = make(builder, refs);
  kernel.outputs.push_back({result.id, result.dtype});
  const source::KernelNames names{
      [](uint32_t k) { return std::string(1, static_cast<char>('a' + k)); }, {}, true, fma_name};
  std::string text = "static " + std::string(source::c_type(result.dtype)) + " {NAME}(";
  for (uint32_t k = 0; k < operands.size(); ++k)
    text += (k > 0 ? ", " : "") + std::string(source::c_type(operands[k])) + " " + names.element(k);
  return text + ") {\n" + source::kernel_body(kernel, 1, names) + "  return v" + std::to_string(result.id) + ";\n}\n";
}

}  // namespace

// What it hardly ever needs is inside, behind its condition.
std::string File::pointwise(const ops::Call& call, const std::vector<Dtype>& operands) {
  std::string name(call.entry.name);
  for (const Dtype dtype : operands) name += "_" + std::string(name_of(dtype));
  return function(name,
                  function_of(operands, [&](loops::KernelBuilder& builder, std::span<const ops::ScalarRef> numbers) {
                    return builder.apply(call, numbers);
                  }));
}

std::string File::converted(const std::string& number, Dtype from, Dtype to) {
  if (from == to) return number;
  if (!is_narrow(from) && !is_narrow(to))
    return source::c_expression({ops::ScalarOp::convert, to, from, 1, {number}, fma_name});
  const std::string name = std::string(name_of(to)) + "_of_" + std::string(name_of(from));
  return function(name, function_of({from},
                                    [&](loops::KernelBuilder& builder, std::span<const ops::ScalarRef> numbers) {
                                      return builder.convert(numbers[0], to);
                                    })) +
         "(" + number + ")";
}

namespace {

std::string float_text(double x, int digits, bool is_float) {
  if (std::isnan(x)) return "NAN";
  if (std::isinf(x)) return x < 0 ? "-INFINITY" : "INFINITY";
  char text[48];
  std::snprintf(text, sizeof text, "%.*e", digits, x);
  return std::string(text) + (is_float ? "f" : "");
}

std::string element_text(Dtype dtype, const std::byte* at) {
  char text[48];
  if (is_narrow_integer(dtype)) return std::to_string(integer_at(dtype, at));
  if (is_half(dtype)) {
    uint16_t bits;
    std::memcpy(&bits, at, 2);
    return std::to_string(bits);
  }
  switch (compute_of(dtype)) {
    case Compute::boolean: return std::to_string(static_cast<int>(*at));
    case Compute::f32: {
      float x;
      std::memcpy(&x, at, 4);
      return float_text(static_cast<double>(x), 8, true);
    }
    case Compute::f64: {
      double x;
      std::memcpy(&x, at, 8);
      return float_text(x, 16, false);
    }
    case Compute::i32: {
      int32_t x;
      std::memcpy(&x, at, 4);
      if (x == INT32_MIN) return "INT32_MIN";
      std::snprintf(text, sizeof text, "%" PRId32, x);
      return text;
    }
    case Compute::i64: {
      int64_t x;
      std::memcpy(&x, at, 8);
      if (x == INT64_MIN) return "INT64_MIN";
      std::snprintf(text, sizeof text, "%sINT64_C(%" PRId64 ")", x < 0 ? "-" : "", x < 0 ? -x : x);
      return text;
    }
  }
  return "0";
}

}  // namespace

std::string number_text(Dtype dtype, uint64_t bits) {
  if (is_narrow(dtype)) return source::c_constant(dtype, bits);
  std::byte bytes[8];
  std::memcpy(bytes, &bits, 8);
  if (dtype == Dtype::f64 || dtype == Dtype::f32) {
    float narrow;
    double wide;
    std::memcpy(&narrow, bytes, 4);
    std::memcpy(&wide, bytes, 8);
    const double x = dtype == Dtype::f32 ? static_cast<double>(narrow) : wide;
    if (!std::isfinite(x)) return source::c_constant(dtype, bits);
    char text[48];
    for (int digits = 1; digits <= 17; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, x);
      const bool same = dtype == Dtype::f32 ? std::strtof(text, nullptr) == narrow : std::strtod(text, nullptr) == x;
      if (same) break;
    }
    std::string number = text;
    if (number.find_first_of(".e") == std::string::npos) number += ".0";
    return number + (dtype == Dtype::f32 ? "f" : "");
  }
  const std::string number = element_text(dtype, bytes);
  return number[0] == '-' || number[0] == 'I' ? "(" + number + ")" : number;
}

std::string File::constant(const Value& tensor) {
  constexpr int64_t most = 1 << 16;  // elements that the text holds
  const Tensor& x = tensor.tensor();
  if (x.size() > most)
    throw Refusal{"it holds a tensor of " + std::to_string(x.size()) + " elements: make it an argument"};
  const Value copy = make_tensor(eager.pool(), x.dtype(), x.shape());
  copy_elements(x, copy.tensor());
  std::string text = "static const " + std::string(source::c_memory_type(x.dtype())) + " {NAME}[" +
                     std::to_string(std::max<int64_t>(1, x.size())) + "] = {";
  constexpr size_t per_line = 4;  // numbers
  for (int64_t i = 0; i < x.size(); ++i) {
    text += (static_cast<size_t>(i) % per_line == 0 ? "\n  " : " ");
    text += element_text(x.dtype(), copy.tensor().data() + i * static_cast<int64_t>(size_of(x.dtype()))) + ",";
  }
  if (x.size() == 0) text += "0";
  text += "\n};\n";
  const auto [known, is_new] = by_text_.try_emplace(text);
  if (is_new) {
    known->second = fresh("constant");
    constants_.emplace_back(known->second, "\n" + source::filled(text, {{"{NAME}", known->second}}));
  }
  return known->second;
}

size_t File::error(uint32_t place, const std::string& text) {
  for (size_t k = 0; k < errors_.size(); ++k) {
    if (errors_[k].place == place && errors_[k].text == text) return k + 1;
  }
  errors_.push_back({place, text});
  return errors_.size();
}

}  // namespace covec::emit
