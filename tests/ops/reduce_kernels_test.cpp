// Every reduction kernel against the plain C definition of its order, bit for bit: all instruction sets, one thread and
// two, sizes around the edges of lanes and blocks, sets of axes, strides.
#include <algorithm>
#include <functional>
#include <optional>

#include "stdlib/kernels/reduce.hpp"
#include "tests/ops/reduce_support.hpp"
#include "tests/ops/reference/orders.h"

namespace covec::test {
namespace {

using kernels::ReduceKind;

template <class T>
T reference_row(bool product, const T* x, int64_t n, int64_t stride) {
  if constexpr (std::is_same_v<T, float>) {
    return product ? covec_row_prod_f32(x, n, stride) : covec_row_sum_f32(x, n, stride);
  } else {
    return product ? covec_row_prod_f64(x, n, stride) : covec_row_sum_f64(x, n, stride);
  }
}
template <class T>
T reference_column(bool product, const T* x, int64_t n, int64_t stride) {
  if constexpr (std::is_same_v<T, float>) {
    return product ? covec_column_prod_f32(x, n, stride) : covec_column_sum_f32(x, n, stride);
  } else {
    return product ? covec_column_prod_f64(x, n, stride) : covec_column_sum_f64(x, n, stride);
  }
}

// The language's rule over whole tensors: neighbouring axes as one, the last group first.
template <class T>
std::vector<T> reference_reduce(bool product, std::vector<T> x, std::vector<int64_t> dims, uint32_t axes) {
  while (axes != 0) {
    const int last = 31 - __builtin_clz(axes);
    int first = last;
    while (first > 0 && (axes >> (first - 1) & 1)) --first;
    int64_t outer = 1, n = 1, inner = 1;
    for (int i = 0; i < static_cast<int>(dims.size()); ++i)
      (i < first ? outer : i <= last ? n : inner) *= dims[static_cast<size_t>(i)];
    const bool row = last + 1 == static_cast<int>(dims.size());
    std::vector<T> result;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t j = 0; j < inner; ++j) {
        const T* start = x.data() + o * n * inner + j;
        result.push_back(row ? reference_row(product, start, n, inner) : reference_column(product, start, n, inner));
      }
    }
    dims.erase(dims.begin() + first, dims.begin() + last + 1);
    x = result;
    axes &= (1u << first) - 1;
  }
  return x;
}

template <class T>
void expect_same(const std::vector<T>& actual, const std::vector<T>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_TRUE(same_bits(actual[i], expected[i]))
        << "result " << i << ": " << actual[i] << " instead of " << expected[i];
  }
}

template <class T>
class FloatReduce : public ::testing::Test {
 protected:
  std::mt19937 random{17};

  void check(const std::vector<int64_t>& dims, uint32_t axes, Layout layout) {
    SCOPED_TRACE("dims " + ::testing::PrintToString(dims) + ", axes " + std::to_string(axes) + ", layout " +
                 std::to_string(static_cast<int>(layout)));
    for (bool product : {false, true}) {
      const View<T> view = make_view<T>(dims, layout, random, [&](std::mt19937& r) {
        const T x = rough_number<T>(r);
        return !product ? x : x == 0 ? T(1) : x < 0 ? T(-1) - x / T(131072) : T(1) + x / T(131072);
      });
      const std::vector<T> expected = reference_reduce(product, view.dense(), dims, axes);
      on_every_engine([&](ops::Context& context) {
        std::vector<T> actual(expected.size(), T(77));
        kernels::reduce(context, product ? ReduceKind::prod : ReduceKind::sum, view.input(), axes, actual.data());
        expect_same(actual, expected);
      });
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FloatReduce, Floats);

TYPED_TEST(FloatReduce, RowsAtTheEdgesOfLanesAndBlocks) {
  constexpr int64_t lanes = 256 / sizeof(TypeParam), block = 64 * lanes;
  for (int64_t n :
       {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}, lanes / 2, lanes - 1, lanes, lanes + 1, 5 * lanes + 3,
        block - 1, block, block + 1, 2 * block, 3 * block - 5, 5 * block + 1, 8 * block, 11 * block + 7}) {
    for (Layout layout : all_layouts) {
      this->check({n}, 1, layout);
      this->check({3, n}, 2, layout);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(FloatReduce, ColumnsAtTheEdgesOfBlocks) {
  for (int64_t n : {0, 1, 2, 7, 8, 9, 1023, 1024, 1025, 2048, 3077, 5120, 7169, 9000, 19000}) {
    for (int64_t width : {1, 3, 17, 65}) {
      for (Layout layout : all_layouts) {
        this->check({n, width}, 1, layout);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(FloatReduce, EverySetOfAxesToRankFour) {
  const std::vector<std::vector<int64_t>> shapes = {{5},       {4, 9},    {1, 6},    {6, 1},       {3, 4, 5},
                                                    {2, 1, 7}, {0, 3, 2}, {2, 3, 0}, {3, 4, 5, 6}, {2, 33, 3, 70}};
  for (const auto& dims : shapes) {
    for (uint32_t axes = 0; axes < 1u << dims.size(); ++axes) {
      for (Layout layout : all_layouts) {
        this->check(dims, axes, layout);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(FloatReduce, LongOnesSplitOverThreads) {
  for (Layout layout : {Layout::rows, Layout::every_second, Layout::reversed_axes}) {
    this->check({600011}, 1, layout);
    this->check({2, 150007}, 2, layout);
    this->check({150007, 2}, 1, layout);
    this->check({300, 501}, 1, layout);
    this->check({300, 501}, 2, layout);
    this->check({40, 50, 60}, 5, layout);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(FloatReduce, SumsAreNearTheExactOnes) {
  for (int64_t n : {1, 1000, 30000}) {
    const View<TypeParam> view = make_view<TypeParam>({n}, Layout::rows, this->random, rough_number<TypeParam>);
    long double exact = 0, size = 0;
    for (TypeParam x : view.dense()) exact += x, size += std::fabs(x);
    on_every_engine([&](ops::Context& context) {
      TypeParam sum;
      kernels::reduce(context, ReduceKind::sum, view.input(), 1, &sum);
      EXPECT_LE(std::fabs(static_cast<long double>(sum) - exact),
                80 * std::numeric_limits<TypeParam>::epsilon() * size);
    });
  }
}

// Order-free kinds against the obvious loop. `In` to `Out` by fold(accumulated, element).
template <class In, class Out>
void check_plain(ReduceKind kind, Out start, const std::function<Out(Out, In)>& fold,
                 const std::function<In(std::mt19937&)>& draw) {
  std::mt19937 random(5);
  const std::vector<std::vector<int64_t>> shapes = {{1},    {3},       {70},      {257},     {16385},  {70000},
                                                    {5, 7}, {1300, 3}, {3, 1300}, {260, 70}, {4, 5, 6}};
  for (const auto& dims : shapes) {
    for (uint32_t axes = 1; axes < 1u << dims.size(); ++axes) {
      for (Layout layout : all_layouts) {
        SCOPED_TRACE("dims " + ::testing::PrintToString(dims) + ", axes " + std::to_string(axes) + ", layout " +
                     std::to_string(static_cast<int>(layout)));
        const View<In> view = make_view<In>(dims, layout, random, draw);
        const std::vector<In> x = view.dense();
        int64_t results = 1;
        std::vector<int64_t> weight(dims.size(), 0);
        for (size_t i = dims.size(); i-- > 0;) {
          if (axes >> i & 1) continue;
          weight[i] = results;
          results *= dims[i];
        }
        std::vector<Out> expected(static_cast<size_t>(results), start);
        for (int64_t p = 0; p < view.size(); ++p) {
          int64_t rest = p, to = 0;
          for (size_t i = dims.size(); i-- > 0; rest /= dims[i]) to += rest % dims[i] * weight[i];
          expected[static_cast<size_t>(to)] = fold(expected[static_cast<size_t>(to)], x[static_cast<size_t>(p)]);
        }
        on_every_engine([&](ops::Context& context) {
          std::vector<Out> actual(expected.size(), Out(99));
          kernels::reduce(context, kind, view.input(), axes, actual.data());
          expect_same(actual, expected);
        });
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

template <class T>
T any_integer(std::mt19937& random) {
  return static_cast<T>(uint64_t{random()} << 32 | random());
}
uint8_t any_bool(std::mt19937& random) { return random() % 3 == 0; }

template <class T>
T float_with_specials(std::mt19937& random) {
  const uint32_t bits = random() % 40;
  if (bits == 0) return std::numeric_limits<T>::infinity();
  if (bits == 1) return -std::numeric_limits<T>::infinity();
  if (bits == 2 && random() % 200 == 0)
    return std::copysign(std::numeric_limits<T>::quiet_NaN(), random() & 1 ? T(1) : T(-1));
  return bits < 20 ? (bits & 1 ? T(0.0) : T(-0.0)) : rough_number<T>(random);
}
template <class T>
T language_max(T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
template <class T>
T language_min(T a, T b) {
  return -language_max(-a, -b);
}

TEST(IntegerReduce, SumsAndProductsWrap) {
  const auto add = [](auto a, auto b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(int64_t{b}));
  };
  const auto multiply = [](auto a, auto b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(int64_t{b}));
  };
  check_plain<int32_t, int64_t>(ReduceKind::sum, 0, add, any_integer<int32_t>);
  check_plain<int64_t, int64_t>(ReduceKind::sum, 0, add, any_integer<int64_t>);
  check_plain<uint8_t, int64_t>(ReduceKind::sum, 0, add, any_bool);
  check_plain<int32_t, int64_t>(ReduceKind::prod, 1, multiply,
                                [](std::mt19937& r) { return any_integer<int32_t>(r) | 1; });
  check_plain<int64_t, int64_t>(ReduceKind::prod, 1, multiply,
                                [](std::mt19937& r) { return any_integer<int64_t>(r) | 1; });
  check_plain<uint8_t, int64_t>(ReduceKind::prod, 1, multiply, [](std::mt19937& r) { return uint8_t(r() % 500 != 0); });
}

TEST(IntegerReduce, Extremes) {
  const auto largest = [](auto a, auto b) { return std::max(a, b); };
  const auto smallest = [](auto a, auto b) { return std::min(a, b); };
  check_plain<int32_t, int32_t>(ReduceKind::max, std::numeric_limits<int32_t>::min(), largest, any_integer<int32_t>);
  check_plain<int64_t, int64_t>(ReduceKind::max, std::numeric_limits<int64_t>::min(), largest, any_integer<int64_t>);
  check_plain<int32_t, int32_t>(ReduceKind::min, std::numeric_limits<int32_t>::max(), smallest, any_integer<int32_t>);
  check_plain<int64_t, int64_t>(ReduceKind::min, std::numeric_limits<int64_t>::max(), smallest, any_integer<int64_t>);
  check_plain<uint8_t, uint8_t>(ReduceKind::max, 0, largest, any_bool);
  check_plain<uint8_t, uint8_t>(ReduceKind::min, 1, smallest, any_bool);
}

TEST(FloatExtremes, NanWinsAndZerosAreOrdered) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  check_plain<float, float>(ReduceKind::max, -inf, language_max<float>, float_with_specials<float>);
  check_plain<float, float>(ReduceKind::min, inf, language_min<float>, float_with_specials<float>);
  check_plain<double, double>(ReduceKind::max, -inf, language_max<double>, float_with_specials<double>);
  check_plain<double, double>(ReduceKind::min, inf, language_min<double>, float_with_specials<double>);
}

TEST(Truth, AnyAndAll) {
  const auto any = [](auto a, auto b) { return static_cast<uint8_t>(a || b != 0); };
  const auto all = [](auto a, auto b) { return static_cast<uint8_t>(a && b != 0); };
  check_plain<uint8_t, uint8_t>(ReduceKind::any, 0, any, [](std::mt19937& r) { return uint8_t(r() % 900 == 0); });
  check_plain<uint8_t, uint8_t>(ReduceKind::all, 1, all, [](std::mt19937& r) { return uint8_t(r() % 900 != 0); });
  check_plain<int32_t, uint8_t>(ReduceKind::any, 0, any,
                                [](std::mt19937& r) { return r() % 900 == 0 ? int32_t(r()) : 0; });
  check_plain<int64_t, uint8_t>(ReduceKind::all, 1, all,
                                [](std::mt19937& r) { return static_cast<int64_t>(r() % 900); });
  check_plain<float, uint8_t>(ReduceKind::any, 0, any, [](std::mt19937& r) { return r() % 900 == 0 ? NAN : -0.0f; });
  check_plain<double, uint8_t>(ReduceKind::all, 1, all, [](std::mt19937& r) { return r() % 900 == 0 ? -0.0 : 1e-320; });
}

// sums of integers in f64, for mean
TEST(FloatSum, ConvertsAndAddsInOrder) {
  std::mt19937 random(3);
  for (const auto& dims : std::vector<std::vector<int64_t>>{{5}, {5000}, {1500, 7}, {7, 1500}}) {
    const auto view = make_view<int64_t>(dims, Layout::rows, random, any_integer<int64_t>);
    std::vector<double> converted;
    for (int64_t x : view.dense()) converted.push_back(static_cast<double>(x));
    for (uint32_t axes = 1; axes < 1u << dims.size(); ++axes) {
      const std::vector<double> expected = reference_reduce(false, converted, dims, axes);
      on_every_engine([&](ops::Context& context) {
        std::vector<double> actual(expected.size());
        kernels::reduce(context, ReduceKind::float_sum, view.input(), axes, actual.data());
        expect_same(actual, expected);
      });
    }
  }
}

template <class T>
void check_arg(const std::function<T(std::mt19937&)>& draw) {
  std::mt19937 random(11);
  for (const auto& dims : std::vector<std::vector<int64_t>>{
           {1}, {2}, {63}, {5000}, {150001}, {4, 9}, {300, 40}, {40, 300}, {1000, 3}, {5, 6, 7}}) {
    std::vector<uint32_t> sets;
    for (size_t i = 0; i < dims.size(); ++i) sets.push_back(1u << i);
    if (dims.size() > 1) sets.push_back((1u << dims.size()) - 1);
    for (uint32_t axes : sets) {
      for (Layout layout : all_layouts) {
        for (bool smallest : {false, true}) {
          SCOPED_TRACE("dims " + ::testing::PrintToString(dims) + ", axes " + std::to_string(axes) + ", layout " +
                       std::to_string(static_cast<int>(layout)));
          const View<T> view = make_view<T>(dims, layout, random, draw);
          const std::vector<T> x = view.dense();
          int64_t outer = 1, n = 1, inner = 1;
          const int first = __builtin_ctz(axes), last = 31 - __builtin_clz(axes);
          for (int i = 0; i < static_cast<int>(dims.size()); ++i)
            (i < first ? outer : i <= last ? n : inner) *= dims[static_cast<size_t>(i)];
          std::vector<int64_t> expected;
          for (int64_t o = 0; o < outer; ++o) {
            for (int64_t j = 0; j < inner; ++j) {
              int64_t best = 0;
              const auto at = [&](int64_t p) { return x[static_cast<size_t>((o * n + p) * inner + j)]; };
              for (int64_t p = 1; p < n; ++p) {
                const T joined = smallest ? language_min(at(best), at(p)) : language_max(at(best), at(p));
                if (!same_bits(joined, at(best))) best = p;
              }
              expected.push_back(best);
            }
          }
          on_every_engine([&](ops::Context& context) {
            std::vector<int64_t> actual(expected.size(), -5);
            kernels::arg_reduce(context, smallest, view.input(), axes, actual.data());
            expect_same(actual, expected);
          });
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

template <>
int32_t language_max(int32_t a, int32_t b) {
  return std::max(a, b);
}
template <>
int64_t language_max(int64_t a, int64_t b) {
  return std::max(a, b);
}
template <>
uint8_t language_max(uint8_t a, uint8_t b) {
  return std::max(a, b);
}
template <>
int32_t language_min(int32_t a, int32_t b) {
  return std::min(a, b);
}
template <>
int64_t language_min(int64_t a, int64_t b) {
  return std::min(a, b);
}
template <>
uint8_t language_min(uint8_t a, uint8_t b) {
  return std::min(a, b);
}

TEST(Arg, FirstOfTies) {
  check_arg<float>(float_with_specials<float>);
  check_arg<double>(float_with_specials<double>);
  check_arg<int32_t>([](std::mt19937& r) { return static_cast<int32_t>(r() % 50) - 25; });
  check_arg<int64_t>([](std::mt19937& r) { return static_cast<int64_t>(r() % 50) - 25; });
  check_arg<uint8_t>(any_bool);
}

}  // namespace
}  // namespace covec::test
