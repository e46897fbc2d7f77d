// SeenCalls: what is kept of an error and for how long, and breakpoints with a prompt of the test's own.
#include "interpreter/session/seen_calls.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "stdlib/tensor/pool.hpp"

namespace covec {
namespace {

uint64_t used_bytes(Session& session) { return session.context().pool->account().used; }

SessionOptions keeping() {
  SessionOptions options;
  options.keep_frames = true;
  return options;
}

CovecError error_of(Session& session, std::string_view text) {
  try {
    session.run_input(text);
  } catch (const CovecError& error) {
    return error;
  }
  ADD_FAILURE() << text << " does not fail";
  return CovecError(Diagnostic());
}

constexpr std::string_view failing = "fn f(n) { a = zeros(n); b = a[n]; return b }";
constexpr uint64_t bytes = 8 * 100000;  // of `a`

TEST(SeenCalls, TheNextInputGivesTheirMemoryBack) {
  Session session(keeping()), other;  // the other keeps nothing
  for (Session* each : {&session, &other}) {
    each->run_input(failing);
    error_of(*each, "f(100000)");
  }
  EXPECT_GE(used_bytes(session), used_bytes(other) + bytes);
  session.run_input("1");
  other.run_input("1");
  EXPECT_EQ(used_bytes(session), used_bytes(other));
}

TEST(SeenCalls, WhatAPromptHasMadeGoesWithThem) {
  constexpr uint64_t texts = 1 << 14;  // bytes, an upper estimate
  Session session(keeping());
  session.run_input(failing);
  const uint64_t before = used_bytes(session);
  const CovecError error = error_of(session, "f(100000)");
  {
    SeenCalls calls = SeenCalls::of_error(session, error);
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls.run(0, "sum(a)").value->f64(), 0.0);
    calls.run(0, "c = a + 1");
    EXPECT_EQ(calls.run(0, "sum(c)").value->f64(), 100000.0);
    EXPECT_GE(used_bytes(session), before + 2 * bytes);
  }
  session.run_input("1");
  EXPECT_LE(used_bytes(session), before + texts);
}

TEST(SeenCalls, ACaughtErrorKeepsNothing) {
  Session session(keeping());
  session.run_input(failing);
  session.run_input("fn g() { try { return f(100000) } catch { return 0 } }");
  const uint64_t before = used_bytes(session);
  session.run_input("g()");
  EXPECT_LE(used_bytes(session), before + bytes / 2);
}

TEST(SeenCalls, ScriptsKeepNothing) {
  Session session;
  session.run_input(failing);
  const CovecError error = error_of(session, "f(100000)");
  EXPECT_EQ(SeenCalls::of_error(session, error).size(), 0u);
}

// An error that no call of the program raised: what an earlier one has kept is not shown for it.
TEST(SeenCalls, AnErrorBeforeTheRunHasNoCalls) {
  Session session(keeping());
  session.run_input(failing);
  error_of(session, "f(100000)");
  const CovecError error = error_of(session, "unknown + 1");
  EXPECT_EQ(SeenCalls::of_error(session, error).size(), 0u);
}

struct Scripted final : ops::Prompt {
  explicit Scripted(Session& s) : session(s) { session.context().prompt = this; }
  bool open() override {
    SeenCalls calls = SeenCalls::of_breakpoint(session);
    at(calls);
    others = calls.keep_assignments();
    return goes_on;
  }
  Session& session;
  std::function<void(SeenCalls&)> at;
  std::vector<std::string> others;
  bool goes_on = true;
};

// A variable that nobody else holds is updated in place again: the prompt holds nothing once it is left.
TEST(Breakpoints, TheirVariablesAreUniqueAfterwards) {
  Session session;
  Scripted prompt(session);
  prompt.at = [](SeenCalls& calls) { EXPECT_EQ(calls.run(0, "a[1]").value->f64(), 0.0); };
  session.run_input("fn f(n) { a = zeros(n); breakpoint(); a[0] = 1.0; return sum(a) }");
  session.context().pool->reset_peak();
  const uint64_t before = used_bytes(session);
  EXPECT_EQ(session.run_input("f(100000)").value->f64(), 1.0);
  EXPECT_LE(session.context().pool->account().peak, before + bytes + bytes / 2);
}

TEST(Breakpoints, AssignmentsStay) {
  Session session;
  Scripted prompt(session);
  session.run_input("k = 5");
  session.run_input("fn f(x) { y = x; breakpoint(); return (x, y, k) }");
  prompt.at = [](SeenCalls& calls) {
    calls.run(0, "y = [1, 2]");
    calls.run(0, "k = 7");
    calls.run(1, "k");
  };
  EXPECT_EQ(session.text_of(*session.run_input("f(3)").value), "(3, [1, 2], 5)");
  EXPECT_EQ(prompt.others, std::vector<std::string>{"k"});
  prompt.at = [](SeenCalls& calls) { calls.run(1, "k = 7"); };
  EXPECT_EQ(session.text_of(*session.run_input("f(3)").value), "(3, 3, 7)");
}

TEST(Breakpoints, TheProgramEndsWhereThePromptSaysSo) {
  Session session;
  Scripted prompt(session);
  prompt.at = [](SeenCalls&) {};
  prompt.goes_on = false;
  session.run_input("fn f(x) { breakpoint(); return x }");
  EXPECT_EQ(error_of(session, "f(3)").diagnostics.front().code, "interrupted");
  EXPECT_EQ(error_of(session, "try { f(3) } catch { 1 }").diagnostics.front().code, "interrupted");
}

TEST(Breakpoints, WithoutAPromptTheyWarnOnce) {
  struct Recorder : ops::Output {
    void write(std::string_view) override {}
    void warn(std::string_view) override { ++warnings; }
    int warnings = 0;
  } recorder;
  SessionOptions options;
  options.output = &recorder;
  Session session(std::move(options));
  session.run_input("fn f(x) { breakpoint(); return x }");
  EXPECT_EQ(session.run_input("f(1) + f(2)").value->i64(), 3);
  EXPECT_EQ(recorder.warnings, 1);
}

}  // namespace
}  // namespace covec
