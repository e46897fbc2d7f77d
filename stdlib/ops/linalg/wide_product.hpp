// A product that keeps its power of two apart, so it overflows or vanishes only if its value does. Powers of two are
// exact: if the plain product stays in the normal range, this one has its bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace covec::ops {

template <class T>
class WideProduct {
 public:
  explicit WideProduct(T first = T(1)) { times(first); }
  void times(T factor) { take(mantissa_ * fraction(factor)); }
  void times(const WideProduct& other) {
    exponent_ += other.exponent_;
    take(mantissa_ * other.mantissa_);
  }
  T value() const {
    constexpr int64_t beyond = 1 << 14;  // of any float
    return std::ldexp(mantissa_, static_cast<int>(std::clamp(exponent_, -beyond, beyond)));
  }

 private:
  // `x` without its power of two, which is counted; infinity and NaN have none.
  T fraction(T x) {
    int power = 0;
    const T mantissa = std::frexp(x, &power);
    if (!std::isfinite(x)) return x;
    exponent_ += power;
    return mantissa;
  }
  void take(T product) { mantissa_ = fraction(product); }

  T mantissa_ = T(1);
  int64_t exponent_ = 0;
};

}  // namespace covec::ops
