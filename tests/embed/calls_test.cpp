// Calls without handles, handles that are used again, and values that come back from any thread at any time.
#include <covec/covec.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using Numbers = std::vector<double>;

covec_status call(Program& program, const char* name, const Numbers& in, Numbers& out) {
  return covec_call_numbers(program.session, program.get(name), in.data(), in.size(), out.data(), out.size());
}

TEST(CallNumbers, GivesTheNumbersOfTheResultInOrder) {
  Program program(
      "fn f(x) = sin(x) * x + 1\n@compile\nfn g(x: f64, y: f64) = x * y\n"
      "fn parts(x) = {a: (x, 2), m: {\"k\": [x, x + 1]}, t: [[1, 2], [3, 4]].T, b: true, l: list(f32(0.5), "
      "f16(0.25))}\n"
      "fn nothing(x) = zeros(0)\nfn five() = 5");
  Numbers one(1);
  EXPECT_EQ(call(program, "f", {2.0}, one), COVEC_OK);
  EXPECT_EQ(one[0], std::sin(2.0) * 2.0 + 1);
  EXPECT_EQ(call(program, "g", {3.0, 4.0}, one), COVEC_OK);
  EXPECT_EQ(one[0], 12.0);
  EXPECT_EQ(call(program, "five", {}, one), COVEC_OK);
  EXPECT_EQ(one[0], 5.0);
  Numbers all(11);
  EXPECT_EQ(call(program, "parts", {7.0}, all), COVEC_OK) << covec_error_text(program.session);
  EXPECT_EQ(all, (Numbers{7, 2, 7, 8, 1, 3, 2, 4, 1, 0.5, 0.25}));
  Numbers none;
  EXPECT_EQ(call(program, "nothing", {1.0}, none), COVEC_OK);
}

TEST(CallNumbers, LeavesTheOutputAloneWhereItFails) {
  Program program("fn f(x) = (x, x)\nfn s(x) = (x, \"text\")\nfn e(x) = error(\"no\")\nfn i(x: i64) = x");
  Numbers out{-1.0, -2.0, -3.0};
  EXPECT_EQ(call(program, "f", {1.0}, out), COVEC_ERROR);
  EXPECT_STREQ(covec_error_message(program.session), "there are 2 numbers, and room for 3");
  EXPECT_EQ(call(program, "s", {1.0}, out), COVEC_ERROR);
  EXPECT_STREQ(covec_error_message(program.session), "expected numbers, got string");
  EXPECT_EQ(call(program, "e", {1.0}, out), COVEC_ERROR);
  EXPECT_EQ(call(program, "i", {1.0}, out), COVEC_ERROR);
  EXPECT_NE(std::strstr(covec_error_message(program.session), "i64"), nullptr);
  EXPECT_EQ(out, (Numbers{-1.0, -2.0, -3.0}));
  covec_value* const f = program.get("f");
  double number = 0;
  EXPECT_EQ(covec_call_numbers(program.session, f, nullptr, 1, &number, 1), COVEC_MISUSE);
  EXPECT_EQ(covec_call_numbers(program.session, f, &number, 1, nullptr, 2), COVEC_MISUSE);
  EXPECT_EQ(covec_call_numbers(program.session, nullptr, &number, 1, &number, 1), COVEC_MISUSE);
  EXPECT_EQ(covec_call_numbers(nullptr, f, &number, 1, &number, 1), COVEC_MISUSE);
  Program other("x = 1");
  EXPECT_EQ(covec_call_numbers(other.session, f, &number, 1, &number, 1), COVEC_MISUSE);
}

// The quick look at annotations says what the slow one says, and hands on what names of dimensions stand for.
TEST(CallNumbers, AnnotationsMeanTheSameFromOutside) {
  Program program(
      "fn f(x: f64[n], y: f64[n, m], k: i64 = 2, z: any[3, _] = ones(3, 1)) -> f64[n] = y @ ones(m) + n * x[0] + k\n"
      "@compile\nfn g(x: f64[n], n: i64) = sum(x) + n\n"
      "a = f([1.0, 2.0], ones(2, 3))\nb = f([1.0, 2.0], ones(2, 3), 5, ones(3, 4))\nc = g([1.0, 2.0], 2)");
  for (const auto& [call, message] : std::vector<std::pair<const char*, const char*>>{
           {"f([1.0], ones(2, 3), 2, ones(3, 1))", "dimension `n` is 1 in `x` but 2 in `y`"},
           {"f([1, 2], ones(2, 3), 2, ones(3, 1))", "`x` must be f64[n], got i64[2]"},
           {"f([1.0, 2.0], ones(2, 3), 2, ones(4, 1))", "`z` must be any[3, _]: axis 0 is 4, not 3"},
           {"f([1.0, 2.0], ones(2, 3), 2.5, ones(3, 1))", "`k` must be i64, got f64"},
           {"g([1.0, 2.0], 3)", "dimension `n` of `x` is 2, but the argument `n` is 3"}}) {
    EXPECT_EQ(covec_run(program.session, "call", call, nullptr), COVEC_ERROR) << call;
    EXPECT_STREQ(covec_error_message(program.session), message);
  }
  EXPECT_EQ(covec_run(program.session, "check", "assert(all(a == [7.0, 7.0]) and all(b == [10.0, 10.0]) and c == 5.0)",
                      nullptr),
            COVEC_OK)
      << covec_error_text(program.session);
}

TEST(CallNumbers, KeepsTheHostsFloatingPointEnvironment) {
  Program program("fn f(x) = x / 3");
  Numbers out(1);
  ASSERT_EQ(call(program, "f", {1.0}, out), COVEC_OK);
  const double standard = out[0];
  std::fesetround(FE_UPWARD);
  EXPECT_EQ(call(program, "f", {1.0}, out), COVEC_OK);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(out[0], standard);
}

// --- handles ---

TEST(Handles, AreUsedAgainAndKnowTheirSession) {
  Program program("x = 1.5"), other("x = 2.5");
  std::vector<covec_value*> many(1000);
  for (covec_value*& value : many) ASSERT_EQ(covec_get(program.session, "x", &value), COVEC_OK);
  for (covec_value* value : many) EXPECT_STREQ(covec_text(value), "1.5");
  for (covec_value* value : many) covec_release(value);
  covec_value* const again = program.get("x");
  EXPECT_EQ(covec_set(other.session, "y", again), COVEC_MISUSE);
  EXPECT_STREQ(covec_text(again), "1.5");
  EXPECT_STREQ(covec_text(other.get("x")), "2.5");
}

TEST(Handles, OutliveTheirSession) {
  constexpr size_t threads = 4, each = 4;
  for (int round = 0; round < 300; ++round) {
    covec_session* session = covec_open(nullptr);
    std::vector<covec_value*> values(threads * each);
    for (covec_value*& value : values) ASSERT_EQ(covec_run(session, "a", "[1.0, 2.0] * 2", &value), COVEC_OK);
    covec_close(session);
    EXPECT_STREQ(covec_text(values[0]), "[2.0, 4.0]");
    std::atomic<size_t> ready{0};
    std::vector<std::thread> releasing;
    for (size_t t = 0; t < threads; ++t) {
      releasing.emplace_back([&, t] {
        for (++ready; ready < threads;) std::this_thread::yield();
        for (size_t i = t * each; i < (t + 1) * each; ++i) covec_release(values[i]);
      });
    }
    for (std::thread& thread : releasing) thread.join();
  }
}

// Shared memory comes back once for each tensor, whichever thread releases it and when.
TEST(Handles, ComeBackFromManyThreadsWhileTheSessionRuns) {
  static std::atomic<unsigned> returned{0};
  returned = 0;
  constexpr size_t threads = 3, each = 2000;
  for (int round = 0; round < 3; ++round) {
    covec_session* session = covec_open(nullptr);
    static const double cells[16] = {};
    const int64_t dims[] = {16};
    std::vector<covec_value*> values(threads * each);
    for (covec_value*& value : values) {
      ASSERT_EQ(covec_lend(
                    session, COVEC_F64, 1, dims, cells, [](void*) { ++returned; }, nullptr, &value),
                COVEC_OK);
    }
    std::vector<std::thread> releasing;
    for (size_t t = 0; t < threads; ++t) {
      releasing.emplace_back([&, t] {
        for (size_t i = t * each; i < (t + 1) * each; ++i) covec_release(values[i]);
      });
    }
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(covec_run(session, "b", "s = sum(ones(100))", nullptr), COVEC_OK);
    }
    EXPECT_EQ(covec_close(session), COVEC_OK);
    for (std::thread& thread : releasing) thread.join();
    EXPECT_EQ(returned, (round + 1) * threads * each);
  }
}

TEST(Handles, TextsThatAreMadeCanBeReadFromAnyThread) {
  static covec_value* made = nullptr;
  static covec_value* string = nullptr;
  static bool seen = false;
  const auto look = [](void*, covec_stream, const char*, size_t) {
    std::thread([] {
      seen = made != nullptr && std::string(covec_text(made)) == "[1.0, 2.0]" && covec_text_bytes(made) == 10 &&
             std::string(covec_text(string), covec_text_bytes(string)) == std::string("a\0b", 3);
    }).join();
  };
  covec_options options{};
  options.threads = 1;
  options.output = look;
  covec_session* session = covec_open(&options);
  ASSERT_EQ(covec_run(session, "a", "[1.0, 2.0]", &made), COVEC_OK);
  ASSERT_EQ(covec_run(session, "a", "\"a\\0b\"", &string), COVEC_OK);
  EXPECT_STREQ(covec_text(made), "[1.0, 2.0]");
  EXPECT_EQ(covec_run(session, "b", "print(1)", nullptr), COVEC_OK);
  EXPECT_TRUE(seen);
  covec_release(made);
  covec_release(string);
  covec_close(session);
}

}  // namespace
