// Who makes a call, code or interpreter, when both are timed: the faster one makes most calls, and neither for ever.
// The clock is fed.
#include "jit/dispatch/dispatcher.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <utility>

namespace covec::jit {
namespace {

uint64_t now = 0;

// A function as the compiler calls it: what one call by each engine takes is said call by call.
class Function {
 public:
  using Takes = std::function<uint64_t(Engine engine, unsigned call)>;
  Function(Dispatcher& dispatcher, Takes takes, bool gains_little = false, uint64_t overhead = 40'000)
      : dispatcher_(dispatcher), takes_(std::move(takes)), gains_little_(gains_little), overhead_(overhead) {}

  Engine call(unsigned number, const std::function<void()>& inside = {}) {
    if (shared_ > 0) {
      --shared_;
      now += takes_(Engine::interpreter, number);
      return Engine::interpreter;
    }
    tier_timing.overhead = overhead_;
    const Dispatcher::Turn turn = dispatcher_.turn(tier_timing, gains_little_, std::exchange(stands_for_, uint64_t{1}));
    timed += turn.timed;
    const uint64_t began = now, taken = takes_(turn.engine, number);
    if (!turn.timed) {
      run(taken, inside);
      return turn.engine;
    }
    Dispatcher::Timed call(dispatcher_, tier_timing, turn);
    run(taken, inside);
    call.took(now - began);
    if (tier_timing.state == TierTiming::State::interpreter) {
      shared_ = dispatcher_.calls_without_checks(overhead_, taken, tier_timing.left);
      stands_for_ = shared_ + 1;
    }
    return turn.engine;
  }
  // What a call takes on average.
  double average(unsigned calls) {
    const uint64_t began = now;
    for (unsigned i = 0; i < calls; ++i) call(i);
    return static_cast<double>(now - began) / calls;
  }

  TierTiming tier_timing;
  unsigned timed = 0;

 private:
  static void run(uint64_t taken, const std::function<void()>& inside) {
    now += taken;
    if (inside) inside();
  }

  Dispatcher& dispatcher_;
  const Takes takes_;
  const bool gains_little_;
  const uint64_t overhead_;
  uint64_t shared_ = 0, stands_for_ = 1;
};

Function::Takes always(uint64_t code, uint64_t interpreter) {
  return [=](Engine engine, unsigned) { return engine == Engine::code ? code : interpreter; };
}

class Dispatch : public testing::Test {
 protected:
  Dispatcher dispatcher{Tier::timed, [] { return now; }};
};

TEST_F(Dispatch, TheFasterOneMakesMostCalls) {
  for (const uint64_t code : {200u, 1'000u, 5'000u, 300'000u}) {
    for (const uint64_t interpreter : {50u, 190u, 900u, 20'000u, 4'000'000u}) {
      constexpr unsigned calls = 200'000;
      const double each = Function(dispatcher, always(code, interpreter)).average(calls);
      const auto best = static_cast<double>(std::min(code, interpreter));
      const auto worst = static_cast<double>(std::max(code, interpreter));
      EXPECT_LE(each, 1.05 * best + 25 + 64 * worst / calls) << code << " " << interpreter;
    }
  }
}

TEST_F(Dispatch, AJumpIsSeen) {
  bool jumped = false;
  Function f(dispatcher, [&](Engine engine, unsigned) {
    if (engine == Engine::code) return uint64_t{jumped ? 1'000u : 30'000u};
    return uint64_t{jumped ? 400'000u : 1'000u};
  });
  f.average(100'000);
  EXPECT_EQ(f.tier_timing.state, TierTiming::State::interpreter);
  jumped = true;
  EXPECT_LE(f.average(400'000), 2'500);
  jumped = false;
  f.average(2'000'000);
  EXPECT_LE(f.average(100'000), 1'500);
}

// Work of two sizes in turn, of which the interpreter is the better one for half the calls.
TEST_F(Dispatch, TwoAmountsOfWorkInTurn) {
  for (unsigned period : {2u, 3u, 4u, 7u, 64u}) {
    Function f(dispatcher, [&](Engine engine, unsigned call) {
      const bool large = call % period == 0;
      if (engine == Engine::code) return large ? uint64_t{2'500} : uint64_t{2'000};
      return large ? uint64_t{80'000} : uint64_t{100};
    });
    f.average(300'000);
    const double share = 1.0 / period;
    const double code = 2'500 * share + 2'000 * (1 - share), interpreter = 80'000 * share + 100 * (1 - share);
    const double times = period < 10 ? 1.3 : 1.6;  // rare large calls look like disturbances
    EXPECT_LE(f.average(300'000), times * std::min(code, interpreter)) << period;
  }
}

TEST_F(Dispatch, NoiseChangesNothing) {
  uint64_t word = 1;
  Function f(dispatcher, [&](Engine engine, unsigned) {
    word = word * 6364136223846793005u + 1442695040888963407u;
    const uint64_t base = engine == Engine::code ? 5'000 : 2'000;
    return base + (word >> 33) % (base / 4) + ((word >> 40) % 200 == 0 ? 20 * base : 0);
  });
  f.average(100'000);
  EXPECT_LE(f.average(1'000'000), 1.2 * 2'000 * 1.125 * 1.1);
}

TEST_F(Dispatch, OneDisturbanceIsSoonForgotten) {
  Function f(dispatcher, [](Engine engine, unsigned call) {
    return call == 0 ? uint64_t{50'000'000} : engine == Engine::code ? uint64_t{100'000} : uint64_t{200};
  });
  f.call(0);
  EXPECT_LE(f.average(100'000) - 500, 2'000);
}

// Code that does much more than look at what goes in is not compared with an interpreter that takes very much longer.
TEST_F(Dispatch, LongCallsAreNotInterpreted) {
  Function f(dispatcher, always(1'000'000, 100'000'000), false, 1'000);
  EXPECT_EQ(f.average(100'000), 1'000'000);
}

TEST_F(Dispatch, WhatGainsLittleIsInterpretedFirst) {
  Function f(dispatcher, always(1'000, 1'200), true, 0);
  for (unsigned i = 0; i < Dispatcher::little - Dispatcher::looks_every; ++i)
    ASSERT_EQ(f.call(i), Engine::interpreter) << i;
  f.average(10'000);
  EXPECT_EQ(f.tier_timing.state, TierTiming::State::code);
  Function g(dispatcher, always(1'000, 1'000), true, 0);  // code must be faster by more than a clock shows
  EXPECT_LE(g.average(100'000), 1'000);
}

TEST_F(Dispatch, FewCallsAreTimed) {
  Function code(dispatcher, always(1'000, 9'000)), interpreted(dispatcher, always(9'000, 1'000), false, 0);
  code.average(1'000'000);
  EXPECT_LE(code.timed, 100);
  interpreted.average(1'000'000);
  EXPECT_LE(interpreted.timed, 1'000'000 / Dispatcher::looks_every + 200);
}

// The time of a call in a call that is being timed is part of that one's.
TEST_F(Dispatch, CallsInsideAreNotTimed) {
  Function outer(dispatcher, always(1'000, 3'000)), inner(dispatcher, always(500, 100));
  for (unsigned i = 0; i < 6; ++i) outer.call(i, [&] { inner.call(i); });
  EXPECT_EQ(inner.timed, 0);
  EXPECT_EQ(inner.tier_timing.state, TierTiming::State::unseen);
  for (unsigned i = 0; i < 1'000; ++i) outer.call(i, [&] { inner.call(i); });
  EXPECT_GT(inner.timed, 0);
}

TEST_F(Dispatch, ACallInsideItselfIsNotTimed) {
  Function f(dispatcher, always(900, 500));
  const std::function<void()> once = [&] { f.call(0); };
  for (unsigned i = 0; i < 40; ++i) {
    const unsigned before = f.timed;
    f.call(i, once);
    EXPECT_LE(f.timed, before + 1);
  }
}

TEST_F(Dispatch, ACallThatFailsIsNoSample) {
  TierTiming tier_timing;
  for (unsigned i = 0; i < 100; ++i) {
    const Dispatcher::Turn turn = dispatcher.turn(tier_timing, false, 1);
    ASSERT_TRUE(turn.timed);
    try {
      const Dispatcher::Timed timed(dispatcher, tier_timing, turn);
      throw std::runtime_error("fails");
    } catch (const std::runtime_error&) {
    }
  }
  EXPECT_EQ(tier_timing.code.count() + tier_timing.interpreter.count(), 0);
  EXPECT_GT(Function(dispatcher, always(500, 100)).average(1'000), 0);  // others are timed again
}

TEST_F(Dispatch, WithoutALookLongerWhereALookTakesLong) {
  const auto mean = [&](uint64_t look, uint64_t call) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < 1'000; ++i) sum += dispatcher.calls_without_checks(look, call, 1'000'000);
    return static_cast<double>(sum) / 1'000;
  };
  EXPECT_NEAR(mean(0, 1'000), Dispatcher::looks_every, 1);
  EXPECT_NEAR(mean(40'000, 1'000), 800, 40);
  EXPECT_NEAR(mean(40'000'000, 10), 4'096, 200);
  EXPECT_LE(dispatcher.calls_without_checks(40'000'000, 10, 1'024), 96);  // some looks come before the next probe
}

TEST(DispatchTiers, AreAskedForByName) {
  TierTiming tier_timing;
  Dispatcher code(Tier::code), interpreter(Tier::interpreter), mixed(Tier::mixed);
  unsigned by_code = 0;
  for (unsigned i = 0; i < 1'000; ++i) {
    EXPECT_EQ(code.turn(tier_timing, true, 1).engine, Engine::code);
    EXPECT_EQ(interpreter.turn(tier_timing, false, 1).engine, Engine::interpreter);
    by_code += mixed.turn(tier_timing, true, 1).engine == Engine::code;
  }
  EXPECT_NEAR(by_code, 500, 60);
}

}  // namespace
}  // namespace covec::jit
