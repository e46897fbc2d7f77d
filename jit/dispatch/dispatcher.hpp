// Decides at run time who makes a call that both code and interpreter can make (tier timing). From time to time both
// are timed for a few calls. The faster one makes the calls until the next probe. The longer the answer stays the same,
// the more calls lie between probes. Only the times depend on a clock, and nothing that a program sees depends on them.
// Start at Dispatcher::turn.
#pragma once

#include "jit/dispatch/tier_timing.hpp"

namespace covec::jit {

// COVEC_TIER: who makes the calls that are left open.
enum class Tier : uint8_t { timed, code, interpreter, mixed };

class Dispatcher {
 public:
  using Clock = uint64_t (*)();  // ns

  // Code whose calls take this long is not compared any more: the cost of the call itself does not matter there.
  static constexpr uint64_t long_call = 20'000;
  static constexpr uint64_t max_times = 8;                // as long as the overhead is long as well
  static constexpr uint64_t first = 256, most = 1 << 20;  // calls between two probes
  static constexpr uint64_t little = 2048;  // calls of the interpreter before code is tried of which little is expected
  static constexpr unsigned min_samples = 3;
  static constexpr uint64_t much_slower = 4;  // times, of all samples
  static constexpr int64_t looks_every = 32;  // calls of the interpreter, of which one is timed

  explicit Dispatcher(Tier tier, Clock clock = steady_clock) : tier_(tier), clock_(clock) {}

  uint64_t now() const { return clock_(); }

  struct Turn {
    Engine engine;
    bool timed;
  };
  // Whose turn a call is. `gains_little`: what is known beforehand speaks for the interpreter. `stands_for`: so many
  // calls were made since the last one, this one included. Calls inside one that is being timed are not timed.
  Turn turn(TierTiming& tier_timing, bool gains_little, uint64_t stands_for);

  // A call that is being timed. It counts where it ends with took().
  class Timed {
   public:
    Timed(Dispatcher& dispatcher, TierTiming& tier_timing, Turn turn)
        : dispatcher_(dispatcher), tier_timing_(tier_timing), engine_(turn.engine) {
      dispatcher_.timing_ = true;
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;
    ~Timed() { dispatcher_.timing_ = false; }
    void took(uint64_t ns);

   private:
    Dispatcher& dispatcher_;
    TierTiming& tier_timing_;
    const Engine engine_;
  };

  // How many calls the interpreter makes without a look at what goes in. One look and one of its calls take so long;
  // `left`: calls until the next probe.
  uint64_t calls_without_checks(uint64_t look, uint64_t call, uint64_t left);

 private:
  static uint64_t steady_clock();
  static bool is_timed(TierTiming& tier_timing, uint64_t stands_for);
  static void begin_probe(TierTiming& tier_timing);
  static void add_sample(TierTiming& tier_timing, Engine engine, uint64_t ns);
  static void weigh(TierTiming& tier_timing, uint64_t ns);
  static void decide(TierTiming& tier_timing, TierTiming::State now);
  uint64_t draw();

  const Tier tier_;
  const Clock clock_;
  bool timing_ = false;                 // a call is being timed
  uint64_t word_ = 0x9e3779b97f4a7c15;  // what is drawn from
};

}  // namespace covec::jit
