// A host's floating-point environment: whatever it is, results have the bits that they have in the standard one, and
// the host finds its own again, in its functions that a session calls and when a call has come back. On all engines,
// with threads of oneTBB's that somebody else has changed.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <covec/covec.hpp>

#include <atomic>
#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "stdlib/value/floating_state.hpp"

namespace {

using covec::host::Session;

std::atomic<int> asked = 0;  // variables of the environment that Covec would obey

}  // namespace

// In place of the C library's: libcovec asks the host's.
extern "C" char* getenv(const char* name) noexcept {
  static const auto own = reinterpret_cast<char* (*)(const char*)>(dlsym(RTLD_NEXT, "getenv"));
  asked += std::string_view(name).starts_with("COVEC_");  // drivers of devices ask for their own
  return own(name);
}

namespace {

struct Case {
  const char* name;
  unsigned vectors;  // MXCSR
  unsigned short x87;
};

constexpr Case cases[] = {
    {"flush to zero", 0x1f80 | 0x8040, 0x37f},
    {"downwards", 0x1f80 | 0x2000, 0x77f},
    {"upwards", 0x1f80 | 0x4000, 0xb7f},
    {"towards zero", 0x1f80 | 0x6000, 0xf7f},
    {"double precision", 0x1f80, 0x27f},
    {"all traps", 0x0000, 0x340},
    {"all at once", 0x0000 | 0x8040 | 0x6000, 0xc40},
};

struct State {
  unsigned vectors;
  unsigned short x87;
  bool operator==(const State&) const = default;
};

State state() {
  State now{_mm_getcsr() & ~0x3fu, 0};  // without the flags: reading them tells of what the test itself computed
  asm volatile("fnstcw %0" : "=m"(now.x87));
  return now;
}

void set(unsigned vectors, unsigned short x87) {
  asm volatile("fnclex");
  _mm_setcsr(vectors);
  asm volatile("fldcw %0" : : "m"(x87));
}

// Numbers that any other environment would change: subnormal, rounded, inexact, infinite, not a number; on one thread
// and on several; by kernels, libraries and compiled loops; read from text and printed.
constexpr const char* program = R"(
@compile
fn loop(x, n) {
  for i in range(n) { x = x * 0.7 + 0.1 / (i + 3.0) }
  return x
}
@compile
fn fused(x) = sum(exp(-x * x) / 3.0 + sin(x) * 1e-3)
@compile
fn tiny(x) = x * 0.5
x = linspace(-3.0, 5.0, 300001)
print(tiny(1e-308), 1e-310, 5e-324 * 1.0, f32(1e-40) * f32(0.5))
print(loop(1.0, 1000), fused(x), grad(fused)(x[0:5]))
print(sum(tiny(x * 1e-308)), mean(x / 7.0), x.sum(), prod(x[0:7]))
print(1.0 / 3.0, 2.0 / 3.0, -1.0 / 3.0, f32(1.0) / f32(3.0), 0.1 + 0.2, 1e16 + 1.0)
print(0.0 / 0.0, 1.0 / 0.0, 1e308 * 10.0, exp(1000.0), log(0.0), sqrt(-1.0), i64(1e300), i32(nan))
a = [sin(1.0 * i * j) + (3.0 if i == j else 0.0) for i in range(40), j in range(40)]
print(sum(a @ a), sum(inv(a)), sum(svd(a)[1]), det(a), sum(eigh(a + a.T)[0]), sum(solve(a, a[0])))
seed(3)
print(sum(randn(100000)), sort(rand(5)), round(2.5), round(-0.5), floor(-0.5), 7.0 // 2.0, -7.5 % 2.0)
print(erf(0.3), lgamma(3.3), tanh(0.4), 2.0 ^ 0.5, log1p(1e-10), f"{2.0 / 3.0:.3f} {1e-7 / 3.0:e}")
print(vmap(y -> y / 3.0)(x[0:4]), cumsum(x[0:4] / 3.0), 123456789.123456789, 1e-320)
)";

std::string printed_by(covec::host::Options options) {
  std::string text;
  std::vector<State> seen;
  const State host = state();
  options.output = [&](covec_stream, std::string_view part) {
    seen.push_back(state());
    const covec::FloatingScope standard;  // for the test's own sake
    text += part;
  };
  Session session(options);
  auto result = session.run(program);
  const State after = state();
  const covec::FloatingScope standard;
  EXPECT_TRUE(result) << result.error().text;
  EXPECT_EQ(after, host);
  EXPECT_FALSE(seen.empty());
  for (const State& inside : seen) EXPECT_EQ(inside, host);
  return text;
}

// An engine of the command's variable; "baseline": what a processor without AVX2 gets.
class Environments : public testing::TestWithParam<std::string> {
 protected:
  Environments() : variable_(GetParam() == "baseline" ? "COVEC_ISA" : "COVEC_ENGINE") {
    setenv(variable_, GetParam().c_str(), 1);
  }
  ~Environments() override { unsetenv(variable_); }
  const std::string expected = printed_by({.threads = 1});  // of the usual engine, which reads no variables

 private:
  const char* const variable_;
};

TEST_P(Environments, ChangeNothing) {
  const covec::host::Options options{.threads = 4, .use_environment = true};
  EXPECT_EQ(printed_by(options), expected);
  for (const Case& each : cases) {
    set(each.vectors, each.x87);
    const std::string got = printed_by(options);
    set(0x1f80, 0x37f);
    EXPECT_EQ(got, expected) << each.name;
  }
}

// Each worker of the pool has been left with another environment, by another user of the pool.
TEST_P(Environments, OfWorkersChangeNothing) {
  const covec::host::Options options{.threads = 4, .use_environment = true};
  EXPECT_EQ(printed_by(options), expected);
  const std::thread::id here = std::this_thread::get_id();
  oneapi::tbb::parallel_for(0, 4000, [&](int) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (std::this_thread::get_id() != here) set(0x1f80 | 0x8040 | 0x6000, 0xc7f);
  });
  EXPECT_EQ(printed_by(options), expected);
}

INSTANTIATE_TEST_SUITE_P(Engines, Environments, testing::Values("eager", "marked", "compiled", "c99", "baseline"),
                         [](const auto& engine) { return engine.param; });

// What a host's function does to its environment is the host's from then on.
TEST(Environment, OfAFunctionOfTheHostStays) {
  Session session({.output = [](covec_stream, std::string_view) { set(0x1f80 | 0x6000, 0xf7f); }});
  const bool good = bool(session.run("print(1)\nassert(1.0 / 3.0 == 0.3333333333333333)"));
  const State after = state();
  set(0x1f80, 0x37f);
  EXPECT_TRUE(good);
  EXPECT_EQ(after, (State{0x1f80 | 0x6000, 0xf7f}));
}

TEST(Environment, IsTheHostsWhereMemoryGoesBack) {
  static State seen;
  Session session;
  static const double cells[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const int64_t dims[] = {9};
  covec_value* value = nullptr;
  ASSERT_EQ(covec_lend(
                session.raw(), COVEC_F64, 1, dims, cells, [](void*) { seen = state(); }, nullptr, &value),
            COVEC_OK);
  set(0x1f80 | 0x2000, 0x77f);
  covec_release(value);
  set(0x1f80, 0x37f);
  EXPECT_EQ(seen, (State{0x1f80 | 0x2000, 0x77f}));
}

// A host decides whether the process's variables count.
TEST(Environment, IsReadOnlyWhereTheHostSaysSo) {
  const char* text =
      "@compile\nfn f(x) = sum(sin(x) @ x)\nimport optim\nprint(f(ones(300, 300)), devices())\nexplain(f)";
  const auto asks = [&](bool use_environment) {
    const int before = asked;
    Session session({.output = [](covec_stream, std::string_view) {}, .use_environment = use_environment});
    const auto result = session.run(text);
    EXPECT_TRUE(result) << result.error().text;
    return asked - before;
  };
  EXPECT_EQ(asks(false), 0);
  EXPECT_GT(asks(true), 0);  // the variables are asked for through this test's getenv
}

// The flags of exceptions that a host has raised are its own.
TEST(Environment, KeepsTheHostsFlags) {
  Session session;
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_UNDERFLOW);
  ASSERT_TRUE(session.run("x = 0.0 / 0.0"));
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT) & ~FE_INEXACT, FE_UNDERFLOW);
  std::feclearexcept(FE_ALL_EXCEPT);
}

// Numbers are read and written alike wherever the host lives: a comma of its language is none of the program's.
TEST(Environment, LocaleChangesNothing) {
  const std::string expected = printed_by({.threads = 1});
  const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8"};
  unsigned tried = 0;
  for (const char* name : names) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    ++tried;
    std::string got = printed_by({.threads = 1});
    Session session;
    const std::string tiny = session.run("1.5e-400")->text(), half = session.run("0.5e0 + 1_000.25")->text();
    std::setlocale(LC_ALL, "C");
    EXPECT_EQ(got, expected) << name;
    EXPECT_EQ(tiny, "0.0") << name;
    EXPECT_EQ(half, "1000.75") << name;
  }
  if (tried == 0) GTEST_SKIP() << "neither a locale with a decimal comma nor localedef and its sources to make one";
}

}  // namespace
