#include "jit/dispatch/dispatcher.hpp"

#include <chrono>

namespace covec::jit {

namespace {

using State = TierTiming::State;

// Bit k: whose turn call k of the probes is; code begins. Not in turn: programs alternate, too.
constexpr uint64_t turns = 0xb5297a4d68e31da5;

// The interpreter must be so much faster: a twentieth, and what looking at the clock takes.
bool is_faster(const TierTiming& tier_timing) {
  constexpr uint64_t parts = 20, ns = 20;  // parts of a call's time, and ns (docs/compiling.md)
  const uint64_t interpreter = tier_timing.interpreter.typical();
  return interpreter + interpreter / parts + ns < tier_timing.code.typical() + tier_timing.saved;
}

}  // namespace

uint64_t Dispatcher::steady_clock() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

Dispatcher::Turn Dispatcher::turn(TierTiming& tier_timing, bool gains_little, uint64_t stands_for) {
  if (tier_ == Tier::mixed) return {(draw() & 1) != 0 ? Engine::code : Engine::interpreter, false};
  if (tier_ != Tier::timed) return {tier_ == Tier::code ? Engine::code : Engine::interpreter, false};
  const bool open = !timing_;
  if (open && tier_timing.state == State::unseen) {
    if (gains_little) {
      tier_timing.state = tier_timing.before = State::interpreter;
      tier_timing.left = little;
      tier_timing.interval = first / 4;
    } else {
      begin_probe(tier_timing);
    }
  }
  if (open && tier_timing.state != State::probing) {
    if (tier_timing.left > stands_for)
      tier_timing.left -= stands_for;
    else
      begin_probe(tier_timing);
  }
  switch (tier_timing.state) {
    case State::unseen: return {gains_little ? Engine::interpreter : Engine::code, false};
    case State::code: return {Engine::code, false};
    case State::interpreter: return {Engine::interpreter, open && is_timed(tier_timing, stands_for)};
    case State::probing: break;
  }
  if (!open) return {Engine::code, false};
  const bool code = (turns >> (tier_timing.calls++ % 64) & 1) != 0;
  return {code ? Engine::code : Engine::interpreter, true};
}

// One call in some: all others went without a look, or go untimed.
bool Dispatcher::is_timed(TierTiming& tier_timing, uint64_t stands_for) {
  tier_timing.untimed = stands_for > 1 ? 0 : (tier_timing.untimed + 1) % looks_every;
  return tier_timing.untimed == 0;
}

uint64_t Dispatcher::draw() {  // xorshift64, Marsaglia 2003
  word_ ^= word_ << 13;
  word_ ^= word_ >> 7;
  word_ ^= word_ << 17;
  return word_ >> 32;
}

void Dispatcher::begin_probe(TierTiming& tier_timing) {
  const bool in_peace = tier_timing.state == State::interpreter && tier_timing.balance >= 0;
  if (tier_timing.trip == 0 || (in_peace && tier_timing.interval >= tier_timing.trip)) tier_timing.trip = first;
  tier_timing.state = State::probing;
  tier_timing.calls = 0;
  tier_timing.code.clear();
  tier_timing.interpreter.clear();
}

void Dispatcher::Timed::took(uint64_t ns) {
  if (tier_timing_.state == State::probing)
    add_sample(tier_timing_, engine_, ns);
  else if (tier_timing_.state == State::interpreter && engine_ == Engine::interpreter)
    weigh(tier_timing_, ns);
}

void Dispatcher::add_sample(TierTiming& tier_timing, Engine engine, uint64_t ns) {
  Samples &code = tier_timing.code, &interpreter = tier_timing.interpreter;
  (engine == Engine::code ? code : interpreter).add(ns);
  if (engine == Engine::code && ns > std::max(long_call, max_times * tier_timing.overhead))
    return decide(tier_timing, State::code);
  const auto all_slower = [](const Samples& slow, const Samples& fast) {
    return slow.least() / much_slower > fast.largest();
  };
  const unsigned least = std::min(code.count(), interpreter.count());
  if (least < min_samples) return;
  if (least < Samples::most && !all_slower(code, interpreter) && !all_slower(interpreter, code)) return;
  decide(tier_timing, is_faster(tier_timing) ? State::interpreter : State::code);
}

void Dispatcher::decide(TierTiming& tier_timing, State now) {
  tier_timing.interval = now == tier_timing.before ? std::min(4 * tier_timing.interval, most) : first;
  tier_timing.state = tier_timing.before = now;
  tier_timing.left = tier_timing.interval;
  tier_timing.of_code = tier_timing.code.count() > 0 ? std::max<uint64_t>(tier_timing.code.typical(), 1) : 0;
  tier_timing.balance = 0;
}

// What a call takes depends on values as well. Where the interpreter loses more than it has won, code goes on. A few
// hundred microseconds are what a disturbance takes of a call that counts for several.
void Dispatcher::weigh(TierTiming& tier_timing, uint64_t ns) {
  constexpr int64_t least = -512, max_won = 2048;  // times what code takes
  // Of what is lost, and of what is won.
  constexpr int64_t least_ns = -200'000, max_won_ns = 2'000'000;
  if (tier_timing.of_code == 0) return;
  const auto code = static_cast<int64_t>(tier_timing.of_code);
  const int64_t won = static_cast<int64_t>(tier_timing.of_code + tier_timing.saved) - static_cast<int64_t>(ns);
  tier_timing.balance = std::min(tier_timing.balance + looks_every * won, std::max(max_won * code, max_won_ns));
  if (tier_timing.balance >= std::min(least * code, least_ns)) return;
  tier_timing.state = tier_timing.before = State::code;
  tier_timing.left = tier_timing.interval = tier_timing.trip = std::min(4 * tier_timing.trip, most);
}

uint64_t Dispatcher::calls_without_checks(uint64_t look, uint64_t call, uint64_t left) {
  // Calls; the part of the time that looks may take; looks while `left` calls go by.
  constexpr uint64_t longest = 4096, part = 20, looks_until_then = 16;
  const uint64_t max_calls = std::clamp<uint64_t>(left / looks_until_then, looks_every, longest);
  const uint64_t mean = std::clamp<uint64_t>(part * look / std::max<uint64_t>(call, 1), looks_every, max_calls);
  return mean / 2 + draw() % mean;  // not always as many: programs repeat themselves, too
}

}  // namespace covec::jit
