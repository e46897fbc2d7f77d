// Functions of a complex variable, on the parts. Values at infinities, NaN and zeros are those of C99, Annex G; the
// cuts are continuous from the side that the sign of zero tells. Square root and inverse functions: W. Kahan, "Branch
// cuts for complex elementary functions, or much ado about nothing's sign bit" (1987).
#include <cmath>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/elementwise/bodies/angles.hpp"
#include "stdlib/ops/elementwise/bodies/hyperbolic.hpp"
#include "stdlib/ops/elementwise/bodies/logarithms.hpp"
#include "stdlib/ops/elementwise/bodies/roots.hpp"
#include "stdlib/ops/elementwise/complex_pair.hpp"

namespace covec::ops {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

bool has_single_parts(const Derived& x) { return operand_dtype(x.value()) == Dtype::f32; }

template <class Operator>
Derived of(const Derived& x) {
  return Derived::apply<Operator>(x);
}
Derived maximum(const Derived& a, const Derived& b) { return Derived::apply<Maximum>(a, b); }
Derived minimum(const Derived& a, const Derived& b) { return Derived::apply<Minimum>(a, b); }
Derived magnitude_of(const Derived& x) { return of<Absolute>(x); }
Derived with_sign(const Derived& x, const Derived& y) { return Derived::apply<CopySign>(x, y); }
Derived is_zero(const Derived& x) { return x == Derived(0.0); }
Derived is_infinite(const Derived& x) { return of<IsInf>(x); }
Derived either(const Derived& condition, const Derived& a, const Derived& b) { return Derived::where(condition, a, b); }

Derived is_endless(const Derived& x) { return of<LogicalNot>(of<IsFinite>(x)); }  // infinite, or NaN
// |x|, whose derivative at ±0 goes by the sign.
Derived unsigned_part(const Derived& x) { return x * with_sign(Derived(1.0), x); }

// m·(cos b + i sin b) for m ≥ 0, which is e^… or so: a real argument stays real, and nothing times no angle is nothing.
// What stands in for a product has its derivative wherever that is finite.
Pair at_angle(const Derived& m, const Derived& b) {
  const Derived endless = is_endless(m), angle = either(of<IsFinite>(b), b, either(is_zero(m), Derived(0.0), b));
  const Derived re = m * of<Cos>(angle), im = m * of<Sin>(angle);
  return {either(is_infinite(m) & is_endless(b), Derived(infinite), re), either(is_zero(b) & endless, b, im)};
}

// |a² + b² − 1|, in two words where it is small: log|z| is half of log1p of it.
Derived squares_less_one(const Derived& a, const Derived& b) {
  const Derived larger = maximum(a, b), smaller = minimum(a, b);
  const auto rest_of_square = [](const Derived& x, const Derived& square) {
    return Derived::apply<FusedMultiplyAdd>(x, x, -square);
  };
  const Derived p = larger * larger, q = smaller * smaller;
  const Derived first = p - Derived(1.0), sum = first + q, taken = sum - first;
  const Derived lost = (first - (sum - taken)) + (q - taken);
  return sum + ((rest_of_square(larger, p) + rest_of_square(smaller, q)) + lost);
}

// By powers of two that keep squares and sums of squares away from the ends of the range.
Derived binary_exponent(const Pair& z) { return of<BinaryExponent>(maximum(magnitude_of(z.re), magnitude_of(z.im))); }
Derived scaled(const Derived& x, const Derived& exponent) { return Derived::apply<ScaleExponent>(x, exponent); }
Pair scaled(const Pair& z, const Derived& exponent) { return {scaled(z.re, exponent), scaled(z.im, exponent)}; }

}  // namespace

Pair choose(const Derived& condition, const Pair& z, const Pair& w) {
  const auto imaginary = [](const Pair& of) { return of.is_real ? Derived(0.0) : of.im; };
  if (z.is_real && w.is_real) return {either(condition, z.re, w.re), {}, true};
  return {either(condition, z.re, w.re), either(condition, imaginary(z), imaginary(w))};
}

Derived modulus(const Pair& z) { return z.is_real ? magnitude_of(z.re) : Derived::apply<Hypot>(z.re, z.im); }

// z·conj(w) / |w|², with both scaled.
Pair operator/(const Pair& z, const Pair& w) {
  if (w.is_real) return {z.re / w.re, z.is_real ? Derived() : z.im / w.re, z.is_real};
  const Derived below = binary_exponent(w);
  const Pair divisor = scaled(w, -below);
  const Derived square = divisor.re * divisor.re + divisor.im * divisor.im;
  if (z.is_real) {
    const Pair product = real_pair(z.re) * conjugate(divisor);
    return scaled(Pair{product.re / square, product.im / square}, -below);
  }
  const Derived above = binary_exponent(z);
  const Pair product = scaled(z, -above) * conjugate(divisor);
  return scaled(Pair{product.re / square, product.im / square}, above - below);
}

// Where e^a alone overflows, part of it is taken out.
Pair exponential(const Pair& z) {
  const double limit = has_single_parts(z.re) ? 88.0 : 709.0, part = has_single_parts(z.re) ? 64.0 : 512.0;
  const double factor = has_single_parts(z.re) ? static_cast<double>(6.2351491e27f) : 2.2844135865397565e+222;
  const Derived large = (z.re > Derived(limit)) & (z.re < Derived(infinite));
  const Pair plain = at_angle(of<Exp>(either(large, z.re - Derived(part), z.re)), z.im);
  return {either(large, plain.re * Derived(factor), plain.re), either(large, plain.im * Derived(factor), plain.im)};
}

Pair logarithm(const Pair& z) {
  const Derived a = magnitude_of(z.re), b = magnitude_of(z.im), length = modulus(z);
  const Derived near_one = (length > Derived(0.75)) & (length < Derived(1.375));
  const Derived off = squares_less_one(either(near_one, a, Derived(1.0)), either(near_one, b, Derived(0.0)));
  const Derived re = either(near_one, Derived(0.5) * of<Log1p>(off), of<Log>(either(near_one, Derived(2.0), length)));
  return {re, Derived::apply<Atan2>(z.im, z.re)};
}

Pair square_root(const Pair& z) {
  const bool single = has_single_parts(z.re);
  const Derived left = z.re < Derived(0.0), sign = with_sign(Derived(1.0), z.im);
  const Derived a = either(left, -z.re, z.re), b = z.im * sign, larger = maximum(a, b);
  const Derived small = larger < Derived(single ? 0x1p-100 : 0x1p-960);
  const Derived scale = either(small, Derived::constant(a, single ? 0x1p60 : 0x1p200), Derived(0x1p-4));
  const Derived back = either(small, Derived::constant(a, single ? 0x1p-30 : 0x1p-100), Derived(0x1p2));
  const Derived x = a * scale, y = b * scale;
  const Derived t = of<Sqrt>((x + Derived::apply<Hypot>(x, y)) * Derived(0.5)) * back;
  const Derived origin = is_zero(larger), divisor = either(origin, Derived(1.0), t);
  const Derived other = either(origin, z.im, z.im / (Derived(2.0) * divisor));
  const Derived re = either(left, other * sign, t), im = either(left, t * sign, other);
  const Derived endless = is_infinite(z.im);
  return {either(endless, Derived(infinite), re), either(endless, z.im, im)};
}

Pair integer_power(const Pair& z, int64_t n) {
  if (n == 0) {
    const auto of_its_shape = [&](double number) {
      const Derived constant = Derived::constant(z.re, number);
      return either(of<IsNan>(z.re), constant, constant);
    };
    return {of_its_shape(1.0), of_its_shape(0.0)};
  }
  const int64_t count = n < 0 ? -n : n;
  Pair square = z, product;
  bool begun = false;
  for (int64_t left = count; left > 0; left >>= 1) {
    if ((left & 1) != 0) {
      product = begun ? product * square : square;
      begun = true;
    }
    if (left > 1) square = square * square;
  }
  return n < 0 ? real_pair(Derived(1.0)) / product : product;
}

// 0 ^ 0 is 1, and 0 ^ w is 0 where w's real part is positive.
Pair power(const Pair& z, const Pair& w) {
  const Derived at_zero = z.is_real ? is_zero(z.re) : is_zero(z.re) & is_zero(z.im);
  const Pair base = choose(at_zero, real_pair(Derived(1.0)), z);
  const Pair general = exponential(w * logarithm(base));
  const Derived no_power = w.is_real ? is_zero(w.re) : is_zero(w.re) & is_zero(w.im);
  const Derived nan = Derived::constant(general.re, std::numeric_limits<double>::quiet_NaN());
  const Derived one = Derived::constant(general.re, 1.0), none = Derived::constant(general.re, 0.0);
  const Derived re = either(w.re > Derived(0.0), none, nan);
  const Derived im = re;
  return {either(no_power, one, either(at_zero, re, general.re)),
          either(no_power, none, either(at_zero, im, general.im))};
}

// --- hyperbolic functions; those of angles are these at i·z ---

namespace {

// sinh and cosh of a and the angle b: large ones by the exponential, which does not overflow too early.
Pair hyperbolic(const Pair& z, bool sine) {
  const Derived far = magnitude_of(z.re) > Derived(has_single_parts(z.re) ? 44.0 : 350.0);
  const Pair half = exponential({magnitude_of(z.re) - Derived(0.6931471805599453), z.im});
  const Derived near = either(far, Derived(0.0), z.re), no_angle = is_zero(z.re) & is_endless(z.im);
  const Derived sinh = of<Sinh>(near), cosh = of<Cosh>(near), cos = of<Cos>(z.im), sin = of<Sin>(z.im);
  const Derived sign = with_sign(Derived(1.0), z.re);
  const Derived re = sine ? either(no_angle, z.re, sinh * cos) : cosh * cos;
  const Derived im = sine ? cosh * sin : either(no_angle, z.re, sinh * sin);
  const Derived real = is_zero(z.im) & is_endless(z.re), zero = sine ? z.im : z.im * sign;
  return {either(far, sine ? sign * half.re : half.re, re),
          either(real, zero, either(far, sine ? half.im : sign * half.im, im))};
}

}  // namespace

Pair hyperbolic_sine(const Pair& z) { return hyperbolic(z, true); }
Pair hyperbolic_cosine(const Pair& z) { return hyperbolic(z, false); }

Pair hyperbolic_tangent(const Pair& z) {
  const Derived far = magnitude_of(z.re) > Derived(has_single_parts(z.re) ? 10.0 : 20.0);
  const Derived near = either(far, Derived(0.0), z.re);
  const Derived tangent = of<Tan>(z.im), slope = Derived(1.0) + tangent * tangent;
  const Derived s = of<Sinh>(near), root = of<Sqrt>(Derived(1.0) + s * s);
  const Derived below = Derived(1.0) + slope * s * s;
  const Derived angle = either(of<IsFinite>(z.im), z.im, either(is_infinite(z.re), Derived(0.0), z.im));
  const Derived tail = Derived(4.0) * of<Sin>(angle) * of<Cos>(angle) * of<Exp>(Derived(-2.0) * magnitude_of(z.re));
  return {either(far, with_sign(Derived(1.0), z.re), slope * root * s / below),
          either(is_zero(z.im) & is_endless(z.re), z.im, either(far, tail, tangent / below))};
}

// --- inverse functions ---

Pair arcsine(const Pair& z) {
  const Pair left = square_root(real_pair(Derived(1.0)) - z), right = square_root(real_pair(Derived(1.0)) + z);
  const Pair product = conjugate(left) * right;
  return {Derived::apply<Atan2>(z.re, (left * right).re), of<Asinh>(product.im)};
}

Pair arccosine(const Pair& z) {
  const Pair left = square_root(real_pair(Derived(1.0)) - z), right = square_root(real_pair(Derived(1.0)) + z);
  return {Derived(2.0) * Derived::apply<Atan2>(left.re, right.re), of<Asinh>((conjugate(right) * left).im)};
}

Pair inverse_hyperbolic_cosine(const Pair& z) {
  const Pair left = square_root(z - real_pair(Derived(1.0))), right = square_root(z + real_pair(Derived(1.0)));
  return {of<Asinh>((conjugate(left) * right).re), Derived(2.0) * Derived::apply<Atan2>(left.im, right.re)};
}

// atanh is odd, so that its logarithm is taken of what is larger than 1. Far out it is (1/z's real part, ±π/2): there
// the squares would overflow.
Pair inverse_hyperbolic_tangent(const Pair& z) {
  const Derived a = unsigned_part(z.re);
  const Derived far = maximum(a, magnitude_of(z.im)) > Derived(has_single_parts(z.re) ? 0x1p60 : 0x1p500);
  const Derived x = either(far, Derived(0.5), a), y = either(far, Derived(0.5), z.im);
  const Derived beyond = Derived(1.0) - x;
  const Derived length = Derived(0.25) * of<Log1p>(Derived(4.0) * x / (beyond * beyond + y * y));
  const Derived angle = Derived(0.5) * Derived::apply<Atan2>(Derived(2.0) * y, beyond * (Derived(1.0) + x) - y * y);
  const Derived endless = is_infinite(z.re) | is_infinite(z.im);
  const Pair inverse = real_pair(Derived(1.0)) / Pair{either(far, a, x), either(far, z.im, y)};
  const Derived re = either(far, either(endless, Derived(0.0), inverse.re), length);
  return {re * with_sign(Derived(1.0), z.re), either(far, with_sign(Derived(1.5707963267948966), z.im), angle)};
}

}  // namespace covec::ops
