// Every scalar operation for every dtype that takes it, over all combinations of special values, against C++ written
// another way: integers in 128 bits, floats with the C++ library.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "jit/source/engine.hpp"
#include "tests/jit_source/programs.hpp"

namespace {

using namespace covec;
using namespace covec::tests;
using loops::Program;  // there is a covec::Program, too

constexpr Dtype dtypes[] = {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f32, Dtype::f64};

template <class T>
std::vector<T> specials() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    return {0,           1, -1, 2, -2, 3, 5, -7, 31, 1000003, -46341, L::max(), L::min(), L::max() - 1, L::min() + 1,
            L::max() / 2};
  } else {
    const T eps = L::epsilon();
    return {T(0),
            T(-0.0),
            T(1),
            T(-1),
            T(0.5),
            T(-0.5),
            T(1.5),
            T(2.5),
            T(-2.5),
            T(3),
            1 + eps,
            1 - eps / 2,
            L::min(),
            -L::min(),
            L::denorm_min(),
            L::max(),
            -L::max(),
            L::infinity(),
            -L::infinity(),
            L::quiet_NaN(),
            T(2147483647),
            T(2147483648.0),
            T(-2147483649.0),
            T(9.2233720368547758e18),
            T(-9.3e18),
            1 / eps,
            1 / eps + T(0.5),
            T(1e-30)};
  }
}

template <class F>
void with_type(Dtype dtype, F f) {
  with_compute(compute_of(dtype), f);
}

__extension__ typedef __int128 Wide;

template <class T>
T power(T a, T n) {
  if (n < 0) return 0;
  using U = std::make_unsigned_t<T>;
  U result = 1;
  if (a == 0 || a == 1) return n == 0 ? T(1) : a;
  if (a == -1) return n % 2 == 0 ? T(1) : T(-1);
  for (int bit = 8 * sizeof(T) - 1; bit >= 0; --bit) {  // from the highest bit down
    result *= result;
    if ((static_cast<U>(n) >> bit) & 1) result *= static_cast<U>(a);
  }
  return static_cast<T>(result);
}

Wide divisor(Wide a, Wide b) { return b == 0 ? a : divisor(b, a % b); }

template <class T>
T integer_reference(ScalarOp op, T a, T b) {
  const Wide x = a, y = b;
  const unsigned width = 8 * sizeof(T);
  switch (op) {
    case ScalarOp::add: return static_cast<T>(x + y);
    case ScalarOp::sub: return static_cast<T>(x - y);
    case ScalarOp::mul: return static_cast<T>(x * y);
    case ScalarOp::negate: return static_cast<T>(-x);
    case ScalarOp::bit_and: return a & b;
    case ScalarOp::bit_or: return a | b;
    case ScalarOp::bit_xor: return a ^ b;
    case ScalarOp::bit_not: return static_cast<T>(-x - 1);
    case ScalarOp::shift_left: return static_cast<T>(x * (Wide{1} << (static_cast<uint64_t>(b) % width)));
    case ScalarOp::shift_right: return static_cast<T>(x >> (static_cast<uint64_t>(b) % width));
    case ScalarOp::shift_right_logical:
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) >> (static_cast<uint64_t>(b) % width));
    case ScalarOp::floor_divide: return b == 0 ? T(0) : static_cast<T>(x / y - (x % y != 0 && (x < 0) != (y < 0)));
    case ScalarOp::floor_modulo: return b == 0 ? T(0) : static_cast<T>(((x % y) + y) % y);
    case ScalarOp::integer_power: return power(a, b);
    case ScalarOp::common_divisor: return static_cast<T>(divisor(x < 0 ? -x : x, y < 0 ? -y : y));
    default: ADD_FAILURE(); return 0;
  }
}

template <class T>
T float_reference(ScalarOp op, T a, T b, T c) {
  switch (op) {
    case ScalarOp::add: return a + b;
    case ScalarOp::sub: return a - b;
    case ScalarOp::mul: return a * b;
    case ScalarOp::negate: return std::signbit(a) ? std::copysign(a, T(1)) : std::copysign(a, T(-1));
    case ScalarOp::div: return a / b;
    case ScalarOp::sqrt: return std::sqrt(a);
    case ScalarOp::fma: return std::fma(a, b, c);
    case ScalarOp::floor: return std::floor(a);
    case ScalarOp::ceil: return -std::floor(-a);
    case ScalarOp::trunc: return std::signbit(a) ? std::ceil(a) : std::floor(a);
    case ScalarOp::round_even: return std::nearbyint(a);
    case ScalarOp::remainder: return std::fmod(a, b);
    default: ADD_FAILURE(); return 0;
  }
}

template <class T>
T bool_reference(ScalarOp op, T a, T b) {
  switch (op) {
    case ScalarOp::bit_and: return a && b;
    case ScalarOp::bit_or: return a || b;
    case ScalarOp::bit_xor: return a != b;
    case ScalarOp::bit_not: return !a;
    default: ADD_FAILURE(); return false;
  }
}

template <class T>
T reference(ScalarOp op, T a, T b, T c) {
  if constexpr (std::is_same_v<T, bool>)
    return bool_reference(op, a, b);
  else if constexpr (std::is_integral_v<T>)
    return integer_reference(op, a, b);
  else
    return float_reference(op, a, b, c);
}

template <class T>
bool compare_reference(ScalarOp op, T a, T b) {
  switch (op) {
    case ScalarOp::lt: return a < b;
    case ScalarOp::le: return a < b || a == b;
    case ScalarOp::eq: return a == b;
    default: return !(a == b);
  }
}

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return !(x == From(0));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(x)) return 0;
    const auto wide = static_cast<long double>(x);
    if (wide >= static_cast<long double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    if (wide <= static_cast<long double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return static_cast<To>(std::trunc(wide));
  } else {
    return static_cast<To>(x);
  }
}

// NaNs are one value.
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Arrays of elements as the kernel has them: bools are bytes, which std::vector<bool> is not.
template <class T>
struct Array {
  explicit Array(size_t n) : elements(new T[n]()) {}
  std::unique_ptr<T[]> elements;
};

// One kernel for each application of an operation to dtypes; all are compiled in one text.
struct Trial {
  ScalarOp op;
  Dtype to, from;
  size_t kernel;
};

class Scalars : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    program_.code = {"scalars", {}, {}, {}};
    for (size_t o = 0; o < loops::scalar_op_count; ++o) {
      for (Dtype to : dtypes) {
        for (Dtype from : dtypes) add(static_cast<ScalarOp>(o), to, from);
      }
    }
    ASSERT_EQ(loops::verify(program_), "");
    compiled_ = source::compile(program_);
  }
  static void TearDownTestSuite() { compiled_.reset(); }

  static void add(ScalarOp op, Dtype to, Dtype from) {
    const std::array<Dtype, 3> operands = {op == ScalarOp::select ? Dtype::boolean : from, from, from};
    if (!loops::accepts(op, to, operands) || (op == ScalarOp::convert && to == from)) return;
    KernelMaker maker;
    uint32_t loaded[3] = {};
    for (unsigned k = 0; k < loops::info_of(op).arity; ++k) loaded[k] = maker.load(operands[k]);
    maker.output(maker.scalar(op, to, loaded[0], loaded[1], loaded[2]));
    trials_.push_back({op, to, from, program_.kernels.size()});
    program_.kernels.push_back(maker.kernel);
  }

  // Runs a kernel on all triples of special values and calls check(result, a, b, c) for each.
  template <class A, class B, class To, class F>
  static int64_t each(const Trial& trial, F check) {
    const auto as = specials<A>();
    const auto bs = specials<B>();
    const size_t n = as.size() * bs.size() * bs.size();
    Array<A> a(n);
    Array<B> b(n), c(n);
    Array<To> to(n);
    for (size_t i = 0; i < n; ++i) {
      a.elements[i] = as[i % as.size()];
      b.elements[i] = bs[i / as.size() % bs.size()];
      c.elements[i] = bs[i / as.size() / bs.size()];
      if (is_shift(trial.op)) {
        if constexpr (!std::is_same_v<B, bool>) b.elements[i] = static_cast<B>(i % (8 * sizeof(B)));
      }
    }
    const void* inputs[] = {a.elements.get(), b.elements.get(), c.elements.get()};
    void* outputs[] = {to.elements.get()};
    EXPECT_EQ(compiled_->kernel(trial.kernel)(outputs, inputs, static_cast<int64_t>(n), nullptr), -1);
    for (size_t i = 0; i < n; ++i) check(to.elements[i], a.elements[i], b.elements[i], c.elements[i]);
    return static_cast<int64_t>(n);
  }
  static bool is_shift(ScalarOp op) {
    return op == ScalarOp::shift_left || op == ScalarOp::shift_right || op == ScalarOp::shift_right_logical;
  }

  inline static Program program_;
  inline static std::vector<Trial> trials_;
  inline static std::unique_ptr<source::CompiledC> compiled_;
};

TEST_F(Scalars, GiveTheBitsOfTheReference) {
  int64_t checked = 0;
  for (const Trial& trial : trials_) {
    const auto takes = loops::info_of(trial.op).takes;
    using Takes = loops::ScalarOpInfo::Takes;
    if (takes == Takes::convert || takes == Takes::bitcast || takes == Takes::select) continue;
    SCOPED_TRACE(std::string(loops::name_of(trial.op)) + " of " + std::string(name_of(trial.from)));
    with_type(trial.from, [&](auto zero) {
      using T = decltype(zero);
      if (takes == Takes::compares) {
        checked += each<T, T, bool>(
            trial, [&](bool r, T a, T b, T) { ASSERT_EQ(r, compare_reference(trial.op, a, b)) << +a << " " << +b; });
      } else {
        checked += each<T, T, T>(trial, [&](T r, T a, T b, T c) {
          const T expected = reference(trial.op, a, b, c);
          ASSERT_TRUE(same(r, expected)) << +a << " " << +b << " " << +c << ": " << +r << ", not " << +expected;
        });
      }
    });
  }
  EXPECT_GT(checked, 100000);
}

TEST_F(Scalars, SelectTakesTheSecondWhereTrue) {
  for (const Trial& trial : trials_) {
    if (trial.op != ScalarOp::select) continue;
    with_type(trial.from, [&](auto zero) {
      using T = decltype(zero);
      each<bool, T, T>(trial, [](T r, bool c, T a, T b) { ASSERT_TRUE(same(r, c ? a : b)); });
    });
  }
}

TEST_F(Scalars, ConversionsRoundSaturateAndWrap) {
  int conversions = 0;
  for (const Trial& trial : trials_) {
    if (trial.op != ScalarOp::convert) continue;
    ++conversions;
    SCOPED_TRACE(std::string(name_of(trial.from)) + " to " + std::string(name_of(trial.to)));
    with_type(trial.from, [&](auto from) {
      with_type(trial.to, [&](auto to) {
        using From = decltype(from);
        using To = decltype(to);
        each<From, bool, To>(
            trial, [](To r, From x, bool, bool) { ASSERT_TRUE(same(r, converted<To>(x))) << +x << " " << +r; });
      });
    });
  }
  EXPECT_EQ(conversions, 20);
}

TEST_F(Scalars, BitcastKeepsBytes) {
  int bitcasts = 0;
  for (const Trial& trial : trials_) {
    if (trial.op != ScalarOp::bitcast) continue;
    ++bitcasts;
    with_type(trial.from, [&](auto from) {
      with_type(trial.to, [&](auto to) {
        using From = decltype(from);
        using To = decltype(to);
        if constexpr (sizeof(From) == sizeof(To)) {
          each<From, bool, To>(trial, [](To r, From x, bool, bool) { ASSERT_EQ(std::memcmp(&r, &x, sizeof x), 0); });
        }
      });
    });
  }
  EXPECT_EQ(bitcasts, 4);
}

}  // namespace
