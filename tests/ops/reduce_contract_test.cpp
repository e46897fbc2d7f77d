// Contractions against the plain C definition of their order, bit for bit: index patterns that become products, those
// that do not, any number of factors, strided and broadcast factors; i32 products wrap.
#include "stdlib/kernels/contract.hpp"

#include "tests/ops/reduce_support.hpp"
#include "tests/ops/reference/orders.h"

namespace covec::test {
namespace {

using kernels::ContractFactor;
using kernels::Contraction;

float reference(const std::vector<std::vector<float>>& terms) {
  std::vector<const float*> factors;
  for (const auto& t : terms) factors.push_back(t.data());
  const std::vector<int64_t> strides(terms.size(), 1);
  return covec_contract_f32(factors.data(), strides.data(), static_cast<int64_t>(terms.size()),
                            static_cast<int64_t>(terms[0].size()));
}
double reference(const std::vector<std::vector<double>>& terms) {
  std::vector<const double*> factors;
  for (const auto& t : terms) factors.push_back(t.data());
  const std::vector<int64_t> strides(terms.size(), 1);
  return covec_contract_f64(factors.data(), strides.data(), static_cast<int64_t>(terms.size()),
                            static_cast<int64_t>(terms[0].size()));
}
template <class T>
int64_t reference(const std::vector<std::vector<T>>& terms) {
  uint64_t sum = 0;
  for (size_t i = 0; i < terms[0].size(); ++i) {
    std::make_unsigned_t<T> product = 1;
    for (const auto& t : terms) product *= static_cast<std::make_unsigned_t<T>>(t[i]);
    sum += static_cast<uint64_t>(int64_t{static_cast<T>(product)});
  }
  return static_cast<int64_t>(sum);
}

int64_t walk(int64_t index, const int64_t* dims, const int64_t* strides, unsigned count) {
  int64_t at = 0;
  for (unsigned i = count; i-- > 0; index /= dims[i]) at += index % dims[i] * strides[i];
  return at;
}

// Factors are written as strings of index letters, upper case for reduced ones; letter extents are given in order a, b,
// … and A, B, ….
template <class T, class Out>
class ContractCase {
 public:
  ContractCase(std::vector<std::string> factors, std::vector<int64_t> outs, std::vector<int64_t> reduced,
               bool transposed)
      : outs_(std::move(outs)), reduced_(std::move(reduced)) {
    std::mt19937 random(9);
    for (const std::string& letters : factors) make_factor(letters, transposed, random);
  }

  void check() {
    const std::vector<Out> expected = by_definition();
    on_every_engine([&](ops::Context& context) {
      std::vector<Out> actual(expected.size(), Out(5));
      Contraction c;
      c.dtype = dtype_for<T>();
      c.outs = static_cast<unsigned>(outs_.size());
      std::copy(outs_.begin(), outs_.end(), c.out_dim);
      c.reduced = static_cast<unsigned>(reduced_.size());
      std::copy(reduced_.begin(), reduced_.end(), c.reduced_dim);
      std::vector<ContractFactor> factors = factors_;
      c.factors = factors;
      c.out = reinterpret_cast<std::byte*>(actual.data());
      kernels::contract(context, c);
      for (size_t i = 0; i < actual.size(); ++i)
        ASSERT_TRUE(same_bits(actual[i], expected[i]))
            << "element " << i << ": " << actual[i] << " instead of " << expected[i];
    });
  }

 private:
  int64_t extent(char letter) const {
    return letter >= 'a' ? outs_[static_cast<size_t>(letter - 'a')] : reduced_[static_cast<size_t>(letter - 'A')];
  }

  void make_factor(const std::string& letters, bool transposed, std::mt19937& random) {
    ContractFactor factor{};
    int64_t stride = 1;
    const auto take = [&](char letter) {
      (letter >= 'a' ? factor.out_stride[letter - 'a'] : factor.reduced_stride[letter - 'A']) += stride;
      stride *= extent(letter);
    };
    if (transposed) {
      for (char letter : letters) take(letter);
    } else {
      for (size_t i = letters.size(); i-- > 0;) take(letters[i]);
    }
    auto& memory = memory_.emplace_back(static_cast<size_t>(std::max<int64_t>(1, stride)));
    for (T& x : memory) {
      if constexpr (std::is_integral_v<T>) {
        x = static_cast<T>(uint64_t{random()} << 32 | random());
      } else {
        x = rough_number<T>(random);
      }
    }
    factor.data = reinterpret_cast<const std::byte*>(memory.data());
    factors_.push_back(factor);
  }

  std::vector<Out> by_definition() const {
    int64_t n = 1, k = 1;
    for (int64_t d : outs_) n *= d;
    for (int64_t d : reduced_) k *= d;
    std::vector<Out> result;
    for (int64_t o = 0; o < n; ++o) {
      std::vector<std::vector<T>> terms;
      for (const ContractFactor& f : factors_) {
        const T* start = reinterpret_cast<const T*>(f.data) +
                         walk(o, outs_.data(), f.out_stride, static_cast<unsigned>(outs_.size()));
        auto& list = terms.emplace_back();
        for (int64_t p = 0; p < k; ++p)
          list.push_back(start[walk(p, reduced_.data(), f.reduced_stride, static_cast<unsigned>(reduced_.size()))]);
      }
      result.push_back(k == 0 ? Out(0) : reference(terms));
    }
    return result;
  }

  std::vector<int64_t> outs_, reduced_;
  std::vector<std::vector<T>> memory_;
  std::vector<ContractFactor> factors_;
};

template <class T, class Out>
void check_all() {
  struct Pattern {
    std::vector<std::string> factors;
    std::vector<int64_t> outs, reduced;
  };
  const std::vector<Pattern> patterns = {
      {{"aA", "Ab"}, {5, 7}, {600}},          // a product
      {{"bA", "Aa"}, {5, 7}, {70}},           // its transpose
      {{"A", "A"}, {}, {5000}},               // a dot product
      {{"aA", "A"}, {40}, {513}},             // a matrix and a vector
      {{"aA", "aA"}, {6}, {90}},              // many dot products
      {{"abA", "aAc"}, {3, 4, 5}, {20}},      // a batch
      {{"acA", "Ab"}, {3, 4, 5}, {20}},       // columns between rows
      {{"aAB", "ABb"}, {3, 4}, {30, 20}},     // two reduced indices as one
      {{"aAB", "BAb"}, {3, 4}, {30, 20}},     // … that are not one run
      {{"aAB", "Bb"}, {3, 4}, {5, 130}},      // one of them in one factor only
      {{"aAA", "Ab"}, {3, 4}, {6}},           // a diagonal
      {{"aA", "bA", "A"}, {3, 4}, {700}},     // three factors
      {{"A"}, {}, {1025}},                    // one
      {{"aA", "", "Ab", "bA"}, {3, 4}, {9}},  // four, one of them a number
      {{"a", "bA"}, {3, 4}, {9}},             // an outer product
      {{"aA", "Ab"}, {5, 7}, {0}},            // nothing to add
      {{"aA", "Ab"}, {0, 7}, {4}},            // no results
      {{"aA", "Ab"}, {1, 1}, {1}},
      {{"aA", "Ab"}, {150, 130}, {140}},  // large enough for threads
      {{"ab", "ab"}, {5, 71}, {}},        // nothing summed: as they lie
      {{"abA", "baA"}, {5, 71}, {1}},     // … crosswise
      {{"ab", "b"}, {5, 71}, {}},         // … one row with all
      {{"acb", "ba"}, {5, 3, 7}, {}},
      {{"ab", "ab"}, {130, 700}, {}},
  };
  for (const Pattern& p : patterns) {
    for (bool transposed : {false, true}) {
      SCOPED_TRACE(::testing::PrintToString(p.factors) + (transposed ? " transposed" : ""));
      ContractCase<T, Out>(p.factors, p.outs, p.reduced, transposed).check();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// A product that is nothing but too small keeps its sign; one of zeros is 0.
TEST(Contract, SignsOfZeros) {
  const std::vector<double> a{-0.0, -1, 0.0, 1e-200, -1e-200, 1e-200, 3}, b{1, 0.0, -0.0, -1e-200, -1e-200, 1e-200, 2};
  on_every_engine([&](ops::Context& context) {
    std::vector<double> out(a.size(), 5);
    std::vector<ContractFactor> factors;
    for (const auto* x : {&a, &b}) factors.push_back({reinterpret_cast<const std::byte*>(x->data()), {1}, {}});
    Contraction c;
    c.dtype = Dtype::f64;
    c.outs = 1;
    c.out_dim[0] = static_cast<int64_t>(a.size());
    c.factors = factors;
    c.out = reinterpret_cast<std::byte*>(out.data());
    kernels::contract(context, c);
    for (size_t i = 0; i < a.size(); ++i) ASSERT_TRUE(same_bits(out[i], std::fma(a[i], b[i], 0.0))) << "element " << i;
  });
}

TEST(Contract, F32) { check_all<float, float>(); }
TEST(Contract, F64) { check_all<double, double>(); }
TEST(Contract, I64) { check_all<int64_t, int64_t>(); }
TEST(Contract, I32ProductsWrapSumsAreI64) { check_all<int32_t, int64_t>(); }

}  // namespace
}  // namespace covec::test
