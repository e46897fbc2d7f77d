#include "jit/dispatch/dispatcher.hpp"

#include <chrono>

namespace covec::jit {

namespace {

using State = Standing::State;

// Bit k: whose turn call k of the probes is; code begins. Not in turn: programs alternate, too.
constexpr uint64_t turns = 0xb5297a4d68e31da5;

// The interpreter must be so much faster: a twentieth, and what looking at the clock takes.
bool is_faster(const Standing& standing) {
  constexpr uint64_t parts = 20, ns = 20;
  const uint64_t interpreter = standing.interpreter.typical();
  return interpreter + interpreter / parts + ns < standing.code.typical() + standing.saved;
}

}  // namespace

uint64_t Dispatcher::steady_clock() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

Dispatcher::Turn Dispatcher::turn(Standing& standing, bool gains_little, uint64_t stands_for) {
  if (tier_ == Tier::mixed) return {(draw() & 1) != 0 ? Engine::code : Engine::interpreter, false};
  if (tier_ != Tier::timed) return {tier_ == Tier::code ? Engine::code : Engine::interpreter, false};
  const bool open = !timing_;
  if (open && standing.state == State::unseen) {
    if (gains_little) {
      standing.state = standing.before = State::interpreter;
      standing.left = little;
      standing.interval = first / 4;
    } else {
      begin_probe(standing);
    }
  }
  if (open && standing.state != State::probing) {
    if (standing.left > stands_for)
      standing.left -= stands_for;
    else
      begin_probe(standing);
  }
  switch (standing.state) {
    case State::unseen: return {gains_little ? Engine::interpreter : Engine::code, false};
    case State::code: return {Engine::code, false};
    case State::interpreter: return {Engine::interpreter, open && is_looked_at(standing, stands_for)};
    case State::probing: break;
  }
  if (!open) return {Engine::code, false};
  const bool code = (turns >> (standing.calls++ % 64) & 1) != 0;
  return {code ? Engine::code : Engine::interpreter, true};
}

// One call in some: all others went without a look, or go untimed.
bool Dispatcher::is_looked_at(Standing& standing, uint64_t stands_for) {
  standing.untimed = stands_for > 1 ? 0 : (standing.untimed + 1) % looks_every;
  return standing.untimed == 0;
}

uint64_t Dispatcher::draw() {  // xorshift64, Marsaglia 2003
  word_ ^= word_ << 13;
  word_ ^= word_ >> 7;
  word_ ^= word_ << 17;
  return word_ >> 32;
}

void Dispatcher::begin_probe(Standing& standing) {
  const bool in_peace = standing.state == State::interpreter && standing.balance >= 0;
  if (standing.trip == 0 || (in_peace && standing.interval >= standing.trip)) standing.trip = first;
  standing.state = State::probing;
  standing.calls = 0;
  standing.code.clear();
  standing.interpreter.clear();
}

void Dispatcher::Timed::took(uint64_t ns) {
  if (standing_.state == State::probing)
    add_sample(standing_, engine_, ns);
  else if (standing_.state == State::interpreter && engine_ == Engine::interpreter)
    weigh(standing_, ns);
}

void Dispatcher::add_sample(Standing& standing, Engine engine, uint64_t ns) {
  Samples &code = standing.code, &interpreter = standing.interpreter;
  (engine == Engine::code ? code : interpreter).add(ns);
  if (engine == Engine::code && ns > std::max(long_call, most_times * standing.overhead))
    return decide(standing, State::code);
  const auto all_slower = [](const Samples& slow, const Samples& fast) {
    return slow.least() / much_slower > fast.largest();
  };
  const unsigned least = std::min(code.count(), interpreter.count());
  if (least < fewest_samples) return;
  if (least < Samples::most && !all_slower(code, interpreter) && !all_slower(interpreter, code)) return;
  decide(standing, is_faster(standing) ? State::interpreter : State::code);
}

void Dispatcher::decide(Standing& standing, State now) {
  standing.interval = now == standing.before ? std::min(4 * standing.interval, most) : first;
  standing.state = standing.before = now;
  standing.left = standing.interval;
  standing.of_code = standing.code.count() > 0 ? std::max<uint64_t>(standing.code.typical(), 1) : 0;
  standing.balance = 0;
}

// What a call takes depends on values as well. Where the interpreter loses more than it has won, code goes on. A few
// hundred microseconds are what a disturbance takes of a call that counts for several.
void Dispatcher::weigh(Standing& standing, uint64_t ns) {
  constexpr int64_t least = -512, most_won = 2048;  // times what code takes
  constexpr int64_t least_ns = -200'000, most_won_ns = 2'000'000;
  if (standing.of_code == 0) return;
  const auto code = static_cast<int64_t>(standing.of_code);
  const int64_t won = static_cast<int64_t>(standing.of_code + standing.saved) - static_cast<int64_t>(ns);
  standing.balance = std::min(standing.balance + looks_every * won, std::max(most_won * code, most_won_ns));
  if (standing.balance >= std::min(least * code, least_ns)) return;
  standing.state = standing.before = State::code;
  standing.left = standing.interval = standing.trip = std::min(4 * standing.trip, most);
}

uint64_t Dispatcher::without_look(uint64_t look, uint64_t call, uint64_t left) {
  constexpr uint64_t longest = 4096, part = 20, looks_until_then = 16;
  const uint64_t most_calls = std::clamp<uint64_t>(left / looks_until_then, looks_every, longest);
  const uint64_t mean = std::clamp<uint64_t>(part * look / std::max<uint64_t>(call, 1), looks_every, most_calls);
  return mean / 2 + draw() % mean;  // not always as many: programs repeat themselves, too
}

}  // namespace covec::jit
