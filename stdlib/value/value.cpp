// A number from its bytes, and what a value is called.
#include "stdlib/value/value.hpp"

#include <cstring>
#include <string>

#include "stdlib/value/callable.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/tensor_header.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

Value Value::scalar(Dtype dtype, const void* data) noexcept {
  Value v;
  v.cell_ = Cell(static_cast<Tag>(static_cast<uint8_t>(dtype) + 1));
  if (dtype == Dtype::boolean) {
    const int64_t truth = *static_cast<const uint8_t*>(data) != 0;
    v.cell_.set(&truth, sizeof truth);
  } else {
    v.cell_.set(data, size_of(dtype));
  }
  return v;
}

Value Value::half(Dtype dtype, float number) noexcept {
  const uint16_t bits = half_of(dtype, number);
  return scalar(dtype, &bits);
}

float Value::half() const noexcept {
  uint16_t bits = 0;
  std::memcpy(&bits, scalar_data(), sizeof bits);
  return float_of_half(scalar_dtype(), bits);
}

namespace {

std::string describe_object(const Value& value) {
  switch (value.object()->kind) {
    case ObjectKind::tensor: return tensor_header(value).type().text();
    case ObjectKind::string: return "string";
    case ObjectKind::tuple: return "tuple";
    case ObjectKind::list: return "list";
    case ObjectKind::record: return "record";
    case ObjectKind::map: return "map";
    case ObjectKind::function: return "function";
    case ObjectKind::sequence: return "range";
    case ObjectKind::module: return "module";
    case ObjectKind::traced: return logical_type(value).text();
    case ObjectKind::symbol: {
      const Symbol& symbol = *static_cast<Symbol*>(value.object());
      if (symbol.list) return "list";
      return symbol.boxed ? "a value" : symbol.type.text();
    }
  }
  return "?";
}

}  // namespace

std::string describe(const Value& value) {
  if (value.is_none()) return "none";
  if (value.is_unbound()) return "unbound";
  return value.is_scalar() ? std::string(name_of(value.scalar_dtype())) : describe_object(value);
}

}  // namespace covec
