// A session that is given one text after the other keeps its size: texts, their code and what was compiled of them go
// with their last user. Measured as resident memory after many runs against half as many.
#include <gtest/gtest.h>
#include <unistd.h>
#include <covec/covec.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using covec::host::Handle;
using covec::host::Options;
using covec::host::Session;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool measured = false;  // a sanitizer keeps what was freed
#else
constexpr bool measured = true;
#endif

int64_t resident() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, pages = 0;
  file >> all >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// `number` stands for what differs from run to run: {}.
std::string with_number(std::string text, int number) {
  for (size_t at; (at = text.find("{}")) != std::string::npos;) text.replace(at, 2, std::to_string(number));
  return text;
}

void keeps_its_size(Session& session, const std::string& text, int runs, bool fails = false) {
  int64_t before = 0;
  for (int i = 0; i < 2 * runs; ++i) {
    if (i == runs) before = resident();
    const auto value = session.run(with_number(text, i));
    ASSERT_EQ(!value, fails) << (value ? "no error" : value.error().text);
  }
  const int64_t grown = (resident() - before) / runs;
  if (!measured) return;
  EXPECT_LT(grown, 200) << "bytes a run: " << text;
}

TEST(Growth, OfPlainTexts) {
  Session session({.threads = 1});
  keeps_its_size(session, "1 + 1", 5000);
  keeps_its_size(session, "x = [1.0, 2.0] + {}", 5000);
  keeps_its_size(session, "fn f(x) = x + {}\ny = f(1)", 5000);
  keeps_its_size(session, "s = \"{}\"\nr = {a: s, b: [i for i in range(3)]}", 5000);
}

TEST(Growth, OfErrors) {
  Session session({.threads = 1});
  keeps_its_size(session, "f(x -> ", 2000, true);
  keeps_its_size(session, "unknown_{}", 2000, true);
  keeps_its_size(session, "zeros(3) + zeros(4)", 2000, true);
  keeps_its_size(session, "fn f(x) = x @ [1.0, 2.0]\nf([1.0, 2.0, {}])", 2000, true);
  keeps_its_size(session, "import none_{}", 500, true);
}

TEST(Growth, OfModulesThatFail) {
  const auto folder = std::filesystem::temp_directory_path() / ("covec_growth_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "bad.covec") << "fn f(x) = x + 1\ny = f(zeros(1000)) + zeros(4)\n";
  Session session({.threads = 1});
  keeps_its_size(session, "import \"" + (folder / "bad.covec").string() + "\"", 500, true);
  std::filesystem::remove_all(folder);
}

TEST(Growth, OfCompiledFunctions) {
  Session session({.threads = 1});
  keeps_its_size(session, "@compile\nfn f(x) = sum(x * 2 + {})\nf([1.0])", 1500);
  keeps_its_size(session, "grad(compile(x -> sum(x * {})))([1.0, 2.0])", 1500);
  keeps_its_size(session, "@compile\nfn g(x) { l = list()\n l.push(x * 2 + 1)\n return y -> l[0] + y }\ng([1.0])(2.0)",
                 1000);
}

// Code of functions that are gone, in a function that stays.
TEST(Growth, OfWhatACompiledFunctionUses) {
  Session session({.threads = 1});
  ASSERT_TRUE(session.run(
      "@compile\nfn apply(f, x) = sum(f(x) + 1)\n@compile\nfn use(x) = sum(helper(x) * 2)\nhelper = x -> x"));
  keeps_its_size(session, "apply(x -> x * {}, [2.0])", 1500);
  keeps_its_size(session, "fn helper(x) = x + {}\nuse([3.0])", 1500);
}

TEST(Growth, WhereEveryFunctionIsCompiled) {
  setenv("COVEC_ENGINE", "compiled", 1);
  Session session({.threads = 1, .use_environment = true});
  keeps_its_size(session, "fn f(x) = x * 2 + {}\nf(1.0)", 1500);
  unsetenv("COVEC_ENGINE");
}

// What a pullback keeps points into the text that made it.
TEST(Growth, OfPullbacks) {
  Session session({.threads = 1});
  keeps_its_size(session, "r = vjp(x -> x * sin(x), {} * 1.0)\np = r[1]\np(1.0)", 3000);
}

TEST(Growth, OfCallsAndValues) {
  Session session({.threads = 1});
  ASSERT_TRUE(session.run("fn f(x) = [x, x * 2]"));
  const Handle f = *session.get("f");
  int64_t before = 0;
  for (int i = 0; i < 20000; ++i) {
    if (i == 10000) before = resident();
    const Handle x = *session.tensor<double>({1.0, 2.0, 1.0 * i}, {3});
    ASSERT_TRUE(session.set("x", x));
    ASSERT_TRUE(session.call(f, {x}));
    ASSERT_FALSE(session.call(f, {}));
  }
  if (!measured) return;
  EXPECT_LT((resident() - before) / 10000, 100);
}

// --- what is still used stays ---

TEST(Growth, AFunctionLivesOnWithoutItsText) {
  Session session({.threads = 1});
  ASSERT_TRUE(
      session.run("fn outer(n) = fn(x) { assert x > 0.0, \"not positive\"\n return x * n }\n"
                  "@compile\nfn fast(x) = sum(x * 2 + 1) * 3",
                  "first"));
  const Handle inner = *session.run("outer(3.0)"), fast = *session.get("fast");
  const Handle pullback = *session.run("vjp(x -> solve(x, [1.0, 2.0]), [[2.0, 0.0], [0.0, 4.0]])[1]");
  ASSERT_TRUE(session.run("outer = 1\nfast = 1"));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(session.run("y = x -> x + " + std::to_string(i) + "\ny(1.0)"));
  const Handle two = *session.scalar(2.0), less = *session.scalar(-1.0);
  EXPECT_EQ(session.call(inner, {two})->text(), "6.0");
  EXPECT_EQ(session.call(fast, {*session.tensor<double>({0.5}, {1})})->text(), "6.0");
  const Handle cotangent = *session.tensor<double>({1.0, 1.0}, {2});
  EXPECT_EQ(session.call(pullback, {cotangent})->text(), "[[-0.25 , -0.25 ],\n [-0.125, -0.125]]");
  const auto wrong = session.call(inner, {less});  // its error still shows its text
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text.find("first:1:"), std::string::npos) << wrong.error().text;
  EXPECT_NE(wrong.error().text.find("assert x > 0.0"), std::string::npos) << wrong.error().text;
}

// More compilations than a session keeps: the last are compiled like the first.
TEST(Growth, CompilesTheTenThousandthFunction) {
  Session session({.threads = 1});
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(session.run("g" + std::to_string(i % 1000) + " = compile(x -> sum(x * x * x + " + std::to_string(i) +
                            "))\ng" + std::to_string(i % 1000) + "([1.0])"));
  }
  auto text = session.run("fn last(x) = sum(x * x * 2 + x)\nlast = compile(last)\nlast([2.0])\nexplain(last)");
  ASSERT_TRUE(text);
  EXPECT_NE(text.value().text().find("compiled, all of it"), std::string::npos) << text.value().text();
  EXPECT_EQ(text.value().text().find("interpreted"), std::string::npos) << text.value().text();
  EXPECT_EQ(session.run("g7([2.0])")->text(), "9015.0");
}

}  // namespace
