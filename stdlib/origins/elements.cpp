#include "stdlib/origins/elements.hpp"

#include <cstring>

#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/half.hpp"

namespace covec::origins {

Value element(const Value& of, int64_t offset) {
  if (of.is_scalar()) return of;
  const Tensor& tensor = of.tensor();
  const auto size = static_cast<int64_t>(size_of(tensor.dtype()));
  return Value::scalar(tensor.dtype(), tensor.data() + offset * size);
}

double float_of(const Value& number) {
  const Dtype dtype = number.scalar_dtype();
  if (!is_float(dtype)) return 0;
  if (dtype == Dtype::f64) return number.f64();
  if (dtype == Dtype::f32) return number.f32();
  uint16_t half = 0;
  std::memcpy(&half, number.scalar_data(), sizeof half);
  return float_of_half(dtype, half);
}

ElementPlace::ElementPlace(const Value& result, int64_t number) : index_(rank_of(result)) {
  const Shape shape = shape_of(result);
  for (unsigned axis = shape.rank(); axis-- > 0;) {
    const int64_t extent = shape[axis].number();
    index_[axis] = number % extent;
    number /= extent;
  }
}

std::string ElementPlace::text() const {
  if (index_.size() == 0) return {};
  std::string text;
  for (size_t i = 0; i < index_.size(); ++i) text += (i > 0 ? ", " : "[") + std::to_string(index_[i]);
  return text + "]";
}

Value ElementPlace::element_of(const Value& operand) const {
  if (operand.is_scalar()) return operand;
  SmallVector<int64_t, 8> strides(index_.size());
  repeated_strides(operand.tensor().dims(), operand.tensor().strides(), span_of(strides));
  int64_t offset = 0;
  for (size_t axis = 0; axis < index_.size(); ++axis) offset += index_[axis] * strides[axis];
  return element(operand, offset);
}

}  // namespace covec::origins
