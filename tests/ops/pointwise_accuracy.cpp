// How far the elementary functions are from the exact result, in units in the last place, measured against MPFR on
// samples of the whole range and of the difficult parts. With `--exhaustive name` every f32 is tried.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <functional>

#include "stdlib/ops/elementwise/bodies/angles.hpp"
#include "stdlib/ops/elementwise/bodies/error_function.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/gamma.hpp"
#include "stdlib/ops/elementwise/bodies/hyperbolic.hpp"
#include "stdlib/ops/elementwise/bodies/logarithms.hpp"
#include "stdlib/ops/elementwise/bodies/power.hpp"
#include "stdlib/ops/elementwise/bodies/roots.hpp"
#include "tests/ops/pointwise_support.hpp"

namespace covec::ops {
namespace {

using Reference = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

int sigmoid_reference(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
  mpfr_neg(r, x, round);
  mpfr_exp(r, r, round);
  mpfr_add_ui(r, r, 1, round);
  return mpfr_ui_div(r, 1, r, round);
}

int softplus_reference(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
  if (mpfr_cmp_d(x, 1e4) > 0) return mpfr_set(r, x, round);
  mpfr_exp(r, x, round);
  return mpfr_log1p(r, r, round);
}
int gelu_reference(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
  if (mpfr_inf_p(x) && mpfr_sgn(x) < 0) return mpfr_set_d(r, -0.0, round);
  mpfr_t tail;
  mpfr_init2(tail, mpfr_get_prec(r) + 40);  // its square counts
  mpfr_set_d(tail, -0.5, round);
  mpfr_mul(tail, tail, x, round);
  mpfr_mul(tail, tail, x, round);
  mpfr_neg(tail, tail, round);
  mpfr_sqrt(tail, tail, round);
  if (mpfr_sgn(x) > 0) mpfr_neg(tail, tail, round);
  mpfr_erfc(tail, tail, round);
  mpfr_mul(tail, tail, x, round);
  const int result = mpfr_div_ui(r, tail, 2, round);
  mpfr_clear(tail);
  return result;
}
int lgamma_reference(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
  int sign;
  return mpfr_lgamma(r, &sign, x, round);
}

struct Function {
  const char* name;
  const Entry& entry;
  Reference reference;
  std::vector<double> intervals;  // pairs: samples are drawn from these as well as from all floats
  bool positive = false;          // samples are taken without their sign
  double least = 0;               // smaller results are measured in units of this one's last place
};

std::vector<Function> functions() {
  return {{"exp", entry_of<Exp>(), mpfr_exp, {-1, 1, -745, 710, -104, 89}},
          {"exp2", entry_of<Exp2>(), mpfr_exp2, {-1, 1, -1075, 1024, -150, 128}},
          {"exp10", entry_of<Exp10>(), mpfr_exp10, {-1, 1, -324, 309, -46, 39}},
          {"log", entry_of<Log>(), mpfr_log, {0.5, 2, 0.99, 1.01, 0, 1e3}},
          {"sin",
           entry_of<Sin>(),
           mpfr_sin,
           {-1, 1, -100, 100, -8200, 8200, -4e7, 4e7, 33554400, 33554500, 2e10, 4e10, 1e10, 1e30}},
          {"cos",
           entry_of<Cos>(),
           mpfr_cos,
           {-1, 1, -100, 100, -8200, 8200, -4e7, 4e7, 33554400, 33554500, 2e10, 4e10, 1e10, 1e30}},
          {"tanh", entry_of<Tanh>(), mpfr_tanh, {-1, 1, -20, 20, 0.5, 0.6}},
          {"sigmoid", entry_of<Sigmoid>(), sigmoid_reference, {-1, 1, -40, 40, -745, 40}},
          {"sqrt", entry_of<Sqrt>(), mpfr_sqrt, {0, 2}},
          {"rsqrt", entry_of<Rsqrt>(), mpfr_rec_sqrt, {0, 2}},
          {"cbrt", entry_of<Cbrt>(), mpfr_cbrt, {-1, 1, 0, 100}},
          {"expm1", entry_of<Expm1>(), mpfr_expm1, {-1, 1, 0.3, 0.4, -20, 20, -745, 710, -104, 89}},
          {"log1p", entry_of<Log1p>(), mpfr_log1p, {-1, 1, -0.3, -0.2, 0.4, 0.5, 0, 1e5}},
          {"log2", entry_of<Log2>(), mpfr_log2, {0.5, 2, 0.99, 1.01, 0, 1e3}},
          {"log10", entry_of<Log10>(), mpfr_log10, {0.5, 2, 0.99, 1.01, 0, 1e3}},
          {"softplus", entry_of<Softplus>(), softplus_reference, {-1, 1, -40, 40, -745, 0}},
          {"tan",
           entry_of<Tan>(),
           mpfr_tan,
           {-1.6, 1.6, 0.7, 0.8, -100, 100, -8200, 8200, -4e7, 4e7, 33554400, 33554500, 2e10, 4e10, 1e10, 1e30}},
          {"asin", entry_of<Asin>(), mpfr_asin, {-1, 1, 0.5, 0.6, 0.9, 1}},
          {"acos", entry_of<Acos>(), mpfr_acos, {-1, 1, -0.6, -0.5, 0.4, 0.5, 0.9, 1}},
          {"atan", entry_of<Atan>(), mpfr_atan, {-1, 1, 1, 1.5, -10, 10}},
          {"sinh", entry_of<Sinh>(), mpfr_sinh, {-1, 1, 0.3, 0.4, -20, 20, -711, 711, -90, 90}},
          {"cosh", entry_of<Cosh>(), mpfr_cosh, {-1, 1, 0.3, 0.4, -20, 20, -711, 711, -90, 90}},
          {"asinh", entry_of<Asinh>(), mpfr_asinh, {-1, 1, -3, 3, 0, 1e10}},
          {"acosh", entry_of<Acosh>(), mpfr_acosh, {1, 1.1, 1, 3, 1, 1e10}},
          {"atanh", entry_of<Atanh>(), mpfr_atanh, {-1, 1, 0.2, 0.3, 0.5, 0.6, 0.99, 1}},
          {"erf", entry_of<Erf>(), mpfr_erf, {-1, 1, 1, 2, -6, 6}},
          {"erfc", entry_of<Erfc>(), mpfr_erfc, {-1, 1, 0, 0.1, -6, 10, 0, 27.3}},
          {"gelu", entry_of<Gelu>(), gelu_reference, {-1, 1, -1e-3, 1e-3, -6, 10, -39, 0, -14.5, 0}},
          {"lgamma",
           entry_of<Lgamma>(),
           lgamma_reference,
           {0, 1, 1, 2, 2, 3, 3, 9, 0.49, 0.51, 1.49, 1.51, 2.49, 2.51, 7.9, 8.1, 0, 100},
           true,
           0.25},
          {"digamma",
           entry_of<Digamma>(),
           mpfr_digamma,
           {0, 1, 0.99, 1.01, 1.4, 1.5, 1, 2, 2, 2.02, 2, 4, 2.98, 3.02, 3.98, 4.02, 0, 100},
           true}};
}

// |got − exact| in units of the last place of the exact result's float neighbourhood, or of `least`'s.
template <class E>
double ulps(E got, const mpfr_t exact, double least = 0) {
  const double rounded = mpfr_get_d(exact, MPFR_RNDN);
  const E nearest = sizeof(E) == 4 ? static_cast<E>(mpfr_get_flt(exact, MPFR_RNDN)) : static_cast<E>(rounded);
  if (got != got || nearest != nearest) return got != got && nearest != nearest ? 0 : 1e9;
  if (std::isinf(got) || std::isinf(nearest)) {
    if (got == nearest) return 0;
    return std::abs(got) >= std::numeric_limits<E>::max() && std::abs(nearest) >= std::numeric_limits<E>::max() ? 1
                                                                                                                : 1e9;
  }
  const E size = std::max(std::abs(nearest), static_cast<E>(least));
  const E above = std::nextafter(size, std::numeric_limits<E>::infinity());
  const E unit = std::isinf(above) ? size - std::nextafter(size, E(0)) : above - size;
  mpfr_t difference;
  mpfr_init2(difference, 200);
  mpfr_d_sub(difference, static_cast<double>(got), exact, MPFR_RNDN);
  mpfr_div_d(difference, difference, static_cast<double>(unit), MPFR_RNDN);
  const double result = std::abs(mpfr_get_d(difference, MPFR_RNDN));
  mpfr_clear(difference);
  return result;
}

template <class E>
E from_bits_of(uint64_t bits) {
  E x;
  const auto narrow = static_cast<BitsOf<E>>(bits);
  std::memcpy(&x, &narrow, sizeof(E));
  return x;
}

template <class E>
std::vector<E> samples(const Function& f, int count) {
  std::vector<E> xs;
  Mixer mixer;
  for (int i = 0; i < count; ++i) xs.push_back(from_bits_of<E>(mixer.next() >> (sizeof(E) == 4 ? 32 : 0)));
  for (size_t k = 0; k + 1 < f.intervals.size(); k += 2) {
    for (int i = 0; i < count; ++i) {
      xs.push_back(static_cast<E>(f.intervals[k] + (f.intervals[k + 1] - f.intervals[k]) * mixer.unit()));
    }
  }
  for (int n = -40; n <= 40; ++n) xs.push_back(static_cast<E>(n) / 4);
  // Near multiples of π/2, where sin or cos nearly vanish, and the ends of the range.
  for (int n = 1; n < 2000; ++n) {
    const E at = static_cast<E>(n * 1.5707963267948966);
    xs.insert(xs.end(), {at, std::nextafter(at, E(0)), std::nextafter(at, E(1e30)), -at});
  }
  const E tiny = std::numeric_limits<E>::denorm_min(), most = std::numeric_limits<E>::max(),
          normal = std::numeric_limits<E>::min();
  xs.insert(xs.end(), {E(0), -E(0), tiny, -tiny, normal, -normal, most, -most, E(INFINITY), -E(INFINITY), E(NAN), E(1),
                       E(-1), normal / 2});
  // A large angle half way between multiples of π/2; the double nearest to a multiple of π/2 of all.
  xs.insert(xs.end(), {static_cast<E>(29845973301.825233), static_cast<E>(1.9239355333561635e22)});
  xs.push_back(static_cast<E>(6381956970095103.0 * 0x1p797));
  if (f.positive) {
    for (E& x : xs) x = std::abs(x);
  }
  return xs;
}

template <class E>
double worst(const Function& f, std::span<const E> xs, Isa isa, E& at) {
  const Dtype dtype = sizeof(E) == 4 ? Dtype::f32 : Dtype::f64;
  std::vector<E> ys(xs.size());
  const void* in[] = {xs.data()};
  f.entry.pointwise->rows[static_cast<int>(isa)]->by_compute[static_cast<int>(compute_of(dtype))](
      ys.data(), in, static_cast<int64_t>(xs.size()), 0, 0);
  double most = 0;
  mpfr_t exact;
  mpfr_init2(exact, sizeof(E) == 4 ? 80 : 140);
  for (size_t i = 0; i < xs.size(); ++i) {
    mpfr_set_d(exact, static_cast<double>(xs[i]), MPFR_RNDN);
    f.reference(exact, exact, MPFR_RNDN);
    const double error = ulps(ys[i], exact, f.least);
    if (error > most) most = error, at = xs[i];
  }
  mpfr_clear(exact);
  return most;
}

template <class E>
void check_samples(int count) {
  for (const Function& f : functions()) {
    const std::vector<E> xs = samples<E>(f, count);
    E at = 0;
    const double error = worst<E>(f, xs, runnable().back(), at);
    std::printf("%-8s %s: %.3f ulp, at %.17g, of %zu\n", f.name, sizeof(E) == 4 ? "f32" : "f64", error,
                static_cast<double>(at), xs.size());
    EXPECT_LE(error, f.entry.pointwise->info.ulp) << f.name << " at " << at;
  }
}

TEST(PointwiseAccuracy, F32) { check_samples<float>(4000); }
TEST(PointwiseAccuracy, F64) { check_samples<double>(4000); }

using PairReference = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

// Of two arguments: those where the power is neither 0 nor infinite, and all sizes and ratios.
template <class E>
void powers(Mixer& mixer, int i, E& x, E& y) {
  const E range = sizeof(E) == 4 ? E(126) : E(1020);
  x = i % 3 == 0   ? static_cast<E>(std::exp2((mixer.unit() - 0.5) * 2 * static_cast<double>(range)))
      : i % 3 == 1 ? static_cast<E>(1 + (mixer.unit() - 0.5) * std::exp2(-20 * mixer.unit()))
                   : static_cast<E>(10 * mixer.unit());
  const double limit = static_cast<double>(range) / std::abs(std::log2(static_cast<double>(x)) + 1e-300);
  y = static_cast<E>((mixer.unit() - 0.5) * 2.1 * std::min(limit, 1e17));
}
template <class E>
void points(Mixer& mixer, int i, E& x, E& y) {
  if (i % 3 == 0) {
    x = from_bits_of<E>(mixer.next() >> (sizeof(E) == 4 ? 32 : 0));
    y = from_bits_of<E>(mixer.next() >> (sizeof(E) == 4 ? 32 : 0));
  } else {
    x = static_cast<E>(mixer.unit() - 0.5);
    y = static_cast<E>((mixer.unit() - 0.5) * (i % 3 == 1 ? 1 : std::exp2(40 * mixer.unit() - 20)));
  }
}

template <class E>
double worst_pair(const Entry& entry, PairReference reference, void (*draw)(Mixer&, int, E&, E&), int count,
                  std::pair<E, E>& at) {
  Mixer mixer;
  std::vector<E> xs(static_cast<size_t>(count)), ys(xs.size()), zs(xs.size());
  for (int i = 0; i < count; ++i) draw(mixer, i, xs[static_cast<size_t>(i)], ys[static_cast<size_t>(i)]);
  const void* in[] = {xs.data(), ys.data()};
  const int dtype = static_cast<int>(sizeof(E) == 4 ? Dtype::f32 : Dtype::f64);
  entry.pointwise->rows[static_cast<int>(runnable().back())]
      ->by_compute[static_cast<int>(compute_of(static_cast<Dtype>(dtype)))](zs.data(), in, count, 0, 0);
  double most = 0;
  mpfr_t exact, y;
  mpfr_inits2(200, exact, y, nullptr);
  for (size_t i = 0; i < xs.size(); ++i) {
    mpfr_set_d(exact, static_cast<double>(xs[i]), MPFR_RNDN);
    mpfr_set_d(y, static_cast<double>(ys[i]), MPFR_RNDN);
    reference(exact, exact, y, MPFR_RNDN);
    const double error = ulps(zs[i], exact);
    if (error > most) most = error, at = {xs[i], ys[i]};
  }
  mpfr_clears(exact, y, nullptr);
  return most;
}

template <class E>
void check_pairs(const Entry& entry, PairReference reference, void (*draw)(Mixer&, int, E&, E&)) {
  std::pair<E, E> at;
  const double error = worst_pair<E>(entry, reference, draw, 30000, at);
  std::printf("%-8s %s: %.3f ulp, at %.17g, %.17g\n", entry.pointwise->info.name, sizeof(E) == 4 ? "f32" : "f64", error,
              static_cast<double>(at.first), static_cast<double>(at.second));
  EXPECT_LE(error, entry.pointwise->info.ulp) << entry.name;
}

TEST(PointwiseAccuracy, OfTwoArguments) {
  check_pairs<float>(entry_of<Power>(), mpfr_pow, powers<float>);
  check_pairs<double>(entry_of<Power>(), mpfr_pow, powers<double>);
  check_pairs<float>(entry_of<Atan2>(), mpfr_atan2, points<float>);
  check_pairs<double>(entry_of<Atan2>(), mpfr_atan2, points<double>);
  check_pairs<float>(entry_of<Hypot>(), mpfr_hypot, points<float>);
  check_pairs<double>(entry_of<Hypot>(), mpfr_hypot, points<double>);
}

double sigmoid_in_double(double x) { return 1 / (1 + std::exp(-x)); }
double rsqrt_in_double(double x) { return 1 / std::sqrt(x); }
double softplus_in_double(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double gelu_in_double(double x) { return x == -INFINITY ? -0.0 : 0.5 * x * std::erfc(x * -0.70710678118654752); }

using InDouble = double (*)(double);
InDouble in_double(const char* name) {
  static constexpr std::pair<const char*, InDouble> table[] = {{"exp", std::exp},      {"log", std::log},
                                                               {"sin", std::sin},      {"cos", std::cos},
                                                               {"tanh", std::tanh},    {"sigmoid", sigmoid_in_double},
                                                               {"sqrt", std::sqrt},    {"rsqrt", rsqrt_in_double},
                                                               {"cbrt", std::cbrt},    {"expm1", std::expm1},
                                                               {"log1p", std::log1p},  {"log2", std::log2},
                                                               {"log10", std::log10},  {"softplus", softplus_in_double},
                                                               {"tan", std::tan},      {"asin", std::asin},
                                                               {"acos", std::acos},    {"atan", std::atan},
                                                               {"sinh", std::sinh},    {"cosh", std::cosh},
                                                               {"asinh", std::asinh},  {"acosh", std::acosh},
                                                               {"atanh", std::atanh},  {"erf", std::erf},
                                                               {"erfc", std::erfc},    {"gelu", gelu_in_double},
                                                               {"lgamma", std::lgamma}};
  for (const auto& [key, function] : table) {
    if (std::strcmp(key, name) == 0) return function;
  }
  return nullptr;
}

// The error of one f32 against the C library in f64, which is exact enough for it.
double quick_error(float got, double exact) {
  const float nearest = static_cast<float>(exact);
  if (std::isnan(exact) || std::isinf(nearest) || std::isinf(got) || std::isnan(got))
    return got == nearest || (got != got && exact != exact) ? 0 : 1e9;
  int exponent;
  std::frexp(nearest, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(static_cast<double>(got) - exact) / unit;
}

// What the C library lacks: our own in f64, which is measured against MPFR.
double in_our_double(const Function& f, double x) {
  double y;
  const void* in[] = {&x};
  f.entry.pointwise->rows[static_cast<int>(runnable().back())]->by_compute[static_cast<int>(compute_of(Dtype::f64))](
      &y, in, 1, 0, 0);
  return y;
}

// Every f32, or every `stride`th; for development: `pointwise_tests --exhaustive [stride] [name]` (a minute or two
// each).
int exhaustive(uint64_t stride, const char* name) {
  for (const Function& f : functions()) {
    if (name != nullptr && std::strcmp(name, f.name) != 0) continue;
    const InDouble reference = in_double(f.name);
    const uint64_t end = f.positive ? uint64_t{1} << 31 : uint64_t{1} << 32;
    double most = 0;
    float max_at = 0;
    std::vector<float> xs(1 << 16), ys(xs.size());
    const void* in[] = {xs.data()};
    const auto kernel = f.entry.pointwise->rows[static_cast<int>(runnable().back())]
                            ->by_compute[static_cast<int>(compute_of(Dtype::f32))];
    for (uint64_t start = 0; start < end; start += xs.size() * stride) {
      for (size_t i = 0; i < xs.size(); ++i) xs[i] = from_bits_of<float>(start + i * stride);
      kernel(ys.data(), in, static_cast<int64_t>(xs.size()), 0, 0);
      for (size_t i = 0; i < xs.size(); ++i) {
        const auto x = static_cast<double>(xs[i]);
        const double error = quick_error(ys[i], reference != nullptr ? reference(x) : in_our_double(f, x));
        if (error > most) most = error, max_at = xs[i];
      }
    }
    std::printf("%-8s every %llu. f32: %.4f ulp, at %.9g\n", f.name, static_cast<unsigned long long>(stride), most,
                static_cast<double>(max_at));
    std::fflush(stdout);
  }
  return 0;
}

// f64 on so many samples of each interval; for development: `pointwise_tests --dense count [name]`.
int dense(int count, const char* name) {
  for (const Function& f : functions()) {
    if (name != nullptr && std::strcmp(name, f.name) != 0) continue;
    const std::vector<double> xs = samples<double>(f, count);
    double at = 0;
    const double error = worst<double>(f, xs, runnable().back(), at);
    std::printf("%-8s f64: %.4f ulp, at %.17g, of %zu\n", f.name, error, at, xs.size());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int run_dense(int count, const char* name) { return dense(count, name); }
int run_exhaustive(uint64_t stride, const char* name) { return exhaustive(stride, name); }

}  // namespace covec::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (covec::ops::all_entries().empty()) return 1;  // links the registry, whose handles the operators use
  if (argc > 1 && std::strcmp(argv[1], "--exhaustive") == 0) {
    return covec::ops::run_exhaustive(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1, argc > 3 ? argv[3] : nullptr);
  }
  if (argc > 2 && std::strcmp(argv[1], "--dense") == 0)
    return covec::ops::run_dense(std::atoi(argv[2]), argc > 3 ? argv[3] : nullptr);
  return RUN_ALL_TESTS();
}
