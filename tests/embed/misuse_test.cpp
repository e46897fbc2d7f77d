// What a host does wrong is a status: memory that is no tensor, handles that are none, calls out of its own functions,
// exceptions, small stacks. On all engines where code runs.
#include <gtest/gtest.h>
#include <pthread.h>
#include <covec/covec.hpp>

#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace {

using covec::host::Handle;
using covec::host::Result;
using covec::host::Session;

constexpr const char* engines[] = {"eager", "marked", "compiled", "c99"};

// --- memory ---

covec_status share(Session& session, covec_dtype dtype, std::vector<int64_t> dims, const void* data) {
  covec_value* value = nullptr;
  const covec_status status = covec_lend(
      session.raw(), dtype, static_cast<unsigned>(dims.size()), dims.data(), data,
      [](void*) { FAIL() << "released what was never shared"; }, nullptr, &value);
  if (status != COVEC_OK) {
    EXPECT_EQ(value, nullptr);
    EXPECT_STRNE(covec_error_message(session.raw()), "");
  }
  return status;
}

TEST(Misuse, BoolsAreZeroOrOne) {
  Session session;
  const unsigned char bools[] = {0, 1, 1, 255, 0, 2};
  EXPECT_EQ(share(session, COVEC_BOOL, {6}, bools), COVEC_MISUSE);
  EXPECT_STREQ(covec_error_message(session.raw()), "a bool is neither 0 nor 1");
  EXPECT_EQ(share(session, COVEC_BOOL, {}, bools + 3), COVEC_MISUSE);
  covec_value* good = nullptr;
  const int64_t dims[] = {3};
  ASSERT_EQ(covec_lend(session.raw(), COVEC_BOOL, 1, dims, bools, nullptr, nullptr, &good), COVEC_OK);
  const Handle handle(good);
  ASSERT_TRUE(session.set("x", handle));
  EXPECT_EQ(session.run("sum(x)")->text(), "2");
}

TEST(Misuse, DimensionsMultiplyToWhatThereCanBe) {
  Session session;
  const double one = 1;
  constexpr int64_t half = int64_t{1} << 32;
  EXPECT_EQ(share(session, COVEC_F64, {half, half}, &one), COVEC_MISUSE);        // 2^64: no elements
  EXPECT_EQ(share(session, COVEC_F64, {half, half, 0}, &one), COVEC_MISUSE);     // its strides overflow
  EXPECT_EQ(share(session, COVEC_F64, {int64_t{1} << 61}, &one), COVEC_MISUSE);  // 2^64 bytes
  EXPECT_EQ(share(session, COVEC_BOOL, {INT64_MAX, 2}, &one), COVEC_MISUSE);
  EXPECT_EQ(share(session, COVEC_F64, {-1}, &one), COVEC_MISUSE);
  EXPECT_EQ(share(session, COVEC_F64, {INT64_MIN}, &one), COVEC_MISUSE);
  EXPECT_EQ(share(session, COVEC_F64, {2}, nullptr), COVEC_MISUSE);
  EXPECT_EQ(share(session, static_cast<covec_dtype>(12), {1}, &one), COVEC_MISUSE);
}

TEST(Misuse, RanksAreLimited) {
  Session session;
  covec_value* value = nullptr;
  const double one = 1;
  const std::vector<int64_t> dims(17, 1);
  EXPECT_EQ(share(session, COVEC_F64, dims, &one), COVEC_MISUSE);
  // The dimensions are not read where there are too many to be true.
  for (const unsigned rank : {18u, 1000000u, std::numeric_limits<unsigned>::max()}) {
    EXPECT_EQ(covec_lend(session.raw(), COVEC_F64, rank, dims.data(), &one, nullptr, nullptr, &value), COVEC_MISUSE);
  }
  EXPECT_EQ(covec_lend(session.raw(), COVEC_F64, 1, nullptr, &one, nullptr, nullptr, &value), COVEC_MISUSE);
}

TEST(Misuse, AVectorHasAsManyElementsAsItsDimensionsSay) {
  Session session;
  EXPECT_EQ(session.tensor<double>({1.0, 2.0}, {100000000}).error().status, COVEC_MISUSE);
  EXPECT_EQ(session.tensor<double>({}, {int64_t{1} << 32, int64_t{1} << 32}).error().status, COVEC_MISUSE);
  EXPECT_EQ(session.tensor<double>({1.0, 2.0}, {-1, -2}).error().status, COVEC_MISUSE);
  EXPECT_EQ(session.tensor<double>({1.0, 2.0}, {}).error().status, COVEC_MISUSE);
  EXPECT_EQ(session.tensor<double>({1.0, 2.0, 3.0}, {0, 3}).error().status, COVEC_MISUSE);
  EXPECT_TRUE(session.tensor<double>({1.0, 2.0}, {2, 1}));
  EXPECT_TRUE(session.tensor<double>({}, {0, 7}));
  const std::vector<double> data(6);
  EXPECT_EQ(session.lend<double>(data, {int64_t{1} << 62, 4}).error().status, COVEC_MISUSE);
  EXPECT_EQ(session.lend<double>(data, {0, 3}).error().status, COVEC_MISUSE);
  EXPECT_TRUE(session.lend<double>(data, {3, 2}));
}

TEST(Misuse, ANumberIsCopiedAndGivenBackAtOnce) {
  Session session;
  static int released = 0;
  const double one = 1;
  covec_value* value = nullptr;
  ASSERT_EQ(covec_lend(
                session.raw(), COVEC_F64, 0, nullptr, &one, [](void*) { ++released; }, nullptr, &value),
            COVEC_OK);
  EXPECT_EQ(released, 1);
  covec_release(value);
}

// --- handles and names ---

TEST(Misuse, NullIsAStatus) {
  Session session;
  covec_session* raw = session.raw();
  ASSERT_TRUE(session.run("fn f(x) = x"));
  const Handle f = *session.get("f");
  covec_value* value = nullptr;
  EXPECT_EQ(covec_call(raw, f.get(), nullptr, 1, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_call(raw, f.get(), nullptr, SIZE_MAX, nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_call(raw, f.get(), &value, 1, &value), COVEC_MISUSE);  // an argument is null
  EXPECT_EQ(covec_call(raw, nullptr, nullptr, 0, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_call(raw, f.get(), nullptr, 0, nullptr), COVEC_ERROR);  // f has a parameter
  EXPECT_EQ(covec_run(raw, nullptr, nullptr, nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_run(raw, nullptr, "1 +", nullptr), COVEC_ERROR);
  EXPECT_EQ(covec_run_file(raw, nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_get(raw, nullptr, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_get(raw, "f", nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_set(raw, nullptr, f.get()), COVEC_MISUSE);
  EXPECT_EQ(covec_set(raw, "x", nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_look(raw, f.get(), nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_close(nullptr), COVEC_OK);
  EXPECT_STREQ(covec_text(nullptr), "none");
  EXPECT_EQ(covec_text_bytes(nullptr), 4u);
}

TEST(Misuse, NamesAreThoseOfVariables) {
  Session session;
  const Handle one = *session.scalar(1.0);
  for (const char* name :
       {"fn", "return", "if",     "else", "for",   "in",   "while", "break", "continue", "import", "as",  "and",
        "or", "not",    "assert", "true", "false", "none", "",      "1a",    "a b",      "a.b",    "\xff"}) {
    EXPECT_EQ(session.set(name, one).error().status, COVEC_MISUSE) << name;
  }
  for (const char* name : {"x", "fnord", "größe", "None", "_"}) EXPECT_TRUE(session.set(name, one)) << name;
}

TEST(Misuse, ZeroBytesAreNotTheEnd) {
  Session session;
  const std::string zero(1, '\0');
  EXPECT_EQ(session.run("1 + 1" + zero + "+ 5").error().status, COVEC_MISUSE);
  EXPECT_EQ(session.set("x" + zero, *session.scalar(1.0)).error().status, COVEC_MISUSE);
  EXPECT_EQ(session.get("x" + zero).error().status, COVEC_MISUSE);
  EXPECT_EQ(session.run_file("x" + zero).error().status, COVEC_MISUSE);
  EXPECT_EQ(session.run(R"("a\0b")")->text(), "a" + zero + "b");
  EXPECT_EQ(session.run(R"(assert false, "a\0b")").error().message, R"(assertion failed: a\0b)");
}

// --- the host's own functions ---

struct Calls {
  covec_session* session = nullptr;
  covec_value* value = nullptr;
  std::function<void(Calls&)> body;
  static void forward(void* user, covec_stream, const char*, size_t) {
    auto& calls = *static_cast<Calls*>(user);
    if (calls.session != nullptr) calls.body(calls);
  }
};

TEST(Misuse, ASessionThatRunsIsLeftAlone) {
  for (const char* engine : engines) {
    setenv("COVEC_ENGINE", engine, 1);
    std::vector<covec_status> got;
    Calls calls;
    calls.body = [&](Calls& c) {
      covec_value* value = nullptr;
      covec_view view;
      double number = 0;
      got = {covec_close(c.session),
             covec_run(c.session, "inner", "x = 2", nullptr),
             covec_run_file(c.session, "none.covec"),
             covec_get(c.session, "x", &value),
             covec_set(c.session, "x", c.value),
             covec_call(c.session, c.value, nullptr, 0, &value),
             covec_look(c.session, c.value, &view),
             covec_lend(c.session, COVEC_F64, 0, nullptr, "12345678", nullptr, nullptr, &value),
             covec_number(c.session, 1, &value),
             covec_tuple(c.session, &c.value, 1, &value),
             covec_copy(c.session, c.value, &value),
             covec_names(c.session, &value),
             covec_get_number(c.session, c.value, &number),
             covec_grad(c.session, c.value, nullptr, &value),
             covec_call_numbers(c.session, c.value, nullptr, 0, &number, 1)};
      EXPECT_EQ(value, nullptr);
      EXPECT_STRNE(covec_error_message(c.session), "");
      EXPECT_STREQ(covec_text(c.value), "1.0");
      Session other;  // is free
      EXPECT_TRUE(other.run("y = 1"));
    };
    covec_options options{};
    options.threads = 1;
    options.output = Calls::forward;
    options.user = &calls;
    options.use_environment = 1;
    covec_session* session = covec_open(&options);
    ASSERT_EQ(covec_run(session, "a", "x = 1.0\nx", &calls.value), COVEC_OK);
    calls.session = session;
    EXPECT_EQ(covec_run(session, "b", "@compile\nfn f(x) { print(x)\n return x + 1 }\ny = f(x)\nx = 5.0", nullptr),
              COVEC_OK)
        << covec_error_text(session);
    EXPECT_STREQ(covec_error_message(session), "");
    EXPECT_EQ(got, std::vector<covec_status>(15, COVEC_MISUSE)) << engine;
    calls.session = nullptr;
    covec_release(calls.value);
    EXPECT_EQ(covec_run(session, "c", "assert(x == 5.0 and y == 2.0)", nullptr), COVEC_OK);
    EXPECT_EQ(covec_close(session), COVEC_OK);
    unsetenv("COVEC_ENGINE");
  }
}

TEST(Misuse, OneThreadAtATime) {
  Calls calls;
  covec_status inner = COVEC_OK;
  calls.body = [&](Calls& c) { std::thread([&] { inner = covec_run(c.session, "inner", "x = 2", nullptr); }).join(); };
  covec_options options{};
  options.threads = 1;
  options.output = Calls::forward;
  options.user = &calls;
  covec_session* session = covec_open(&options);
  calls.session = session;
  EXPECT_EQ(covec_run(session, "a", "x = 1\nprint(x)", nullptr), COVEC_OK);
  EXPECT_EQ(inner, COVEC_MISUSE);
  EXPECT_EQ(covec_run(session, "a", "assert(x == 1)", nullptr), COVEC_OK);
  covec_close(session);
}

struct Thrown {};

TEST(Misuse, AnExceptionOfTheHostIsAnError) {
  for (const char* engine : engines) {
    setenv("COVEC_ENGINE", engine, 1);
    unsigned calls = 0;
    Session session({.output =
                         [&](covec_stream, std::string_view) {
                           if (++calls == 3) throw std::runtime_error("disk full");
                           if (calls == 5) throw Thrown();
                         },
                     .use_environment = true});
    const char* text = "@compile\nfn f(x) { print(x)\n return x + 1 }\nfor i in range(3) { f(1.0 * i) }";
    const auto stopped = session.run(text, "model");
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().status, COVEC_ERROR) << engine;
    EXPECT_EQ(stopped.error().message, "the host function threw an exception: disk full") << engine;
    EXPECT_NE(stopped.error().text.find("model:2:"), std::string::npos) << stopped.error().text;
    EXPECT_TRUE(session.run("print(1)"));
    const auto again = session.run("print(2)");
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().message.find("unknown type"), std::string::npos);
    EXPECT_EQ(session.run("1 + 1")->text(), "2");  // and the session goes on
    unsetenv("COVEC_ENGINE");
  }
}

TEST(Misuse, AnExceptionWhereMemoryGoesBackIsDropped) {
  Session session;
  static const double cells[9] = {};
  const int64_t dims[] = {9};
  covec_value* value = nullptr;
  ASSERT_EQ(covec_lend(
                session.raw(), COVEC_F64, 1, dims, cells, [](void*) { throw Thrown(); }, nullptr, &value),
            COVEC_OK);
  covec_release(value);
  EXPECT_TRUE(session.run("1"));
}

// --- the process's variables ---

TEST(Misuse, TheEnvironmentIsReadWhereTheHostSaysSo) {
  setenv("COVEC_ENGINE", "compiled", 1);
  setenv("COVEC_THREADS", "3", 1);
  setenv("COVEC_PATH", "/nowhere", 1);
  constexpr const char* text = "fn f(x) = x * 2\nf(1.0)\nexplain(f)";
  Session aware({.use_environment = true}), unaware;
  const std::string with = aware.run(text)->text(), without = unaware.run(text)->text();
  for (const char* name : {"COVEC_ENGINE", "COVEC_THREADS", "COVEC_PATH"}) unsetenv(name);
  EXPECT_NE(with, without);
  Session plain;
  EXPECT_EQ(plain.run(text)->text(), without);
}

// COVEC_ENGINE=c99 runs the cc of the PATH: nothing may be started unasked.
TEST(Misuse, NothingIsStartedUnasked) {
  const std::string path = std::getenv("PATH");
  setenv("COVEC_ENGINE", "c99", 1);
  setenv("PATH", "/nowhere", 1);
  Session unaware;
  const auto value = unaware.run("@compile\nfn f(x) = x * 2\nf(1.5)");
  setenv("PATH", path.c_str(), 1);
  unsetenv("COVEC_ENGINE");
  ASSERT_TRUE(value) << value.error().text;
}

}  // namespace
