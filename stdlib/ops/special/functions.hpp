// Special functions of single numbers, in f64. Inside they compute in the widest floats that the processor has (64 bits
// of mantissa on x86-64), so that what series and factors lose stays below the last place of the result; large
// parameters go by quadrature instead of long series. Private to the family.
#pragma once

namespace covec::ops::special {

// The incomplete gamma functions P(a, x) and Q(a, x) = 1 − P(a, x), a ≥ 0, x ≥ 0; NaN elsewhere.
double gamma_lower(double a, double x);
double gamma_upper(double a, double x);
// xᵃ⁻¹·e⁻ˣ/Γ(a), the derivative of P by x.
double gamma_density(double a, double x);

// The incomplete beta function I_x(a, b), and 1 − I_x(a, b), 0 ≤ x ≤ 1, a, b > 0; NaN elsewhere.
double beta_lower(double a, double b, double x);
double beta_upper(double a, double b, double x);
double beta_density(double a, double b, double x);

// The modified Bessel functions of the first kind, as they are and times e^−|x|.
double bessel_i0(double x);
double bessel_i1(double x);
double bessel_i0e(double x);
double bessel_i1e(double x);
// (I₀(|x|) − I₁(|x|))·e^−|x|, which is small beside either where x is large.
double bessel_gap(double x);

// Hurwitz' zeta function Σ (q + k)⁻ˢ, q > 0, s > 1; Riemann's, q = 1, for all s.
double zeta(double s, double q);

}  // namespace covec::ops::special
