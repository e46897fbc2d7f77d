// The logarithm of the gamma function and its derivatives. f32 computes in f64. Polynomials: polynomials.py.
#pragma once

#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/gamma_reflected.hpp"
#include "stdlib/ops/elementwise/bodies/trigonometric.hpp"

namespace covec::ops {

// f(x) of f64; for f32 by way of it.
template <class T, class F>
[[gnu::always_inline]] inline T in_double(T x, F f) {
  if constexpr (is_single<T>)
    return convert<float>(f(convert<double>(x)));
  else
    return f(x);
}

// (ln Γ(2 + y)/y − ψ(2))/y for |y| ≤ ½.
template <class T>
[[gnu::always_inline]] inline T gamma_middle(T y) {
  return polynomial(y, 0x1.4a34cc4a60fa8p-2, -0x1.13e001a557591p-4, 0x1.51322ac7d727bp-6, -0x1.e404fc21cad99p-8,
                    0x1.7add6eafecbecp-9, -0x1.38ac5c02d0adep-10, 0x1.0b36ae90699d5p-11, -0x1.d3fd67f837b11p-13,
                    0x1.a12822fefc0c5p-14, -0x1.78d94a26c9c50p-15, 0x1.57fe7369c58e7p-16, -0x1.3d4736421d00dp-17,
                    0x1.26d2f0a5f6692p-18, -0x1.0932463a2846fp-19, 0x1.e36807159cea2p-21, -0x1.372f6dd6f31c9p-21,
                    0x1.3f481090da448p-22);
}

// ln Γ(x) for normal x > 0. From 8 on it is Stirling's series. Below, with n the integer nearest to x and y = x − n, it
// is ln Γ(2 + y) and the logarithm of a product, by Γ(x + 1) = x·Γ(x). That logarithm is lead + rest, and lead is exact
// near 1, where it cancels.
template <class T>
[[gnu::always_inline]] inline T gamma_logarithm_positive(T x) {
  constexpr double half_log_two_pi = 0x1.d67f1c864beb5p-1;  // ln(2π)/2, rounded
  const auto large = x >= T(8);
  const T n = round_even(x), y = x - n;
  const auto down = n < T(2);  // the product divides
  T product = select(n < T(1), x * (x + T(1)), select(down, x, T(1)));
  for (int i = 3; i <= 8; ++i) {
    // factors y + 2, …, x − 1
    product = select(n >= T(i), product * (y + T(i - 1)), product);
  }
  const LogarithmParts<T> parts = logarithm_parts(select(large, x, product));
  const T f = parts.m - T(1);
  // ln 2 as a sum; few bits in the high part, so that k·high is exact.
  constexpr double ln2_high = 0x1.62e42fefap-1, ln2_low = 0x1.cf79abc9e3b39803fp-40;
  const T whole = parts.k * T(ln2_high), lead = whole + f;
  const T rest = ((whole - lead) + f) + logarithm_rest(f, parts.k * T(ln2_low));
  constexpr double slope = 0x1.b0ee6072093cep-2, slope_low = 0x1.6cb90701fbfabp-58;  // ψ(2)
  const T signed_lead = select(down, -lead, lead);
  const T first = fma(y, T(slope), signed_lead);
  const T lost = fma(y, T(slope), signed_lead - first) + fma(y, T(slope_low), select(down, -rest, rest));
  const T small = first + fma(y * y, gamma_middle(y), lost);
  const T inverse = T(1) / x, w = inverse * inverse;
  const T series = stirling_series(w);
  const T before = x - T(0.5);
  const T stirling = fma(before, lead - T(1), fma(before, rest, fma(inverse, series, T(half_log_two_pi - 0.5))));
  return select(large, stirling, small);
}

struct Digamma;

struct Lgamma {
  static constexpr PointwiseInfo info{
      .name = "lgamma",
      .doc =
          "ln |Γ(x)|, elementwise; inf of 0 and the negative integers.\n"
          "For x > 0 within two units in the last place, between the roots 1 and 2 of that of ¼; for x < 0 within two, "
          "too, but for an error of 1e-17 next to roots.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::floating,
      .gradient = Gradient::partial,
      .keeps = keep(0),
      .action = "take the logarithm of gamma of {}",
      .ulp = 2,
      .first_ulp = 2,
      .second_ulp = 3};
  template <class T>
  static T body(T x) {
    return in_double(x, [](auto a) { return in_f64(a); });
  }
  template <class T>
  static T in_f64(T x) {
    return rare(~((x >= T(0x1p-1000)) & (x < T(infinity<T>))), gamma_logarithm_positive(x), [=] {
      const T size = magnitude(x);
      const T tiny = -logarithm(size);
      const T negative = select((x < T(0)) & (x == round_even(x)), T(infinity<T>), gamma_logarithm_reflected(x));
      const T usual = select(size < T(0x1p-60), tiny, negative);
      return select(x == x, select(size < T(infinity<T>), usual, T(infinity<T>)), x);
    });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<Digamma>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, 1.75, 3.5, 20.0]", "[1.2880225246980774, -0.08440112102048555, 1.2009736023470743, 39.339884187199495]",
       "mpfr", 2, true},
      {"[0.5, 1.5, 2.5, 7.5]", "[0.5723649429247001, -0.12078223763524522, 0.2846828704729192, 7.534364236758733]",
       "mpfr", 2},
      {"[-0.5, -2.5]", "[1.2655121234846454, -0.056243716497674054]", "mpfr", 2},
      {"[1.0, 2.0, 0.0, -0.0, -3.0, inf, -inf, nan]", "[0.0, 0.0, inf, inf, inf, inf, inf, nan]"},
      {"[5]", "[3.1780538303479458]", "mpfr", 1}};
};

// ((ψ(x₀ + d)/d − ψ'(x₀))/d − curvature)/d about the positive root x₀ of ψ, for x₀ + d in [1, 2].
inline constexpr double digamma_curvature = -0x1.c563b54aa1a36p-2;
template <class T>
[[gnu::always_inline]] inline T digamma_middle(T d) {
  return polynomial(d, 0x1.08b4294d50380p-2, -0x1.4fc1317257ca8p-3, 0x1.b9a5b6370f5dap-4, -0x1.27baba262b51cp-4,
                    0x1.8fce02b22fa0ap-5, -0x1.0fa7ec30974c5p-5, 0x1.723d680678798p-6, -0x1.f9705359feadap-7,
                    0x1.5955cbfadb695p-7, -0x1.d827a32f6952ap-8, 0x1.42e16105bdca1p-8, -0x1.b9b8c0963b927p-9,
                    0x1.2e2c43852b102p-9, -0x1.9cddd042818a0p-10, 0x1.1a28bfc66ef8ep-10, -0x1.87cf37d5486b9p-11,
                    0x1.101254411d392p-11, -0x1.4fae87b8cc0b6p-12, 0x1.8c76253b497c9p-13, -0x1.94dc8a28d777dp-13,
                    0x1.9a664b67ea14bp-13, -0x1.5cc2863d0e485p-14);
}

// ψ(x) for x > 0, but tiny or infinite. From 4 on the asymptotic series, below ψ(z) for z in [1, 2) and the recurrence
// ψ(x + 1) = ψ(x) + 1/x as one quotient, with what that loses.
template <class T>
[[gnu::always_inline]] inline T digamma_positive(T x) {
  // The zero of ψ, and ψ' there, each as the sum of two f64.
  constexpr double root = 0x1.762d86356be3fp+0, root_low = 0x1.b86a722197829p-54;
  constexpr double slope = 0x1.ef72bc8ee38acp-1, slope_low = -0x1.3879eb97bf58dp-55;
  const auto large = x >= T(4), below = x < T(1), above = x >= T(2), far = x >= T(3);
  const T z = x + select(below, T(1), select(far, T(-2), select(above, T(-1), T(0))));
  const T twice = z + z, square = fma(z, z, z);
  const T n = select(below, T(-1), select(far, twice + T(1), select(above, T(1), T(0))));
  const T n_low = select(far, twice - (n - T(1)), T(0));
  const T d = select(below | large, x, select(far, square, z));
  const T d_low = select(far & ~large, fma(z, z, z - square), T(0));
  const T inverse = T(1) / d, quotient = n * inverse;
  const T lost = (fma(-quotient, d, n) + fma(-quotient, d_low, n_low)) * inverse;
  const T u = z - T(root);
  // The three largest terms keep what they lose: just above 2 their sum is less than half of the first.
  const T v = u * u, v_low = fma(u, u, -v);
  const T curvature = v * T(digamma_curvature),
          curvature_low = fma(v, T(digamma_curvature), -curvature) + v_low * T(digamma_curvature);
  const T line = fma(u, T(slope), quotient), line_low = fma(u, T(slope), quotient - line);
  const T sum = line + curvature, back = sum - line;
  const T sum_low = (line - (sum - back)) + (curvature - back);
  const T rest = fma(u, T(slope_low), T(-root_low * slope)) + (line_low + lost) + (curvature_low + sum_low);
  const T small = sum + fma(v * u, digamma_middle(u), rest);
  const T w = inverse * inverse;
  const T series = digamma_series(w);
  const LogarithmParts<T> parts = logarithm_parts(x);
  const T f = parts.m - T(1);
  // ln 2 as a sum; few bits in the high part, so that k·high is exact.
  constexpr double ln2_high = 0x1.62e42fefap-1, ln2_low = 0x1.cf79abc9e3b39803fp-40;
  const T tail = logarithm_rest(f, parts.k * T(ln2_low)) - fma(w, series, T(0.5) * inverse);
  return select(large, fma(parts.k, T(ln2_high), f + tail), small);
}

struct Polygamma;

struct Digamma {
  static constexpr PointwiseInfo info{
      .name = "digamma",
      .doc =
          "ψ(x) = Γ'(x)/Γ(x), elementwise; ∓inf of ±0, NaN of the negative integers.\n"
          "Within 2 units in the last place, for x < 0 but for an error of 1e-18 next to roots.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::floating,
      .gradient = Gradient::partial,
      .keeps = keep(0),
      .action = "take digamma of {}",
      .ulp = 2,
      .first_ulp = 3,
      .second_ulp = 4};
  template <class T>
  static T body(T x) {
    return in_double(x, [](auto a) { return in_f64(a); });
  }
  template <class T>
  static T in_f64(T x) {
    return rare(~((x >= T(0x1p-1000)) & (x < T(infinity<T>))), digamma_positive(x), [=] {
      const T size = magnitude(x);
      const T negative = select(x == round_even(x), T(__builtin_nan("")), digamma_reflected(x));
      const T usual = select(size < T(0x1p-60), T(-1) / x, negative);
      return select((x > T(0)) & (size == T(infinity<T>)), x, usual);
    });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<Polygamma>(x[0], E::literal(1));
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, 1.75, 3.5, 20.0]", "[-4.2274535333762655, 0.24747245354686118, 1.103156640645243, 2.970523992242149]",
       "mpfr", 2, true},
      {"[-0.5, -2.5]", "[0.03648997397857652, 1.103156640645243]", "mpfr", 2},
      {"[-98.8097915649414, -57.79123306274414]", "[-0.017959760543999333, -0.017211961398500827]", "mpfr", 2},
      {"[1.0, 0.0, -0.0, -3.0, inf, -inf, nan]", "[-0.5772156649015329, -inf, inf, nan, inf, nan, nan]", "scipy"},
      {"[5]", "[1.5061176684318003]", "mpfr", 1}};
};

// ψ⁽ⁿ⁾(x), n ≥ 1: what derivatives of digamma are made of. (−1)ⁿ⁺¹·n!·Σ 1/(x + i)ⁿ⁺¹: the first terms one by one, the
// others, from a point a ≥ 16 on, by Euler and Maclaurin's sum.
struct Polygamma {
  static constexpr PointwiseInfo info{.name = "polygamma",
                                      .doc =
                                          "The n-th derivative of digamma at x, n ≥ 1, to about 1e-14 of its size.\n"
                                          "For x < 0 near roots only the error's size is small; n up to 100.",
                                      .parameters = {"x", "n"},
                                      .arity = 2,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "take polygamma of {}",
                                      .internal = true,
                                      .parameter = true};
  static constexpr int64_t most = 100;  // derivatives to the left of 0
  template <class T>
  static T power(T x, int64_t n) {
    T result = x;
    for (int64_t i = 1; i < n; ++i) result = result * x;
    return result;
  }
  template <class T>
  static T positive(T x, int64_t n) {
    constexpr int shifts = 16;  // terms added before the asymptotic series of six
    // B₂ₖ/(2k)!
    constexpr double bernoulli[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                    -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31};
    double factorial = 1;
    for (int64_t i = 2; i <= n; ++i) factorial = factorial * static_cast<double>(i);
    T sum = T(0);
    for (int i = shifts - 1; i >= 0; --i) sum = sum + T(1) / power(x + T(i), n + 1);
    const T inverse = T(1) / (x + T(shifts)), w = inverse * inverse;
    // Σ from a = x + shifts: 1/(n·aⁿ) + 1/(2·aⁿ⁺¹) + Σ B₂ₖ/(2k)!·(n + 1)⋯(n + 2k − 1)/aⁿ⁺²ᵏ
    T series = T(0);
    for (int k = 6; k >= 1; --k) {
      double rising_factorial = 1;
      for (int64_t i = 1; i < 2 * k; ++i) rising_factorial = rising_factorial * static_cast<double>(n + i);
      series = fma(series, w, T(bernoulli[k - 1] * rising_factorial));
    }
    const T tail = fma(fma(series, inverse, T(0.5)), inverse, T(1 / static_cast<double>(n)));
    return T(n % 2 != 0 ? factorial : -factorial) * fma(power(inverse, n), tail, sum);
  }
  // The n-th derivative of cot at t, where c is cot t: a polynomial in c, as that of c is −(1 + c²). All its
  // coefficients have one sign, so that nothing cancels.
  template <class T>
  static T cotangent(T c, int64_t n) {
    double p[most + 2] = {0, 1};
    for (int64_t step = 0; step < n; ++step) {
      double next[most + 3] = {};
      for (int64_t k = 1; k <= step + 1; ++k) {
        const double slope = -static_cast<double>(k) * p[k];
        next[k - 1] += slope;
        next[k + 1] += slope;
      }
      for (int64_t k = 0; k <= step + 2; ++k) p[k] = next[k];
    }
    T sum = T(p[n + 1]);
    for (int64_t k = n; k >= 0; --k) sum = fma(sum, c, T(p[k]));
    return sum;
  }
  // ψ(x) = ψ(1 − x) − π·cot(πx) for negative x, n times differentiated.
  template <class T>
  static T in_f64(T x, int64_t n) {
    return rare(~(x > T(0)), positive(x, n), [=] {
      if (n < 1 || n > most) return T(__builtin_nan(""));
      constexpr double pi = 0x1.921fb54442d18p+1;  // π, rounded
      const bool odd = n % 2 != 0;
      double scale = -pi;
      for (int64_t i = 0; i < n; ++i) scale = scale * pi;
      const T t = (x - round_even(x)) * T(pi);
      const T part = T(scale) * cotangent(circular(t, 1) / circular(t, 0), n);
      const T other = positive(T(1) - x, n);
      const T pole = select(x == T(0), (odd ? T(1) : T(-1)) / x, T(odd ? infinity<T> : __builtin_nan("")));
      const T at_pole = select(magnitude(x) < T(infinity<T>), odd ? magnitude(pole) : pole, T(__builtin_nan("")));
      return select(x == round_even(x), at_pole, part + (odd ? -other : other));
    });
  }
  template <class T>
  static T body(T x, int64_t n) {
    return in_double(x, [n](auto a) { return in_f64(a, n); });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<Polygamma>(x[0], E::literal(x[1].integer() + 1));
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, 1.75, 3.5, 20.0], 1",
       "[17.197329154507109, 0.7641018698938287, 0.3303577561002349, 0.05127082293520312]", "mpmath", 100, true},
      {"[0.25, 3.5], 2", "[-129.32773993753693, -0.1082040516417274]", "mpmath", 100, true},
      {"[-3.25, -0.5, -10.75], 2", "[123.95521103942202, -0.8287966442343196, -124.03299241970519]", "mpmath", 100,
       true},
      {"[-0.5, -3.25], 3", "[193.40909103400242, 1558.5088028182783]", "mpmath", 100, true},
      {"[-2.0, -inf, -1e-200], 3", "[inf, nan, inf]"},
      {"[inf, nan], 1", "[0.0, nan]"}};
};

using GammaFunctions = List<Lgamma, Digamma, Polygamma>;

}  // namespace covec::ops
