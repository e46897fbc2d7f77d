// Who is taken, code or interpreter, when both are timed: the faster one for most calls, and nobody for ever.
#include "jit/compiler/contest.hpp"

#include <gtest/gtest.h>

namespace covec::jit {
namespace {

// The time that `calls` calls take where one of the code takes `code` ns and one of the interpreter `interpreter` ns.
double time_of(Contest& contest, uint64_t code, uint64_t interpreter, unsigned calls) {
  double sum = 0;
  unsigned lent = 0;
  for (unsigned i = 0; i < calls; ++i) {
    if (lent > 0) {
      --lent;
      sum += static_cast<double>(interpreter);
      continue;
    }
    switch (contest.turn()) {
      case Contest::Turn::timed_code: contest.code_took(code); [[fallthrough]];
      case Contest::Turn::code: sum += static_cast<double>(code); break;
      case Contest::Turn::timed_interpreter:
        lent = contest.interpreter_took(interpreter);
        sum += static_cast<double>(interpreter);
        break;
    }
  }
  return sum / calls;
}

// The best, but for a dozen of the slower calls.
TEST(Contest, TheFasterOneIsTakenForMostCalls) {
  for (const uint64_t code : {200u, 1'000u, 5'000u, 300'000u}) {
    for (const uint64_t interpreter : {50u, 190u, 900u, 20'000u, 4'000'000u}) {
      Contest contest;
      contest.costs(40'000);
      constexpr unsigned calls = 200'000;
      const double each = time_of(contest, code, interpreter, calls);
      const auto best = static_cast<double>(std::min(code, interpreter));
      const auto worst = static_cast<double>(std::max(code, interpreter));
      EXPECT_LE(each, 1.1 * best + 12 * worst / calls) << code << " " << interpreter;
    }
  }
}

TEST(Contest, WhatChangesIsSeen) {
  Contest contest;
  contest.costs(40'000);
  time_of(contest, 300'000, 200, 100'000);
  EXPECT_LE(time_of(contest, 1'000, 50'000, 400'000), 12'000);
  EXPECT_LE(time_of(contest, 300'000, 200, 400'000), 40'000);
}

TEST(Contest, OneDisturbanceIsSoonForgotten) {
  Contest contest;
  contest.costs(40'000);
  ASSERT_EQ(contest.turn(), Contest::Turn::timed_code);
  contest.code_took(50'000'000);  // something else ran
  EXPECT_LE(time_of(contest, 100'000, 200, 10'000), 2'000);
}

// Code that does much more than look at what goes in is not compared with an interpreter that takes very much longer.
TEST(Contest, LongCallsAreHardlyInterpreted) {
  Contest contest;
  contest.costs(1'000);
  EXPECT_LE(time_of(contest, 1'000'000, 100'000'000, 100'000), 1'000'000);
}

TEST(Contest, NothingIsOnWithoutCosts) {
  Contest contest;
  EXPECT_FALSE(contest.is_on());
  contest.costs(1);
  EXPECT_TRUE(contest.is_on());
  contest.costs(0);
  EXPECT_FALSE(contest.is_on());
}

}  // namespace
}  // namespace covec::jit
