// Deep and long texts: each is read or refused with a message, in time that grows with its length and on a small
// stack. No clock is read: what would take exponential or quadratic time here would not end.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "frontend/parse/limits.hpp"
#include "tests/unit/frontend_support.hpp"

namespace covec::testing {
namespace {

std::string repeat(const std::string& text, size_t n) {
  std::string out;
  out.reserve(text.size() * n);
  for (size_t i = 0; i < n; ++i) out += text;
  return out;
}

void* run(void* work) {
  (*static_cast<std::function<void()>*>(work))();
  return nullptr;
}

// Calls `work` on a thread whose stack has `bytes` bytes.
void on_stack(size_t bytes, std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kStack = size_t{32} << 20;  // sanitizers make frames several times larger
#else
constexpr size_t kStack = size_t{4} << 20;
#endif

// Reads and resolves on a 4 MB stack; gives the keys of what was wrong.
std::string outcome(const std::string& text) {
  std::string out;
  on_stack(kStack, [&] {
    Session session;
    try {
      core::Unit* unit = session.compile(text);
      dump_core(*unit);
      dump_ast(session.sources, unit->file);
    } catch (const CovecError& e) {
      for (const Diagnostic& d : e.diagnostics) out += (out.empty() ? "" : " ") + std::string(d.code);
    }
  });
  return out;
}

constexpr size_t kMany = 100000;
const std::string kTooDeep = "nested_too_deeply";

TEST(Depth, AThousandLevelsOfEveryBracketAreRead) {
  size_t n = grammar::kMaxNesting;
  EXPECT_EQ(outcome("x = " + repeat("(", n) + "1" + repeat(")", n)), "");
  EXPECT_EQ(outcome("x = " + repeat("[", n) + "1" + repeat("]", n)), "");
  EXPECT_EQ(outcome("x = " + repeat("{a: ", n) + "1" + repeat("}", n)), "");
  EXPECT_EQ(outcome("x = " + repeat("sum(", n) + "1" + repeat(")", n)), "");
  EXPECT_EQ(outcome("y = 1\nx = " + repeat("y[", n) + "1" + repeat("]", n)), "");
  EXPECT_EQ(outcome("xs = 1\nx = " + repeat("[", n) + "1" + repeat(" for i in xs]", n)), "");
  EXPECT_EQ(outcome(repeat("if true {\n", n) + repeat("}", n)), "");
  EXPECT_EQ(outcome(repeat("while true {\n", n) + repeat("}", n)), "");
  EXPECT_EQ(outcome("fn f(y) {\n" + repeat("for i in y {\n", n - 1) + "x = i\n" + repeat("}", n)), "");
  EXPECT_EQ(outcome(repeat("fn f() {\n", n) + repeat("}", n)), "");
  EXPECT_EQ(outcome("x = " + repeat("fn() { x = ", n) + "1" + repeat("}", n)), "");
  EXPECT_EQ(outcome("x = " + repeat("f\"{", n) + "1" + repeat("}\"", n)), "");
  EXPECT_EQ(outcome("x = " + repeat("(1 + ", n) + "1" + repeat(")", n)), "");
  EXPECT_EQ(outcome("fn f(p: " + repeat("{a: ", n - 1) + "f64" + repeat("}", n - 1) + ") = p"), "");
  EXPECT_EQ(outcome(repeat("(", n - 1) + "a, b" + repeat(",)", n - 1) + " = 1"), "");
}

TEST(Depth, MoreIsRefused) {
  for (const char* open : {"(", "[", "{a: ", "sum(", "f\"{", "if true {", "fn f() {", "x[", "fn() {"}) {
    EXPECT_EQ(outcome(repeat(open, 16000)), kTooDeep) << open;
    EXPECT_EQ(outcome(repeat(open, kMany)), kTooDeep) << open;
  }
  EXPECT_EQ(outcome("x = " + repeat("(", 16000) + "1" + repeat(")", 16000)), kTooDeep);
  EXPECT_EQ(outcome("xs = 1\nx = " + repeat("[", 5000) + "1" + repeat(" for i in xs]", 5000)), kTooDeep);
}

TEST(Depth, ChainsWithoutBracketsAreRefused) {
  EXPECT_EQ(outcome("x = " + repeat("not ", kMany) + "true"), kTooDeep);
  EXPECT_EQ(outcome("x = " + repeat("-", kMany) + "1"), kTooDeep);
  EXPECT_EQ(outcome("x = " + repeat("~", kMany) + "1"), kTooDeep);
  EXPECT_EQ(outcome("x = 1" + repeat(" ^ 1", kMany)), kTooDeep);
  EXPECT_EQ(outcome("x = 1" + repeat(" if true else 1", kMany)), kTooDeep);
  EXPECT_EQ(outcome("x = " + repeat("a -> ", kMany) + "1"), kTooDeep);
  EXPECT_EQ(outcome("x = " + repeat("(a) -> ", kMany) + "1"), kTooDeep);
}

TEST(Depth, LongChainsAreRead) {
  EXPECT_EQ(outcome("x = 1" + repeat(" + 1", kMany)), "");
  EXPECT_EQ(outcome("x = 1" + repeat(" < 1", kMany / 4)), "");
  EXPECT_EQ(outcome("x = true" + repeat(" and true", kMany / 4)), "");
  EXPECT_EQ(outcome("y = 1\nx = y" + repeat(".a", kMany / 4)), "");
  EXPECT_EQ(outcome("y = 1\nx = y" + repeat("(1)", kMany / 4)), "");
  EXPECT_EQ(outcome("y = 1\nx = y" + repeat("[1]", kMany / 4)), "");
  EXPECT_EQ(outcome("y = 1\nx = y" + repeat(".sum()", kMany / 4)), "");
  EXPECT_EQ(outcome("y = 1\ny" + repeat("[1]", kMany / 4) + " = 2"), "");
  EXPECT_EQ(outcome("fn f(y) {\n  if y {}" + repeat(" else if y { y = 2 }", kMany / 8) + "\n  return y\n}"), "");
  EXPECT_EQ(outcome("fn f(y) = y" + repeat(" + y", kMany / 4)), "");
  EXPECT_EQ(outcome("print(1" + repeat(", 1", kMany) + ")"), "");
  EXPECT_EQ(outcome("x = [1" + repeat(", 1", kMany) + "]"), "");
}

// Each of these took time exponential or quadratic in its depth in some design: see docs/architecture.md.
TEST(Depth, MergedAlternativesAndIndexRulesAreLinear) {
  size_t n = grammar::kMaxNesting - 1;
  EXPECT_EQ(outcome("xs = 1\nx = " + repeat("[", n) + "1" + repeat(" for i in xs]", n)), "");
  EXPECT_EQ(outcome("x = " + repeat("(", n) + "1" + repeat(",)", n)), "");
  EXPECT_EQ(outcome("x = " + repeat("() -> (", n) + "1" + repeat(")", n)), "");
  EXPECT_EQ(outcome("y = 1\nx = " + repeat("y[1:", n) + "1" + repeat("]", n)), "");
  EXPECT_EQ(outcome("y = 1\nx = " + repeat("sum(y[i] + ", n / 2) + "1" + repeat(" for i)", n / 2)), "");
}

// Liveness reads each loop's body twice, not twice per level.
TEST(Depth, NestedLoopsAreLinear) {
  std::string text = "fn f(y) {\n" + repeat("while y {\n y = y + 1\n", 900) + "x = y\n" + repeat("}\n", 900) + "}";
  EXPECT_EQ(outcome(text), "");
}

// The token that tells whether a line goes on is looked for once, not from each line before it.
TEST(Depth, CommentsBehindAnOperatorAreLinear) {
  EXPECT_EQ(outcome("x = 1 +" + repeat("\n# c", 4 * kMany) + "\n2"), "");
  EXPECT_EQ(outcome("x = 1,\n2 +" + repeat("\n", 4 * kMany) + "2"), "");
}

// A chain of siblings hands captures on one by one; the work list must not look at all of them each time.
TEST(Depth, ManySiblings) {
  std::string text = "fn outer(x) {\n";
  for (int i = 0; i < 2000; ++i) text += "fn f" + std::to_string(i) + "() = f" + std::to_string(i + 1) + "()\n";
  text += "fn f2000() = x\n}";
  EXPECT_EQ(outcome(text), "");
}

}  // namespace
}  // namespace covec::testing
