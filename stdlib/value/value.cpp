// Makes a number from its bytes, and names the kinds of values.
#include "stdlib/value/value.hpp"

#include <algorithm>
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
  v.cell_ = Cell(tag_of(dtype));
  if (dtype == Dtype::boolean) {
    const int64_t truth = *static_cast<const uint8_t*>(data) != 0;
    v.cell_.set(&truth, sizeof truth);
  } else if (is_narrow_integer(dtype)) {
    const int64_t number = integer_at(dtype, data);
    v.cell_.set(&number, sizeof number);
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

Value Value::number(Dtype dtype, int64_t number) noexcept {
  if (is_half(dtype)) return half(dtype, odd_float_of(odd_double_of(number)));
  return with_compute(compute_of(dtype), [&]<class T>(T) {
    const T computed = std::is_same_v<T, bool> ? number != 0 : static_cast<T>(number);
    return scalar(dtype, &computed);
  });
}

Value Value::number(Dtype dtype, double number) noexcept {
  if (is_half(dtype)) return half(dtype, odd_float_of(number));
  return with_compute(compute_of(dtype), [&]<class T>(T) {
    const T computed = std::is_same_v<T, bool> ? number != 0 : static_cast<T>(number);
    return scalar(dtype, &computed);
  });
}

double Value::real() const noexcept { return real_at(scalar_dtype(), scalar_data()); }

namespace {

// "c128[3]" where its parts are f64[3].
std::string complex_text(const Complex& value) {
  const std::string part = describe(value.re());
  const size_t bracket = std::min(part.find('['), part.size());
  return (part.starts_with("f32") ? "c64" : "c128") + part.substr(bracket);
}

// "range", "zip": the first word of what code is specialized by.
std::string sequence_text(const Sequence& sequence) {
  const std::string key = sequence.staging_key();
  return key.substr(0, key.find(' '));
}

std::string describe_object(const Value& value) {
  switch (value.object()->kind) {
    case ObjectKind::tensor: return tensor_header(value).type().text();
    case ObjectKind::string: return "string";
    case ObjectKind::tuple: return "tuple";
    case ObjectKind::list: return "list";
    case ObjectKind::record: return "record";
    case ObjectKind::map: return "map";
    case ObjectKind::complex: return complex_text(complex_of(value));
    case ObjectKind::function: return "function";
    case ObjectKind::sequence: return sequence_text(value.sequence());
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

std::string with_article(const std::string& noun) {
  const bool vowel = std::string_view("aeiou").find(noun[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + noun;
}

}  // namespace covec
