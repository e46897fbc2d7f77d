// Functions of a complex variable, computed on the parts. Values at infinities, NaN and zeros are those of C99, Annex
// G. Each branch cut is continuous from the side that the sign of zero tells. Square root and inverse functions: W.
// Kahan, "Branch cuts for complex elementary functions, or much ado about nothing's sign bit" (1987).
#include <algorithm>
#include <cmath>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/elementwise/bodies/angles.hpp"
#include "stdlib/ops/elementwise/bodies/derivatives.hpp"
#include "stdlib/ops/elementwise/bodies/derivatives_of_powers.hpp"
#include "stdlib/ops/elementwise/bodies/hyperbolic.hpp"
#include "stdlib/ops/elementwise/bodies/logarithms.hpp"
#include "stdlib/ops/elementwise/bodies/roots.hpp"
#include "stdlib/ops/elementwise/complex_pair.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double ln2 = 0.6931471805599453, half_pi = 1.5707963267948966;  // ln 2 and π/2, rounded

bool has_single_parts(const Derived& x) { return operand_dtype(x.value()) == Dtype::f32; }

template <class Operator>
Derived apply(const Derived& x) {
  return Derived::apply<Operator>(x);
}
Derived maximum(const Derived& a, const Derived& b) { return Derived::apply<Maximum>(a, b); }
Derived magnitude_of(const Derived& x) { return apply<Absolute>(x); }
// |x| as a constant to all derivatives.
Derived size_of(const Derived& x) { return magnitude_of(x.sibling(constant_of(x.value()))); }
Derived with_sign(const Derived& x, const Derived& y) { return Derived::apply<CopySign>(x, y); }
Derived is_zero(const Derived& x) { return x == Derived(0.0); }
Derived is_infinite(const Derived& x) { return apply<IsInf>(x); }
Derived select(const Derived& condition, const Derived& a, const Derived& b) { return Derived::where(condition, a, b); }

// --- functions with rules ---

// The level of the innermost derivative that follows a value; 0: none does.
uint64_t innermost_level(const Value& value) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace != TraceKind::batch) return at->traced().level;
  }
  return 0;
}
Value below_level(const Value& value, uint64_t level) {
  if (!value.is_traced()) return value;
  const Traced& traced = value.traced();
  if (traced.trace != TraceKind::batch) return traced.level == level ? traced.primal : value;
  return Value::adopt(new Traced(TraceKind::batch, traced.level, below_level(traced.primal, level)));
}

// f(z), whose derivative is derivative(z, f(z)): not that of the operators by which f is computed. It is a function of
// z itself, and so has the right derivative for the derivatives around the innermost one.
template <class F, class G>
Pair with_rule(const Pair& z, const F& f, const G& derivative) {
  const uint64_t level = std::max(innermost_level(z.re.value()), innermost_level(z.im.value()));
  if (level == 0) return f(z);
  const Pair below{z.re.sibling(below_level(z.re.value(), level)), z.im.sibling(below_level(z.im.value(), level))};
  const Pair value = with_rule(below, f, derivative), by_z = derivative(below, value);
  const auto part = [&](const Derived& y, const Derived& by_re, const Derived& by_im) {
    const Derived constant = y.sibling(constant_of(y.value()));
    return Derived::apply<WithDerivative>(Derived::apply<WithDerivative>(constant, z.re, by_re), z.im, by_im);
  };
  return {part(value.re, by_z.re, -by_z.im), part(value.im, by_z.im, by_z.re)};
}

Derived is_not_finite(const Derived& x) { return apply<LogicalNot>(apply<IsFinite>(x)); }  // infinite, or NaN
// m·(cos b + i sin b) for m = e^a: a real argument stays real. Only of an infinite a the result has a size without an
// angle; a number that underflows or overflows does not.
Pair from_polar(const Derived& m, const Derived& a, const Derived& b) {
  const Derived no_angle = is_infinite(a) & is_not_finite(b), none = no_angle & (a < Derived(0.0));
  const Derived angle = select(none, Derived(0.0), b);
  const Derived re = m * apply<Cos>(angle), im = m * apply<Sin>(angle);
  return {select(no_angle & (a > Derived(0.0)), Derived(infinite), re), select(is_zero(b) & is_not_finite(m), b, im)};
}

// a² + b² − 1, accurate also where it is small: log|z| is half of log1p of it. There the sums are exact, but for the
// last one and that of the squares' rounding errors, whose own error is added. (T. J. Dekker, "A floating-point
// technique for extending the available precision", 1971.)
Derived squares_less_one(const Derived& a, const Derived& b) {
  const Derived wide = magnitude_of(a) > magnitude_of(b), larger = select(wide, a, b), smaller = select(wide, b, a);
  const auto rest_of_square = [](const Derived& x, const Derived& square) {
    return Derived::apply<FusedMultiplyAdd>(x, x, -square);
  };
  const Derived p = larger * larger, q = smaller * smaller;
  const Derived first = p - Derived(1.0), first_rest = p - (first + Derived(1.0));
  const Derived p_rest = rest_of_square(larger, p), q_rest = rest_of_square(smaller, q), rests = p_rest + q_rest;
  return (((first + q) + first_rest) + rests) + (q_rest - (rests - p_rest));
}

// a² + b² + 2a = |1 + z|² − 1, accurate also where terms cancel: the larger two sums and the squares are exact but for
// rounding errors, which are added.
Derived squares_and_double(const Derived& a, const Derived& b) {
  const auto rest_of_square = [](const Derived& x, const Derived& square) {
    return Derived::apply<FusedMultiplyAdd>(x, x, -square);
  };
  const auto rest_of_sum = [](const Derived& x, const Derived& y, const Derived& sum) {
    const Derived other = sum - x;
    return (x - (sum - other)) + (y - other);
  };
  const Derived p = a * a, q = b * b, twice = a + a;
  const Derived first = twice + q, all = first + p;
  const Derived rests = rest_of_square(a, p) + rest_of_square(b, q);
  return all + ((rest_of_sum(twice, q, first) + rest_of_sum(first, p, all)) + rests);
}

// e^x is e^(x − part)·factor, or e^(x − 2·part)·factor² above `second`: e^x may overflow where its product with a sine
// or cosine does not.
struct Split {
  explicit Split(const Derived& x)
      : limit(has_single_parts(x) ? 88.0 : 709.0),
        part(has_single_parts(x) ? 64.0 : 512.0),
        factor(has_single_parts(x) ? static_cast<double>(6.2351491e27f) : 2.2844135865397565e+222),
        second(limit + part) {}
  double limit, part, factor, second;
};

// By powers of two that keep squares and sums of squares away from the ends of the range.
Derived binary_exponent(const Pair& z) { return apply<BinaryExponent>(maximum(size_of(z.re), size_of(z.im))); }
Derived scaled(const Derived& x, const Derived& exponent) { return Derived::apply<ScaleExponent>(x, exponent); }
Pair scaled(const Pair& z, const Derived& exponent) { return {scaled(z.re, exponent), scaled(z.im, exponent)}; }

}  // namespace

Pair choose(const Derived& condition, const Pair& z, const Pair& w) {
  if (z.is_real && w.is_real) return {select(condition, z.re, w.re), {}, true};
  // Zeros of the other's own dtype: beside them literals adapt.
  const auto imaginary = [](const Pair& p, const Pair& other) {
    return p.is_real && !p.re.is_literal() && other.im.is_literal() ? Derived::constant(p.re, 0.0) : p.imaginary();
  };
  return {select(condition, z.re, w.re), select(condition, imaginary(z, w), imaginary(w, z))};
}

namespace {

bool needs_own_step(const Value& part, const Value& other) {
  return part.is_traced() && !logical_type(part).shape.empty() && !logical_type(other).shape.empty();
}

}  // namespace

Value as_own_step(Builder& builder, const Value& part, const Value& other) {
  return needs_own_step(part, other) ? ops::call(builder, entry_of<Positive>(), {part}) : part;
}

Derived imaginary_as_own_step(const Pair& z, const Derived& real) {
  return needs_own_step(z.im.value(), real.value()) ? apply<Positive>(z.im) : z.im;
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

namespace {

// Where e^a alone overflows, the factors are multiplied in last.
Pair computed_exponential(const Pair& z) {
  const Split split(z.re);
  const Derived large = z.re > Derived(split.limit), huge = z.re > Derived(split.second);
  const auto chosen = [&](double twice, double once, double none) {
    return select(huge, Derived(twice), select(large, Derived(once), Derived::constant(z.re, none)));
  };
  const Pair plain = from_polar(apply<Exp>(z.re - chosen(2 * split.part, split.part, 0.0)), z.re, z.im);
  const Derived first = chosen(split.factor, split.factor, 1.0), last = chosen(split.factor, 1.0, 1.0);
  return {plain.re * first * last, plain.im * first * last};
}

// The logarithm of a length to a base b: Logarithm is that of a real number, by_natural 1/ln b, and two log_b 2.
template <class Logarithm>
struct Base {
  double by_natural, two;
  Derived of_natural(const Derived& x) const { return by_natural == 1 ? x : x * Derived(by_natural); }
};
constexpr Base<Log> natural{1, ln2};
constexpr Base<Log2> binary{0x1.71547652b82fep+0, 1};
constexpr Base<Log10> decimal{0x1.bcb7b1526e50ep-2, 0x1.34413509f79ffp-2};

// The logarithm of |z|. Very small and very large z are scaled first: a subnormal length has few digits, a large one
// overflows. Near 1 it is that of a square, |z|² − 1 = off(near 1), with what rounding took from the square.
template <class Logarithm, class Off>
Derived logarithm_of_modulus(const Pair& z, const Base<Logarithm>& base, const Off& off_one) {
  const bool single = has_single_parts(z.re);
  const Derived larger = maximum(magnitude_of(z.re), magnitude_of(z.im));
  const Derived small = larger < Derived(single ? 0x1p-100 : 0x1p-960);
  const Derived large = larger > Derived(single ? 0x1p120 : 0x1p1000);
  const auto by_size = [&](double if_small, double if_large, double usual) {
    return select(small, Derived(if_small), select(large, Derived(if_large), Derived::constant(larger, usual)));
  };
  const Derived scale = by_size(single ? 0x1p60 : 0x1p200, 0x1p-8, 1.0);
  const Derived back = by_size((single ? -60 : -200) * base.two, 8 * base.two, 0.0);
  const Derived length = modulus({z.re * scale, z.im * scale});
  const Derived near_one = (length > Derived(0.75)) & (length < Derived(1.375));
  const Derived off = off_one(near_one), square = Derived(1.0) + off;
  const Derived lost = base.of_natural((off - (square - Derived(1.0))) / square);
  const Derived logarithm = apply<Logarithm>(select(near_one, square, length));
  return select(near_one, Derived(0.5) * (logarithm + lost), logarithm + back);
}

template <class Logarithm>
Pair computed_logarithm(const Pair& z, const Base<Logarithm>& base) {
  const auto off_one = [&](const Derived& near_one) {
    return squares_less_one(select(near_one, z.re, Derived(1.0)), select(near_one, z.im, Derived(0.0)));
  };
  return {logarithm_of_modulus(z, base, off_one), base.of_natural(Derived::apply<Atan2>(z.im, z.re))};
}

// log(1 + z). |1 + z|² − 1 is made of z itself, without what the sum 1 + z loses.
Pair computed_logarithm_one_plus(const Pair& z) {
  const Pair moved{Derived(1.0) + z.re, z.im};
  const auto off_one = [&](const Derived& near_one) {
    return squares_and_double(select(near_one, z.re, Derived(0.0)), select(near_one, z.im, Derived(0.0)));
  };
  const Derived length = logarithm_of_modulus(moved, natural, off_one);
  return {select(is_zero(z.re) & is_zero(z.im), z.re, length), Derived::apply<Atan2>(moved.im, moved.re)};
}

// e^a·cos b − 1 is (e^a − 1)·cos b − 2·sin²(b/2), of which each is exact near 0. Where e^a is very small or large, 1 is
// simply taken from the exponential's real part, which has its own values at infinities.
Pair computed_exponential_less_one(const Pair& z) {
  const Pair power = computed_exponential(z);
  const Derived far = magnitude_of(z.re) > Derived(has_single_parts(z.re) ? 20.0 : 40.0);
  const Derived sine = apply<Sin>(Derived(0.5) * z.im), near = select(far, Derived(0.0), z.re);
  const Derived re = apply<Expm1>(near) * apply<Cos>(z.im) - Derived(2.0) * sine * sine;
  return {select(far, power.re - Derived(1.0), re), power.im};
}

Pair computed_square_root(const Pair& z) {
  const bool single = has_single_parts(z.re);
  const Derived left = z.re < Derived(0.0), sign = with_sign(Derived(1.0), z.im);
  const Derived a = select(left, -z.re, z.re), b = z.im * sign, larger = maximum(a, b);
  const Derived small = larger < Derived(single ? 0x1p-100 : 0x1p-960);
  const Derived scale = select(small, Derived::constant(a, single ? 0x1p60 : 0x1p200), Derived(0x1p-4));
  const Derived back = select(small, Derived::constant(a, single ? 0x1p-30 : 0x1p-100), Derived(0x1p2));
  const Derived x = a * scale, y = b * scale;
  const Derived t = apply<Sqrt>((x + Derived::apply<Hypot>(x, y)) * Derived(0.5)) * back;
  const Derived origin = is_zero(larger), divisor = select(origin, Derived(1.0), t);
  const Derived other = select(origin, z.im, z.im / (Derived(2.0) * divisor));
  const Derived re = select(left, other * sign, t), im = select(left, t * sign, other);
  const Derived not_finite = is_infinite(z.im);
  return {select(not_finite, Derived(infinite), re), select(not_finite, z.im, im)};
}

// 1/w: inf at 0, as of a real number, and 0 at infinity.
Pair reciprocal(const Pair& w) {
  const Derived zero = is_zero(w.re) & is_zero(w.im), endless = is_infinite(w.re) | is_infinite(w.im);
  const auto real = [&](double number) { return real_pair(Derived::constant(w.re, number)); };
  const Pair inverse = real(1.0) / choose(zero | endless, real(1.0), w);
  return choose(zero, real(infinite), choose(endless, real(0.0), inverse));
}
Pair square(const Pair& z) { return z * z; }

}  // namespace

Pair exponential(const Pair& z) {
  return with_rule(z, computed_exponential, [](const Pair&, const Pair& result) { return result; });
}
Pair exponential_less_one(const Pair& z) {
  return with_rule(z, computed_exponential_less_one, [](const Pair& below, const Pair&) { return exponential(below); });
}

namespace {

template <class Logarithm>
Pair logarithm_to(const Pair& z, const Base<Logarithm>& base) {
  return with_rule(
      z, [&](const Pair& w) { return computed_logarithm(w, base); },
      [&](const Pair& below, const Pair&) {
        const Pair inverse = reciprocal(below);
        return Pair{base.of_natural(inverse.re), base.of_natural(inverse.im)};
      });
}

}  // namespace

Pair logarithm(const Pair& z) { return logarithm_to(z, natural); }
Pair binary_logarithm(const Pair& z) { return logarithm_to(z, binary); }
Pair decimal_logarithm(const Pair& z) { return logarithm_to(z, decimal); }
Pair logarithm_one_plus(const Pair& z) {
  return with_rule(z, computed_logarithm_one_plus,
                   [](const Pair& below, const Pair&) { return reciprocal(real_pair(Derived(1.0)) + below); });
}
Pair square_root(const Pair& z) {
  return with_rule(z, computed_square_root,
                   [](const Pair&, const Pair& root) { return real_pair(Derived(0.5)) * reciprocal(root); });
}

Pair integer_power(const Pair& z, int64_t n) {
  if (n == 0) {
    const auto of_its_shape = [&](double number) {
      const Derived constant = Derived::constant(z.re, number);
      return select(apply<IsNan>(z.re), constant, constant);
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

// e^(w·log z), but for z = 0, where there is no logarithm, and for z ^ 0 where it is not finite. Both have a base of
// their own, not a result: that one's derivatives would be those of a constant.
Pair power(const Pair& z, const Pair& w) {
  const Derived at_zero = z.is_real ? is_zero(z.re) : is_zero(z.re) & is_zero(z.im);
  const Derived no_power = w.is_real ? is_zero(w.re) : is_zero(w.re) & is_zero(w.im);
  const Derived far = z.is_real ? is_not_finite(z.re) : is_not_finite(z.re) | is_not_finite(z.im);
  const Pair base = choose(at_zero | (no_power & far), real_pair(Derived(1.0)), z);
  const Pair general = exponential(w * logarithm(base));
  // A w that is not real counts as one beside its real part, to the left: z ^ w goes round the origin.
  const Derived exponent = w.is_real ? w.re : select(is_zero(w.im), w.re, apply<Ceil>(w.re) - Derived(0.5));
  const auto at_origin = [&](int64_t turns) {
    return Derived::apply<PowerAtZero>(z.re, z.imaginary(), exponent, Derived::literal(packed(0, turns)));
  };
  const Derived im = general.im + select(no_power, Derived(0.0), Derived::constant(general.im, -0.0));  // z ^ 0: +0
  return {select(at_zero, at_origin(0), general.re), select(at_zero, at_origin(3), im)};
}

// --- hyperbolic functions; those of angles are these at i·z ---

namespace {

// sinh or cosh of z. For a large real part both are half of the exponential; see Split.
Pair hyperbolic(const Pair& z, bool sine) {
  const Split split(z.re);
  const Derived size = magnitude_of(z.re), far = size > Derived(has_single_parts(z.re) ? 80.0 : 600.0);
  const Derived near = select(far, Derived(0.0), z.re), huge = size > Derived(split.second);
  const Derived part = select(huge, Derived(2 * split.part), Derived::constant(size, split.part));
  const Derived m = apply<Exp>(select(far, size - part, Derived(0.0)));
  const Derived last = select(huge, Derived(split.factor), Derived::constant(size, 1.0));
  const Derived cos = apply<Cos>(z.im), sin = apply<Sin>(z.im), sinh = apply<Sinh>(near), cosh = apply<Cosh>(near);
  const auto half = [&](const Derived& x) { return m * x * Derived(0.5 * split.factor) * last; };
  const Derived half_re = select(is_infinite(z.re) & is_not_finite(z.im), Derived(infinite), half(cos));
  const Derived sign = with_sign(Derived(1.0), z.re), indefinite = is_zero(z.re) & is_not_finite(z.im);
  const Derived re = sine ? select(indefinite, z.re, sinh * cos) : cosh * cos;
  const Derived im = sine ? cosh * sin : select(indefinite, z.re, sinh * sin);
  const Derived real = is_zero(z.im) & (apply<IsNan>(z.re) | is_infinite(m)), zero = sine ? z.im : z.im * sign;
  return {select(far, sine ? sign * half_re : half_re, re),
          select(real, zero, select(far, sine ? half(sin) : sign * half(sin), im))};
}

}  // namespace

Pair hyperbolic_sine(const Pair& z) {
  return with_rule(
      z, [](const Pair& w) { return hyperbolic(w, true); },
      [](const Pair& below, const Pair&) { return hyperbolic_cosine(below); });
}
Pair hyperbolic_cosine(const Pair& z) {
  return with_rule(
      z, [](const Pair& w) { return hyperbolic(w, false); },
      [](const Pair& below, const Pair&) { return hyperbolic_sine(below); });
}

namespace {

// Numbers of which tanh and its derivative are made; `far` is where cosh²z is e^2|a|/4 to working precision, z = a +
// ib.
struct TangentParts {
  explicit TangentParts(const Pair& z)
      : far(magnitude_of(z.re) > Derived(has_single_parts(z.re) ? 10.0 : 20.0)),
        sin(apply<Sin>(z.im)),
        cos(apply<Cos>(z.im)),
        sinh(apply<Sinh>(select(far, Derived(0.0), z.re))),
        cosh(apply<Sqrt>(Derived(1.0) + sinh * sinh)),
        square(sinh * sinh + cos * cos),  // |cosh z|²
        tail(apply<Exp>(Derived(-2.0) * magnitude_of(z.re))) {}
  Derived far, sin, cos, sinh, cosh, square, tail;
};

// (sinh a·cosh a + i·sin b·cos b)/(sinh²a + cos²b), of which nothing cancels.
Pair computed_hyperbolic_tangent(const Pair& z) {
  const TangentParts p(z);
  const Derived tail = Derived(4.0) * p.sin * p.cos * p.tail;
  const Derived no_angle = is_infinite(z.re) & is_not_finite(z.im);
  const Derived im = select(no_angle, Derived(0.0), select(p.far, tail, p.sin * p.cos / p.square));
  const Derived whole = p.far & (is_infinite(z.re) | apply<IsFinite>(z.im));
  const Derived re = select(is_zero(z.re), z.re, p.cosh * p.sinh / p.square);
  return {select(whole, with_sign(Derived(1.0), z.re), re), select(is_zero(z.im) & is_not_finite(z.re), z.im, im)};
}

// 1/cosh²z, the square of cosh a·cos b − i·sinh a·sin b over |cosh z|².
Pair computed_secant_squared(const Pair& z) {
  const TangentParts p(z);
  const Derived u = p.cosh * p.cos / p.square, v = -(p.sinh * p.sin / p.square), tail = Derived(4.0) * p.tail;
  const Derived side = with_sign(Derived(-2.0), -z.re), endless = is_infinite(z.re);
  const Derived re = select(p.far, tail * (p.cos * p.cos - p.sin * p.sin), u * u - v * v);
  const Derived im = select(p.far, side * tail * p.sin * p.cos, Derived(2.0) * u * v);
  return {select(endless, Derived(0.0), re), select(endless, Derived(0.0), im)};
}

// Its derivative is −2·tanh z times itself.
Pair secant_squared(const Pair& z) {
  return with_rule(z, computed_secant_squared, [](const Pair& below, const Pair& result) {
    return real_pair(Derived(-2.0)) * hyperbolic_tangent(below) * result;
  });
}

}  // namespace

// Far out nothing is left of 1 − tanh²z.
Pair hyperbolic_tangent(const Pair& z) {
  return with_rule(z, computed_hyperbolic_tangent,
                   [](const Pair& below, const Pair&) { return secant_squared(below); });
}

// --- inverse functions ---

namespace {

// For |z| above a limit, 1 ± z is ±z to working precision, and the inverse functions are log(2·z) but for a rotation.
// The products of roots would overflow there, and infinities have values of their own. `within` is z below the limit
// and a safe substitute above it, `out` the converse.
struct Sides {
  explicit Sides(const Pair& z) : Sides(z, has_single_parts(z.re) ? 0x1p60 : 0x1p500) {}
  Sides(const Pair& z, double limit)
      : far((size_of(z.re) > Derived(limit)) | (size_of(z.im) > Derived(limit))),
        within{select(far, Derived(0.5), z.re), select(far, Derived(0.5), z.im)},
        out{select(far, z.re, Derived(1.0)), select(far, z.im, Derived(1.0))} {}
  // asinh(near); above the limit log|2·z|, as asinh(|z|/8) + log 8, for |z| itself may overflow.
  Derived asinh_or_logarithm(const Derived& near) const {
    const Derived eighth = modulus({out.re * Derived(0.125), out.im * Derived(0.125)});
    const Derived result = apply<Asinh>(select(far, eighth, near));
    return select(far, result + Derived(3 * ln2), result);
  }
  // The angle of the point `near`, multiplied by `times`; above the limit the angle of `at_far`.
  Derived angle(double times, const Pair& near, const Pair& at_far) const {
    const Pair point = choose(far, at_far, near);
    const Derived angle = Derived::apply<Atan2>(point.im, point.re);
    return times == 1.0 ? angle : angle * select(far, Derived(1.0), Derived::constant(angle, times));
  }

  Derived far;
  Pair within, out;
};

Pair square_root_above(const Pair& z) { return square_root(real_pair(Derived(1.0)) + z); }
Pair square_root_below(const Pair& z) { return square_root(real_pair(Derived(1.0)) - z); }
// For ±0 + NaN·i one part of the result is known.
Derived is_zero_with_nan(const Pair& z) { return is_zero(z.re) & apply<IsNan>(z.im); }

Pair computed_arcsine(const Pair& z) {
  const Sides sides(z);
  const Pair left = square_root_below(sides.within), right = square_root_above(sides.within);
  const Derived re = sides.angle(1.0, {(left * right).re, z.re}, {magnitude_of(z.im), z.re});
  const Derived im = sides.asinh_or_logarithm((conjugate(left) * right).im);
  return {select(is_zero_with_nan(z), z.re, re), select(sides.far, with_sign(im, z.im), im)};
}

Pair computed_arccosine(const Pair& z) {
  const Sides sides(z);
  const Pair left = square_root_below(sides.within), right = square_root_above(sides.within);
  const Derived re = sides.angle(2.0, {right.re, left.re}, {z.re, magnitude_of(z.im)});
  const Derived im = sides.asinh_or_logarithm((conjugate(right) * left).im);
  return {select(is_zero_with_nan(z), Derived(half_pi), re), select(sides.far, -with_sign(im, z.im), im)};
}

Pair computed_inverse_hyperbolic_cosine(const Pair& z) {
  const Sides sides(z);
  const Pair left = square_root(sides.within - real_pair(Derived(1.0))), right = square_root_above(sides.within);
  return {sides.asinh_or_logarithm((conjugate(left) * right).re), sides.angle(2.0, {right.re, left.im}, z)};
}

// atanh is odd, so that its logarithm is taken of what is larger than 1. At 1 + i·y with small y the real part is that
// of log(2/|y|)/2, for y² underflows. Above the limit of Sides the result is (1/z's real part, ±π/2): squares would
// overflow.
Pair computed_inverse_hyperbolic_tangent(const Pair& z) {
  const bool single = has_single_parts(z.re);
  const Derived a = magnitude_of(z.re);
  const Sides sides({a, z.im});
  const Derived x = sides.within.re, y = sides.within.im, beyond = Derived(1.0) - x;
  const Derived size = magnitude_of(y), limit = Derived(single ? 0x1p-60 : 0x1p-200);
  const Derived pole = is_zero(beyond) & (size > Derived(0.0)) & (size < limit);
  const Derived close = select(pole, magnitude_of(y), Derived(1.0)), off = select(pole, Derived(1.0), y);
  const Derived at_pole = Derived(0.5) * (Derived(ln2) - apply<Log>(close));
  const Derived usual = Derived(0.25) * apply<Log1p>(Derived(4.0) * x / (beyond * beyond + off * off));
  const Derived length = select(pole, at_pole, usual);
  const Derived angle = Derived(0.5) * Derived::apply<Atan2>(Derived(2.0) * y, beyond * (Derived(1.0) + x) - y * y);
  const Derived not_finite = is_infinite(z.re) | is_infinite(z.im);
  const Pair inverse = real_pair(Derived(1.0)) / sides.out;
  const Derived re = select(sides.far, select(not_finite, Derived(0.0), inverse.re), length);
  const Derived far_angle = select(apply<IsNan>(z.im), z.im, with_sign(Derived(half_pi), z.im));
  return {select(is_zero_with_nan(z), z.re, re * with_sign(Derived(1.0), z.re)), select(sides.far, far_angle, angle)};
}

// --- their derivatives, which are right near 0 and near ±1 ---

// (1 − z)·(1 + z), whose derivative is −2z.
Pair one_less_square(const Pair& z) {
  const Pair one = real_pair(Derived(1.0));
  return with_rule(
      z, [&](const Pair& w) { return (one - w) * (one + w); },
      [](const Pair& below, const Pair&) { return real_pair(Derived(-2.0)) * below; });
}
// For derivatives: 1 − z² is −z² to working precision beyond a limit whose powers are in the range.
Sides sides_of_derivative(const Pair& z) { return Sides(z, has_single_parts(z.re) ? 0x1p14 : 0x1p30); }

// √(1 − z²), multiplied by `quarter_turn` if asked for: by i above the real axis, by −i below. Far out it is ∓i·z.
Pair root_of_one_less_square(const Pair& z, bool quarter_turn) {
  const Sides sides = sides_of_derivative(z);
  const Derived side = with_sign(Derived(1.0), z.im);
  const auto rotated = [&](const Pair& w) { return Pair{-side * w.im, side * w.re}; };
  const Pair near = square_root(one_less_square(sides.within)), far = sides.out;
  return quarter_turn ? choose(sides.far, far, rotated(near)) : choose(sides.far, -rotated(far), near);
}

}  // namespace

Pair arcsine(const Pair& z) {
  return with_rule(z, computed_arcsine,
                   [](const Pair& below, const Pair&) { return reciprocal(root_of_one_less_square(below, false)); });
}
Pair arccosine(const Pair& z) {
  return with_rule(z, computed_arccosine,
                   [](const Pair& below, const Pair&) { return -reciprocal(root_of_one_less_square(below, false)); });
}
Pair inverse_hyperbolic_cosine(const Pair& z) {
  return with_rule(z, computed_inverse_hyperbolic_cosine,
                   [](const Pair& below, const Pair&) { return reciprocal(root_of_one_less_square(below, true)); });
}
Pair inverse_hyperbolic_tangent(const Pair& z) {
  return with_rule(z, computed_inverse_hyperbolic_tangent, [](const Pair& below, const Pair&) {
    const Sides sides = sides_of_derivative(below);
    return choose(sides.far, -square(reciprocal(sides.out)), reciprocal(one_less_square(sides.within)));
  });
}

}  // namespace covec::ops
