// How far the first and second partials of pointwise operators are from the exact ones, in units in the last place,
// measured against MPFR in the language: forward, reverse, reverse over reverse and forward over reverse. The bounds
// stand in the operators' entries; an operator without bounds or without a reference fails. With COVEC_SAMPLES=n each
// interval has n samples, and the table of docs/accuracy.md is what is printed.
#include <cstdlib>
#include <set>

#include "stdlib/ops/elementwise/operator.hpp"
#include "tests/ops/derivative_references.hpp"
#include "tests/ops/entries_support.hpp"
#include "tests/ops/pointwise_support.hpp"

namespace covec::test {

namespace {

using ops::Mixer;
using ops::PointwiseInfo;

// Their partials are 0, 1, −1, an operand or twice one, or a whole number: no reference is needed.
const std::set<std::string_view> exact_partials = {"relu", "abs", "abs2",     "hypot_squared", "minimum", "maximum",
                                                   "clip", "mod", "copysign", "multiply",      "fma"};

const PointwiseInfo& info_of(std::string_view name) {
  for (const ops::Entry* entry : ops::all_entries()) {
    if (entry->name == name && entry->pointwise != nullptr) return entry->pointwise->info;
  }
  throw std::runtime_error("no pointwise operator " + std::string(name));
}

int samples() {
  const char* text = std::getenv("COVEC_SAMPLES");
  return text != nullptr ? std::atoi(text) : 300;
}

template <class E>
constexpr Dtype dtype_of_elements = sizeof(E) == 4 ? Dtype::f32 : Dtype::f64;

template <class E>
E any_float(Mixer& mixer) {
  const uint64_t bits = mixer.next() >> (sizeof(E) == 4 ? 32 : 0);
  E x;
  std::memcpy(&x, &bits, sizeof(E));
  return x;
}

template <class E>
std::vector<E> points_of(const FunctionOfOne& f) {
  constexpr E tiny = std::numeric_limits<E>::denorm_min(), normal = std::numeric_limits<E>::min(),
              most = std::numeric_limits<E>::max(), infinity = std::numeric_limits<E>::infinity();
  std::vector<E> xs = {tiny, -tiny, normal, -normal, most, -most, infinity, -infinity, E(NAN), E(1), E(-1)};
  Mixer mixer;
  for (int i = 0; i < 2 * samples(); ++i) xs.push_back(any_float<E>(mixer));
  for (size_t k = 0; k + 1 < f.intervals.size(); k += 2) {
    const double low = f.intervals[k], width = f.intervals[k + 1] - low;
    for (int i = 0; i < samples(); ++i) xs.push_back(static_cast<E>(low + width * mixer.unit()));
  }
  std::erase_if(xs, [&](E x) {
    const auto at = static_cast<double>(x);
    return at >= f.below || at <= f.above || (f.above > -INFINITY && x != x);
  });
  return xs;
}

template <class E>
Value tensor_of(Language& language, const std::vector<E>& numbers) {
  const auto size = static_cast<int64_t>(numbers.size());
  const Value value = make_tensor(language.builder().pool(), dtype_of_elements<E>, {Dim(size)});
  std::copy(numbers.begin(), numbers.end(), value.tensor().as<E>());
  return value;
}

template <class E>
std::vector<E> numbers_of(Language& language, const std::string& text) {
  const Value value = language.evaluate(text);
  const E* data = value.tensor().as<E>();
  return {data, data + value.tensor().size()};
}

// The worst of a table's row, and where.
template <class E>
struct Worst {
  double units = 0;
  E x = 0, y = 0;
  void see(double found, E at, E second = 0) {
    if (!(found <= units)) units = found, x = at, y = second;
  }
};

template <class E>
void report(std::string_view text, const char* order, const Worst<E>& worst, double bound) {
  std::printf("%-14s %s %-6s %.3f of %g, at %.9g, %.9g\n", std::string(text).c_str(), sizeof(E) == 4 ? "f32" : "f64",
              order, worst.units, bound, static_cast<double>(worst.x), static_cast<double>(worst.y));
  EXPECT_LE(worst.units, bound) << text << ", " << order << " partial, at " << worst.x << ", " << worst.y;
}

template <class E>
Worst<E> worst_of(Language& language, const std::vector<E>& xs, Exact (*reference)(const Exact&), double least,
                  std::initializer_list<std::string> ways) {
  std::vector<std::vector<E>> got;
  for (const std::string& way : ways) got.push_back(numbers_of<E>(language, way));
  Worst<E> worst;
  for (size_t i = 0; i < xs.size(); ++i) {
    const Exact exact = reference(Exact(static_cast<double>(xs[i])));
    for (const std::vector<E>& numbers : got) worst.see(units_between(numbers[i], exact, least), xs[i]);
  }
  return worst;
}

template <class E>
void check_one(const FunctionOfOne& f) {
  Language language;
  const std::vector<E> xs = points_of<E>(f);
  language.session().set_global("xs", tensor_of(language, xs));
  language.evaluate("fn f(x) = " + std::string(f.text));
  language.evaluate("fn slope(x) = grad(t -> sum(f(t)))(x)");
  const PointwiseInfo& info = info_of(f.entry);
  const auto first = worst_of(language, xs, f.first, f.least, {"slope(xs)", "jvp(f, xs, xs * 0 + 1)[1]"});
  report(f.text, "first", first, info.first_ulp);
  const auto second =
      worst_of(language, xs, f.second, 0, {"grad(t -> sum(slope(t)))(xs)", "jvp(slope, xs, xs * 0 + 1)[1]"});
  report(f.text, "second", second, info.second_ulp);
}

// --- of two numbers ---

template <class E>
void draw_power(Mixer& mixer, int i, E& x, E& y) {
  const double range = sizeof(E) == 4 ? 126 : 1020;
  x = i % 3 == 0   ? static_cast<E>(std::exp2((mixer.unit() - 0.5) * 2 * range))
      : i % 3 == 1 ? static_cast<E>(1 + (mixer.unit() - 0.5) * std::exp2(-20 * mixer.unit()))
                   : static_cast<E>(10 * mixer.unit());
  const double limit = range / std::abs(std::log2(static_cast<double>(x)) + 1e-300);
  y = static_cast<E>((mixer.unit() - 0.5) * 2.1 * std::min(limit, 1e17) *
                     (i % 7 == 0 ? std::exp2(-60 * mixer.unit()) : 1));
}
template <class E>
void draw_point(Mixer& mixer, int i, E& x, E& y) {
  const double size = i % 4 == 0 ? std::exp2((mixer.unit() - 0.5) * (sizeof(E) == 4 ? 290 : 2100)) : 1;
  const double ratio = i % 4 < 2 ? 4 : std::exp2(40 * mixer.unit() - 20);
  x = static_cast<E>((mixer.unit() - 0.5) * size);
  y = static_cast<E>((mixer.unit() - 0.5) * size * ratio);
  if (i % 4 == 3) x = any_float<E>(mixer), y = any_float<E>(mixer);
}

template <class E>
struct Pairs {
  std::vector<E> xs, ys;
};
// Of a quotient both are normal numbers.
template <class E>
Pairs<E> pairs_of(const FunctionOfTwo& f) {
  Pairs<E> pairs;
  Mixer mixer;
  for (int i = 0; i < 10 * samples(); ++i) {
    E x, y;
    f.powers ? draw_power(mixer, i, x, y) : draw_point(mixer, i, x, y);
    if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0) continue;
    if (std::string_view(f.entry) == "divide" && (!std::isnormal(x) || !std::isnormal(y))) continue;
    pairs.xs.push_back(x);
    pairs.ys.push_back(y);
  }
  return pairs;
}

template <class E>
void check_pairs(Language& language, const FunctionOfTwo& f, const Pairs<E>& pairs, const char* order,
                 Exact (*reference)(const Exact&, const Exact&), const std::string& way, double bound) {
  const std::vector<E> got = numbers_of<E>(language, way);
  Worst<E> worst;
  for (size_t i = 0; i < got.size(); ++i) {
    const Exact exact = reference(static_cast<double>(pairs.xs[i]), static_cast<double>(pairs.ys[i]));
    worst.see(units_between(got[i], exact), pairs.xs[i], pairs.ys[i]);
  }
  report(f.text, order, worst, bound);
}

template <class E>
void check_two(const FunctionOfTwo& f) {
  Language language;
  const Pairs<E> pairs = pairs_of<E>(f);
  language.session().set_global("xs", tensor_of(language, pairs.xs));
  language.session().set_global("ys", tensor_of(language, pairs.ys));
  language.evaluate("fn f(x, y) = " + std::string(f.text));
  language.evaluate("fn by_x(x, y) = grad(t -> sum(f(t, y)))(x)");
  language.evaluate("fn by_y(x, y) = grad(t -> sum(f(x, t)))(y)");
  const PointwiseInfo& info = info_of(f.entry);
  const auto check = [&](const char* order, auto reference, const std::string& way, double bound) {
    check_pairs(language, f, pairs, order, reference, way, bound);
  };
  check("x", f.first[0], "by_x(xs, ys)", info.first_ulp);
  check("y", f.first[1], "by_y(xs, ys)", info.first_ulp);
  check("xx", f.second[0], "jvp(t -> by_x(t, ys), xs, xs * 0 + 1)[1]", info.second_ulp);
  check("xy", f.second[1], "grad(t -> sum(by_x(xs, t)))(ys)", info.second_ulp);
  check("yx", f.second[1], "grad(t -> sum(by_y(t, ys)))(xs)", info.second_ulp);
  check("yy", f.second[2], "grad(t -> sum(by_y(xs, t)))(ys)", info.second_ulp);
}

}  // namespace

TEST(DerivativeAccuracy, OfOneNumberF32) {
  for (const FunctionOfOne& f : functions_of_one()) check_one<float>(f);
}
TEST(DerivativeAccuracy, OfOneNumberF64) {
  for (const FunctionOfOne& f : functions_of_one()) check_one<double>(f);
}
TEST(DerivativeAccuracy, OfTwoNumbersF32) {
  for (const FunctionOfTwo& f : functions_of_two()) check_two<float>(f);
}
TEST(DerivativeAccuracy, OfTwoNumbersF64) {
  for (const FunctionOfTwo& f : functions_of_two()) check_two<double>(f);
}

// Whoever adds an operator with partials says how exact they are, and measures it here.
TEST(DerivativeAccuracy, EveryOperatorHasBoundsAndAReference) {
  std::set<std::string_view> measured = exact_partials;
  for (const FunctionOfOne& f : functions_of_one()) measured.insert(f.entry);
  for (const FunctionOfTwo& f : functions_of_two()) measured.insert(f.entry);
  for (const ops::Entry* entry : ops::all_entries()) {
    if (entry->pointwise == nullptr || entry->pointwise->info.gradient != ops::Gradient::partial) continue;
    const PointwiseInfo& info = entry->pointwise->info;
    if (entry->internal && info.first_ulp == 0) continue;  // what derivatives are made of
    EXPECT_TRUE(info.first_ulp > 0 && info.second_ulp > 0) << entry->name << " has no bounds of its derivatives";
    EXPECT_TRUE(info.first_ulp <= 4 && info.second_ulp <= 16) << entry->name << " promises too little";
    EXPECT_TRUE(measured.contains(entry->name)) << entry->name << " has no reference for its derivatives";
  }
}

}  // namespace covec::test
