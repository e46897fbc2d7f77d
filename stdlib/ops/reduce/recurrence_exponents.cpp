// Finds the powers of two that a recurrence r_i = b_i + a_i r_(i−1) keeps apart from its results. A product of many
// factors may leave the range on the way to a result inside it. The recurrence itself then runs on mantissas, scaled by
// these constants, so it can be differentiated as before. If nothing leaves the range, all of them are 0, and scaling
// by 1 keeps every bit.
#include <algorithm>
#include <cmath>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/scan.hpp"
#include "stdlib/ops/reduce/walk.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::ops {

namespace {

// mantissa · 2^exponent
template <class T>
struct Apart {
  T mantissa = 0;
  int exponent = 0;
};

// Numbers whose products with others of the kind neither overflow nor lose digits.
template <class T>
constexpr int safe_exponent = sizeof(T) == 4 ? 60 : 500;  // of 2; products stay in 2^±126, 2^±1022 (IEEE 754)

template <class T>
bool is_safe(T x) {
  const T size = std::abs(x);
  return x == 0 || (size > std::ldexp(T(1), -safe_exponent<T>) && size < std::ldexp(T(1), safe_exponent<T>));
}

template <class T>
Apart<T> split(T x) {
  Apart<T> parts;
  parts.mantissa = std::frexp(x, &parts.exponent);
  return parts;
}

// b + a · before
template <class T>
Apart<T> next(T a, T b, Apart<T> before) {
  const T plain = b + a * before.mantissa;
  if (before.exponent == 0 && is_safe(a) && is_safe(b) && is_safe(plain) && is_safe(a * before.mantissa))
    return {plain};
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(before.mantissa)) return {plain};
  const Apart<T> factor = split(a), added = split(b);
  Apart<T> product = split(factor.mantissa * before.mantissa);
  product.exponent += factor.exponent + before.exponent;
  int scale = product.mantissa == 0 ? added.exponent : product.exponent;
  if (b != 0) scale = std::max(scale, added.exponent);
  const T sum = std::ldexp(added.mantissa, added.exponent - scale) +
                std::ldexp(product.mantissa, std::max(product.exponent - scale, -9999));
  Apart<T> result = split(sum);
  result.exponent += scale;
  if (std::abs(result.exponent) < safe_exponent<T>) return {std::ldexp(result.mantissa, result.exponent)};
  return result;
}

Type exponents_type(ShapeBuilder&, const Call& call) { return operand_type(call, 0); }

template <class T>
void fill_exponents(Builder& builder, const Call& call, const Value& a, const Value& b, Value& result) {
  const Walked walked(a.tensor(), static_cast<unsigned>(integer_argument(call, 2)));
  Value mantissas = make_tensor(builder.pool(), a.tensor().dtype(), shape_of(a));
  const T *factors = a.tensor().as<T>(), *added = b.tensor().as<T>();
  T *exponent = result.tensor().as<T>(), *mantissa = mantissas.tensor().as<T>();
  const auto set = [&](int64_t at, T factor, Apart<T> before) {
    const Apart<T> now = next(factor, added[at], before);
    mantissa[at] = now.mantissa;
    exponent[at] = static_cast<T>(now.exponent);
  };
  scan_axis(
      builder, walked, flag_argument(call, 3), [&](int64_t at) { set(at, T(0), {}); },
      [&](int64_t at, int64_t before) {
        set(at, factors[at], {mantissa[before], static_cast<int>(exponent[before])});
      });
}

Value exponents_eager(Builder& builder, Call& call) {
  const Value a = contiguous(builder.pool(), call.args[0]), b = contiguous(builder.pool(), call.args[1]);
  Value result = make_tensor(builder.pool(), a.tensor().dtype(), shape_of(a));
  if (a.tensor().dtype() == Dtype::f32)
    fill_exponents<float>(builder, call, a, b, result);
  else
    fill_exponents<double>(builder, call, a, b, result);
  return result;
}

}  // namespace

const Entry& recurrence_exponents_entry() {
  static const Entry entry{
      .name = "recurrence_exponents",
      .doc = "The powers of two by which the results of `recurrence(a, b)` are scaled while it runs.",
      .parameters = {tensor_parameter("a"), tensor_parameter("b"), attribute("axis"), attribute("backwards")},
      .type = exponents_type,
      .eager = exponents_eager,
      .derivative = Derivative::piecewise_constant(),
      .batch = recurrence_batch,
      .internal = true,
  };
  return entry;
}

}  // namespace covec::ops
