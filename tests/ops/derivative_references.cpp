#include "tests/ops/derivative_references.hpp"

namespace covec::test {

namespace {

using X = const Exact&;

Exact e(X x) { return Exact::of(mpfr_exp, x); }
Exact ln(X x) { return Exact::of(mpfr_log, x); }
Exact root(X x) { return Exact::of(mpfr_sqrt, x); }
Exact sine(X x) { return Exact::of(mpfr_sin, x); }
Exact cosine(X x) { return Exact::of(mpfr_cos, x); }
Exact th(X x) { return Exact::of(mpfr_tanh, x); }
Exact sh(X x) { return Exact::of(mpfr_sinh, x); }
Exact ch(X x) { return Exact::of(mpfr_cosh, x); }
Exact power(X x, X y) { return Exact::of(mpfr_pow, x, y); }
Exact invalid() { return {std::nan("")}; }

Exact bell(X x) { return Exact(1) / (ch(x) * ch(x)); }  // 1/cosh²x
Exact logistic(X x) { return Exact(1) / (Exact(1) + e(-x)); }
Exact normal(X x) { return e(-x * x / 2) / root(Exact::pi() * 2); }
bool far(X x) { return x < Exact(-60) || Exact(60) < x; }  // where gelu is 0 or x

// ψ⁽ⁿ⁾(x) for x > 0: sixty terms, and Euler and Maclaurin's sum of the others.
Exact polygamma(X x, int n) {
  constexpr double bernoulli[][2] = {{1, 6},       {-1, 30}, {1, 42},      {-1, 30},     {5, 66},
                                     {-691, 2730}, {7, 6},   {-3617, 510}, {43867, 798}, {-174611, 330}};
  const auto to = [](X a, int k) { return power(a, Exact(k)); };
  Exact sum, a = x;
  for (int i = 0; i < 60; ++i, a = a + 1) sum = sum + Exact(1) / to(a, n + 1);
  sum = sum + Exact(1) / (to(a, n) * n) + Exact(1) / (to(a, n + 1) * 2);
  Exact rising_factorial = Exact(n + 1) / 2;
  for (int k = 1; k <= 10; ++k) {
    sum = sum + Exact(bernoulli[k - 1][0]) / bernoulli[k - 1][1] * rising_factorial / to(a, n + 2 * k);
    rising_factorial = rising_factorial * (n + 2 * k) * (n + 2 * k + 1) / (2 * k + 1) / (2 * k + 2);
  }
  for (int i = 2; i <= n; ++i) sum = sum * i;
  return n % 2 != 0 ? sum : -sum;
}

template <int n>
Exact power_first(X x) {
  return power(x, Exact(n - 1)) * n;
}
template <int n>
Exact power_second(X x) {
  return power(x, Exact(n - 2)) * (n * (n - 1));
}

std::vector<FunctionOfOne> roots_and_logarithms() {
  return {{"sqrt",
           "sqrt(x)",
           [](X x) { return Exact(0.5) / root(x); },
           [](X x) { return Exact(-0.25) / (x * root(x)); },
           {0, 2},
           0,
           INFINITY,
           0},
          {"rsqrt",
           "rsqrt(x)",
           [](X x) { return Exact(-0.5) / (x * root(x)); },
           [](X x) { return Exact(0.75) / (x * x * root(x)); },
           {0, 2},
           0,
           INFINITY,
           0},
          {"cbrt",
           "cbrt(x)",
           [](X x) {
             const Exact y = Exact::of(mpfr_cbrt, x);
             return Exact(1) / (y * y * 3);
           },
           [](X x) {
             const Exact y = Exact::of(mpfr_cbrt, x);
             return Exact(-2) / (y * y * x * 9);
           },
           {-1, 1, 0, 100}},
          {"exp", "exp(x)", e, e, {-1, 1, -745, 710, -104, 89}},
          {"exp2",
           "exp2(x)",
           [](X x) { return Exact::of(mpfr_exp2, x) * ln(Exact(2)); },
           [](X x) { return Exact::of(mpfr_exp2, x) * ln(Exact(2)) * ln(Exact(2)); },
           {-1, 1, -1020, 127, -125, 126},
           -INFINITY,
           128,
           0},
          {"exp10",
           "exp10(x)",
           [](X x) { return Exact::of(mpfr_exp10, x) * ln(Exact(10)); },
           [](X x) { return Exact::of(mpfr_exp10, x) * ln(Exact(10)) * ln(Exact(10)); },
           {-1, 1, -306, 38, -36, 37},
           -INFINITY,
           38.5,
           0},
          {"expm1", "expm1(x)", e, e, {-1, 1, -40, 20, -745, 710, -104, 89}},
          {"log",
           "log(x)",
           [](X x) { return Exact(1) / x; },
           [](X x) { return Exact(-1) / (x * x); },
           {0.5, 2, 0, 1e3},
           0,
           INFINITY,
           0},
          {"log1p",
           "log1p(x)",
           [](X x) { return Exact(1) / (x + 1); },
           [](X x) { return Exact(-1) / ((x + 1) * (x + 1)); },
           {-1, 1, 0, 1e5},
           0,
           INFINITY,
           -1},
          {"log2",
           "log2(x)",
           [](X x) { return Exact(1) / (x * ln(2)); },
           [](X x) { return Exact(-1) / (x * x * ln(2)); },
           {0.5, 2, 0, 1e3},
           0,
           INFINITY,
           0},
          {"log10",
           "log10(x)",
           [](X x) { return Exact(1) / (x * ln(10)); },
           [](X x) { return Exact(-1) / (x * x * ln(10)); },
           {0.5, 2, 0, 1e3},
           0,
           INFINITY,
           0},
          {"integer_power", "x ^ 3", power_first<3>, power_second<3>, {-1, 1, -10, 10}},
          {"integer_power", "x ^ 7", power_first<7>, power_second<7>, {-1, 1, -10, 10}},
          {"integer_power", "x ^ 16", power_first<16>, power_second<16>, {-1, 1, -10, 10}},
          {"integer_power", "x ^ -1", power_first<-1>, power_second<-1>, {-1, 1, -10, 10}},
          {"integer_power", "x ^ -15", power_first<-15>, power_second<-15>, {-1, 1, -10, 10}}};
}

std::vector<FunctionOfOne> circular_functions() {
  const std::vector<double> angles = {-1.6, 1.6, -100, 100, -8200, 8200, -4e7, 4e7, 1e10, 1e30};
  return {{"sin", "sin(x)", cosine, [](X x) { return -sine(x); }, angles},
          {"cos", "cos(x)", [](X x) { return -sine(x); }, [](X x) { return -cosine(x); }, angles},
          {"tan", "tan(x)", [](X x) { return Exact(1) / (cosine(x) * cosine(x)); },
           [](X x) { return sine(x) * 2 / (cosine(x) * cosine(x) * cosine(x)); }, angles},
          {"asin",
           "asin(x)",
           [](X x) { return Exact(1) / root(Exact(1) - x * x); },
           [](X x) { return x / ((Exact(1) - x * x) * root(Exact(1) - x * x)); },
           {-1, 1, 0.9, 1, -1e-6, 1e-6}},
          {"acos",
           "acos(x)",
           [](X x) { return Exact(-1) / root(Exact(1) - x * x); },
           [](X x) { return -x / ((Exact(1) - x * x) * root(Exact(1) - x * x)); },
           {-1, 1, 0.9, 1, -1e-6, 1e-6}},
          {"atan",
           "atan(x)",
           [](X x) { return Exact(1) / (x * x + 1); },
           [](X x) { return x.infinite() ? Exact(0) : x * -2 / ((x * x + 1) * (x * x + 1)); },
           {-1, 1, -10, 10, -1e18, 1e18, -1e155, 1e155, -1e107, 1e107}}};
}

std::vector<FunctionOfOne> hyperbolic_functions() {
  return {{"tanh",
           "tanh(x)",
           bell,
           [](X x) { return x.infinite() ? Exact(0) : th(x) * bell(x) * -2; },
           {-1, 1, -20, 20, -372, 372, -52, 52}},
          {"sigmoid",
           "sigmoid(x)",
           [](X x) { return bell(x / 2) / 4; },
           [](X x) { return x.infinite() ? Exact(0) : -th(x / 2) * bell(x / 2) / 4; },
           {-1, 1, -40, 40, -745, 745, -104, 104}},
          {"softplus",
           "softplus(x)",
           logistic,
           [](X x) { return bell(x / 2) / 4; },
           {-1, 1, -40, 40, -745, 745, -104, 104}},
          {"sinh", "sinh(x)", ch, sh, {-1, 1, 0.3, 0.4, -711, 711, -90, 90}},
          {"cosh", "cosh(x)", sh, ch, {-1, 1, 0.3, 0.4, -711, 711, -90, 90}},
          {"asinh",
           "asinh(x)",
           [](X x) { return Exact(1) / root(x * x + 1); },
           [](X x) { return x.infinite() ? Exact(0) : -x / ((x * x + 1) * root(x * x + 1)); },
           {-1, 1, -10, 10, -1e18, 1e18, -1e155, 1e155, -1e161, 1e161}},
          {"acosh",
           "acosh(x)",
           [](X x) { return x < 1 ? invalid() : Exact(1) / root(x * x - 1); },
           [](X x) {
             if (x < 1) return invalid();
             return x.infinite() ? Exact(0) : -x / ((x * x - 1) * root(x * x - 1));
           },
           {1, 1.001, 1, 10, 1, 1e18, 1, 1e155, 1, 1e161}},
          {"atanh",
           "atanh(x)",
           [](X x) { return Exact(1) < x * x ? invalid() : Exact(1) / (Exact(1) - x * x); },
           [](X x) {
             const Exact below = Exact(1) - x * x;
             return below < 0 ? invalid() : x * 2 / (below * below);
           },
           {-1, 1, 0.9, 1, -1e-6, 1e-6}}};
}

std::vector<FunctionOfOne> special_functions() {
  return {{"erf",
           "erf(x)",
           [](X x) { return e(-x * x) * 2 / root(Exact::pi()); },
           [](X x) { return x.infinite() ? Exact(0) : x * -4 * e(-x * x) / root(Exact::pi()); },
           {-1, 1, -6, 6, -27.3, 27.3}},
          {"erfc",
           "erfc(x)",
           [](X x) { return e(-x * x) * -2 / root(Exact::pi()); },
           [](X x) { return x.infinite() ? Exact(0) : x * 4 * e(-x * x) / root(Exact::pi()); },
           {-1, 1, -6, 6, -27.3, 27.3}},
          {"gelu",
           "gelu(x)",
           [](X x) {
             if (far(x)) return Exact(x < 0 ? 0 : 1);
             return Exact::of(mpfr_erfc, -x / root(2)) / 2 + x * normal(x);
           },
           [](X x) { return far(x) ? Exact(0) : normal(x) * (Exact(2) - x * x); },
           {-1, 1, -6, 10, -39, 0, -14.5, 0, -0.8, -0.7, 1.41, 1.42},
           0.0625},
          {"lgamma",
           "lgamma(x)",
           [](X x) { return Exact::of(mpfr_digamma, x); },
           [](X x) { return polygamma(x, 1); },
           {0, 1, 1.4, 1.5, 1, 2, 2, 2.02, 2, 16, 0, 100},
           0,
           1e15,
           1e-30},
          {"digamma",
           "digamma(x)",
           [](X x) { return polygamma(x, 1); },
           [](X x) { return polygamma(x, 2); },
           {0, 1, 1, 2, 2, 16, 0, 100},
           0,
           1e15,
           1e-30}};
}

}  // namespace

std::vector<FunctionOfOne> functions_of_one() {
  std::vector<FunctionOfOne> all = roots_and_logarithms();
  for (const auto& part : {circular_functions(), hyperbolic_functions(), special_functions()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<FunctionOfTwo> functions_of_two() {
  return {{"divide",
           "x / y",
           {[](X, X y) { return Exact(1) / y; }, [](X x, X y) { return -x / (y * y); }},
           {[](X, X) { return Exact(0); }, [](X, X y) { return Exact(-1) / (y * y); },
            [](X x, X y) { return x * 2 / (y * y * y); }}},
          {"pow",
           "x ^ y",
           {[](X x, X y) { return y * power(x, y - 1); }, [](X x, X y) { return power(x, y) * ln(x); }},
           {[](X x, X y) { return y * (y - 1) * power(x, y - 2); },
            [](X x, X y) { return power(x, y - 1) * (y * ln(x) + 1); },
            [](X x, X y) { return power(x, y) * ln(x) * ln(x); }},
           true},
          {"hypot",
           "hypot(x, y)",
           {[](X x, X y) { return x / root(x * x + y * y); }, [](X x, X y) { return y / root(x * x + y * y); }},
           {[](X x, X y) { return y * y / ((x * x + y * y) * root(x * x + y * y)); },
            [](X x, X y) { return -x * y / ((x * x + y * y) * root(x * x + y * y)); },
            [](X x, X y) { return x * x / ((x * x + y * y) * root(x * x + y * y)); }}},
          {"atan2",
           "atan2(x, y)",
           {[](X x, X y) { return y / (x * x + y * y); }, [](X x, X y) { return -x / (x * x + y * y); }},
           {[](X x, X y) { return x * y * -2 / ((x * x + y * y) * (x * x + y * y)); },
            [](X x, X y) { return (x * x - y * y) / ((x * x + y * y) * (x * x + y * y)); },
            [](X x, X y) { return x * y * 2 / ((x * x + y * y) * (x * x + y * y)); }}}};
}

}  // namespace covec::test
