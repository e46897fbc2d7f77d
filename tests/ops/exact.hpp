// A number of MPFR's, for references: long enough that what a formula loses does not count.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace covec::test {

class Exact {
 public:
  static constexpr mpfr_prec_t bits = 400;
  Exact(double number = 0) {  // NOLINT: numbers convert
    mpfr_init2(value_, bits);
    mpfr_set_d(value_, number, MPFR_RNDN);
  }
  Exact(const Exact& other) {
    mpfr_init2(value_, bits);
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Exact& operator=(const Exact& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Exact() { mpfr_clear(value_); }

  using Unary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);
  using Binary = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
  static Exact of(Unary function, const Exact& a) {
    Exact result;
    function(result.value_, a.value_, MPFR_RNDN);
    return result;
  }
  static Exact of(Binary function, const Exact& a, const Exact& b) {
    Exact result;
    function(result.value_, a.value_, b.value_, MPFR_RNDN);
    return result;
  }
  static Exact pi() {
    Exact result;
    mpfr_const_pi(result.value_, MPFR_RNDN);
    return result;
  }
  friend Exact operator+(const Exact& a, const Exact& b) { return of(mpfr_add, a, b); }
  friend Exact operator-(const Exact& a, const Exact& b) { return of(mpfr_sub, a, b); }
  friend Exact operator*(const Exact& a, const Exact& b) { return of(mpfr_mul, a, b); }
  friend Exact operator/(const Exact& a, const Exact& b) { return of(mpfr_div, a, b); }
  friend Exact operator-(const Exact& a) { return of(mpfr_neg, a); }
  friend bool operator<(const Exact& a, const Exact& b) { return mpfr_less_p(a.value_, b.value_) != 0; }
  friend bool operator==(const Exact& a, const Exact& b) { return mpfr_equal_p(a.value_, b.value_) != 0; }
  bool infinite() const { return mpfr_inf_p(value_) != 0; }
  double number() const { return mpfr_get_d(value_, MPFR_RNDN); }
  float single() const { return mpfr_get_flt(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

// |got − exact| in units of the last place of the float next to the exact result, or of `least` where that is larger.
// A number at the end of the range and an infinity are neighbours; else infinities and NaNs must be the same.
template <class E>
double units_between(E got, const Exact& exact, double least = 0) {
  const E nearest = sizeof(E) == 4 ? static_cast<E>(exact.single()) : static_cast<E>(exact.number());
  if (got != got || nearest != nearest) return got != got && nearest != nearest ? 0 : 1e9;
  constexpr E most = std::numeric_limits<E>::max(), end = most * (1 - 4 * std::numeric_limits<E>::epsilon());
  if (std::isinf(got) || std::isinf(nearest)) {
    if (got == nearest) return 0;
    return std::abs(got) >= end && std::abs(nearest) >= end && (got > 0) == (nearest > 0) ? 1 : 1e9;
  }
  const E size = std::max(std::abs(nearest), static_cast<E>(least));
  const E unit = size == most ? size - std::nextafter(size, E(0)) : std::nextafter(size, most) - size;
  return std::abs(((Exact(static_cast<double>(got)) - exact) / Exact(static_cast<double>(unit))).number());
}

}  // namespace covec::test
