// Decompositions of sizes that are cut into blocks and halves: the same bits on every instruction set and number of
// threads, and what they promise (reconstruction, orthogonality, order), also where nearly all values are equal.
#include <functional>

#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/decompositions/dense.hpp"
#include "tests/ops/reduce_support.hpp"

namespace covec::test {
namespace {

using kernels::Dense;

template <class T>
struct Sample {
  int64_t rows, columns;
  std::vector<T> a;
  Dense<T> dense() { return {a.data(), rows, columns, columns}; }
};

template <class T>
Sample<T> zeros(int64_t m, int64_t n) {
  return {m, n, std::vector<T>(static_cast<size_t>(m * n))};
}

// (i, j) -> element
template <class T>
Sample<T> filled(int64_t m, int64_t n, const std::function<double(int64_t, int64_t)>& element) {
  Sample<T> made = zeros<T>(m, n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) made.dense()(i, j) = static_cast<T>(element(i, j));
  }
  return made;
}

template <class T>
Sample<T> random_numbers(int64_t m, int64_t n) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  return filled<T>(m, n, [&](int64_t, int64_t) { return normal(random); });
}

// Narrow ones and such as lose all but a few of their vectors when halves are joined; all symmetric.
template <class T>
std::vector<Sample<T>> hostile(int64_t n) {
  const auto apart = [](int64_t i, int64_t j) { return std::abs(i - j); };
  const auto narrow = [&](double diagonal, double off_diagonal) {
    return filled<T>(n, n, [&](int64_t i, int64_t j) {
      return i == j ? diagonal : apart(i, j) == 1 ? off_diagonal : 0.0;
    });
  };
  return {
      zeros<T>(n, n),
      narrow(1.0, 0.0),
      narrow(2.0, -1.0),
      narrow(1.0, 1e-6),
      narrow(0.0, 1.0),
      filled<T>(n, n, [](int64_t, int64_t) { return 1.0; }),
      filled<T>(n, n, [](int64_t i, int64_t j) { return 1.0 / static_cast<double>(i + j + 1); }),
      // Wilkinson's, glued: clusters of pairs
      filled<T>(n, n,
                [&](int64_t i, int64_t j) {
                  if (i == j) return static_cast<double>(std::abs(i % 21 - 10));
                  return apart(i, j) != 1 ? 0.0 : std::max(i, j) % 21 == 0 ? 1e-7 : 1.0;
                }),
      filled<T>(n, n,
                [&](int64_t i, int64_t j) {
                  return std::pow(0.9, static_cast<double>(i + j)) * (1.0 + static_cast<double>((i * j) % 7));
                }),
      filled<T>(n, n, [&](int64_t i, int64_t j) { return i == j ? 1.0 + 1e-13 * static_cast<double>(i) : 1e-15; }),
      filled<T>(n, n, [&](int64_t i, int64_t j) { return 1e20 * std::cos(static_cast<double>(i * j)); }),
  };
}

template <class T>
double distance(const std::vector<T>& x, const std::vector<T>& y) {
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
  return most;
}

template <class T>
double size_of(const std::vector<T>& x) {
  double sum = 0;
  for (const T number : x) sum += static_cast<double>(number) * static_cast<double>(number);
  return std::sqrt(sum);
}

// How far the rows are from orthonormal ones.
template <class T>
double skewness(ops::Context& context, Sample<T>& rows) {
  Sample<T> gram = zeros<T>(rows.rows, rows.rows);
  kernels::assign_product(context, gram.dense(), kernels::matrix(rows.dense()), kernels::transposed(rows.dense()),
                          rows.columns);
  return distance(gram.a, filled<T>(rows.rows, rows.rows, [](int64_t i, int64_t j) { return i == j ? 1.0 : 0.0; }).a);
}

template <class T>
Sample<T> rebuilt(ops::Context& context, Sample<T>& ut, const std::vector<T>& s, Sample<T>& vt) {
  Sample<T> scaled = vt, a = zeros<T>(ut.columns, vt.columns);
  for (size_t i = 0; i < s.size(); ++i) kernels::scale(scaled.dense().row(static_cast<int64_t>(i)), s[i], vt.columns);
  const int64_t k = static_cast<int64_t>(s.size());
  kernels::assign_product(context, a.dense(), kernels::transposed(ut.dense()), kernels::matrix(scaled.dense()), k);
  return a;
}

template <class T>
constexpr double unit = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
std::vector<T> check_eigh(ops::Context& context, const Sample<T>& a) {
  Sample<T> vt = zeros<T>(a.rows, a.rows);
  std::vector<T> w(static_cast<size_t>(a.rows));
  EXPECT_TRUE(kernels::decompose_eigh(context, a.a.data(), a.rows, w.data(), vt.a.data()));
  EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
  EXPECT_LE(skewness(context, vt), 200 * unit<T>);
  EXPECT_LE(distance(rebuilt(context, vt, w, vt).a, a.a), 60 * unit<T> * size_of(a.a));
  vt.a.insert(vt.a.end(), w.begin(), w.end());
  return vt.a;
}

template <class T>
std::vector<T> check_svd(ops::Context& context, const Sample<T>& a, bool full) {
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  Sample<T> ut = zeros<T>(full ? m : k, m), vt = zeros<T>(full ? n : k, n);
  std::vector<T> s(static_cast<size_t>(k));
  EXPECT_TRUE(kernels::decompose_svd(context, a.a.data(), m, n, full, ut.a.data(), s.data(), vt.a.data()));
  EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()));
  EXPECT_GE(s.back(), T(0));
  EXPECT_LE(skewness(context, ut), 200 * unit<T>);
  EXPECT_LE(skewness(context, vt), 200 * unit<T>);
  EXPECT_LE(distance(rebuilt(context, ut, s, vt).a, a.a), 60 * unit<T> * size_of(a.a));
  ut.a.insert(ut.a.end(), vt.a.begin(), vt.a.end());
  ut.a.insert(ut.a.end(), s.begin(), s.end());
  return ut.a;
}

template <class T>
std::vector<T> check_qr(ops::Context& context, const Sample<T>& a) {
  const int64_t k = std::min(a.rows, a.columns);
  Sample<T> qt = zeros<T>(k, a.rows), r = zeros<T>(k, a.columns);
  kernels::decompose_qr(context, a.a.data(), a.rows, a.columns, false, qt.a.data(), r.a.data());
  EXPECT_LE(skewness(context, qt), 200 * unit<T>);
  const std::vector<T> ones(static_cast<size_t>(k), T(1));
  EXPECT_LE(distance(rebuilt(context, qt, ones, r).a, a.a), 60 * unit<T> * size_of(a.a));
  qt.a.insert(qt.a.end(), r.a.begin(), r.a.end());
  return qt.a;
}

template <class T>
void expect_same_bits(const std::function<std::vector<T>(ops::Context&)>& decompose) {
  std::vector<T> first;
  on_every_engine([&](ops::Context& context) {
    const std::vector<T> found = decompose(context);
    if (first.empty()) first = found;
    ASSERT_EQ(found.size(), first.size());
    EXPECT_EQ(std::memcmp(found.data(), first.data(), found.size() * sizeof(T)), 0);
  });
}

template <class T>
class Decompositions : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Decompositions, Floats);

TYPED_TEST(Decompositions, HaveTheSameBitsEverywhere) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair{101, 101}, {131, 67}, {67, 131}, {300, 80}, {290, 290}}) {
    SCOPED_TRACE(std::to_string(m) + " × " + std::to_string(n));
    const Sample<T> a = random_numbers<T>(m, n);
    expect_same_bits<T>([&](ops::Context& context) { return check_qr(context, a); });
    expect_same_bits<T>([&](ops::Context& context) { return check_svd(context, a, true); });
    if (m != n) continue;
    Sample<T> symmetric = a;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) symmetric.dense()(i, j) = symmetric.dense()(j, i);
    }
    expect_same_bits<T>([&](ops::Context& context) { return check_eigh(context, symmetric); });
  }
}

TYPED_TEST(Decompositions, KeepTheirPromisesForHostileMatrices) {
  Session session;
  session.context.isa = machine_isas().back();
  for (const int64_t n : {49, 64, 97, 150, 231}) {
    int64_t number = 0;
    for (const Sample<TypeParam>& a : hostile<TypeParam>(n)) {
      SCOPED_TRACE(std::to_string(number++) + " of " + std::to_string(n));
      check_eigh(session.context, a);
      check_svd(session.context, a, false);
      check_qr(session.context, a);
    }
  }
}

}  // namespace
}  // namespace covec::test
