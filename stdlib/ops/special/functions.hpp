// Special functions of single numbers, in f64. Inside they compute in the widest floats that the processor has (64 bits
// of mantissa on x86-64). So rounding errors of series and factors stay below the last place of the result. Large
// parameters use quadrature instead of long series. Private to the family.
#pragma once

namespace covec::ops::special {

// What the gamma functions of one shape have in common, kept from element to element: no result depends on it.
struct GammaShape {
  void set(double shape);

  double a = -1, turn = 0;   // from `turn` on Q is computed, P below
  bool whole = false;        // Q is a short sum
  long double constant = 0;  // of the factor's logarithm
};

// The incomplete gamma functions P(a, x) and Q(a, x) = 1 − P(a, x), a ≥ 0, x ≥ 0; NaN elsewhere.
double gamma_lower(GammaShape& shape, double a, double x);
double gamma_upper(GammaShape& shape, double a, double x);
// xᵃ⁻¹·e⁻ˣ/Γ(a), the derivative of P by x, differentiated n more times.
double gamma_density(GammaShape& shape, double n, double a, double x);

// x with P(a, x) = p, or Q(a, x) = q.
double gamma_lower_inverse(GammaShape& shape, double a, double p);
double gamma_upper_inverse(GammaShape& shape, double a, double q);

// The same for the beta functions of two shapes.
struct BetaShape {
  void set(double left, double right);

  double a = -1, b = -1;
  long double constant = 0;  // of the factor's logarithm
  long double log_beta = 0;  // NaN until it is needed
};

// The incomplete beta function I_x(a, b), and 1 − I_x(a, b), 0 ≤ x ≤ 1, a, b > 0; NaN elsewhere.
double beta_lower(BetaShape& shape, double a, double b, double x);
double beta_upper(BetaShape& shape, double a, double b, double x);
// xᵃ⁻¹·(1 − x)ᵇ⁻¹/B(a, b), the derivative of I_x by x, differentiated n more times.
double beta_density(BetaShape& shape, double n, double a, double b, double x);
// x with I_x(a, b) = p, or 1 − I_x(a, b) = q.
double beta_lower_inverse(BetaShape& shape, double a, double b, double p);
double beta_upper_inverse(BetaShape& shape, double a, double b, double q);

// z below which a standard normal number is with probability p; the inverses of erf and erfc.
double normal_quantile(double p);
double erf_inverse(double y);
double erfc_inverse(double y);

// Γ(x), B(a, b) = Γ(a)·Γ(b)/Γ(a + b), and what their derivatives are made of: ψ(x), ψ(a + b) − ψ(a).
double gamma(double x);
double beta(double a, double b);
double digamma(double x);
double digamma_rise(double a, double b);
// The same of the n-th derivative of ψ for a whole n ≥ 0, and that derivative.
double polygamma_rise(double n, double a, double b);
double polygamma(double n, double x);
// Γ(n + 1)/(Γ(k + 1)·Γ(n − k + 1)) for 0 ≤ k ≤ n, elsewhere 0; exact where it is a whole number up to 2⁵³.
double choose(double n, double k);

// The modified Bessel functions of the first kind, as they are and times e^−|x|.
double bessel_i0(double x);
double bessel_i1(double x);
double bessel_i0e(double x);
double bessel_i1e(double x);
// Iₙ(x)/xⁿ of a whole n ≥ 0, as it is and times e^−|x|.
double bessel_quotient(double n, double x);
double bessel_quotient_scaled(double n, double x);
// (Iₙ(|x|) − Iₙ₊₁(|x|))/|x|ⁿ·e^−|x|, which is small beside either term where x is large.
double bessel_gap(double n, double x);

// sin(πx)/(πx), and its n-th derivative for a whole n ≥ 0.
double sinc(double x);
double sinc_derivative(double n, double x);

// Hurwitz' zeta function Σ (q + k)⁻ˢ, s > 1, q > 0, or s whole; Riemann's, q = 1, for all s.
double zeta(double s, double q);

}  // namespace covec::ops::special
