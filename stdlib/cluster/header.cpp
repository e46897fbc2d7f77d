#include "stdlib/cluster/header.hpp"

#include <chrono>
#include <cstring>

#include "stdlib/gate/system.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::cluster {

namespace {

constexpr std::string_view operation_names[] = {
    "nothing",           "parallel.map",      "parallel.sum",     "parallel.all_gather", "covec ranks",
    "parallel.all_sum",  "parallel.all_max",  "parallel.all_min", "parallel.broadcast",  "parallel.scatter",
    "parallel.sendrecv", "parallel.shift",    "parallel.barrier", "parallel.grad",       "parallel.grad",
    "parallel.save",     "parallel.save_rows"};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// First without a pause, since others are near. Then others get the processor: ranks may be more than cores. Then sleep
// leaves it to kernels that run on other threads.
void pause(unsigned polls) {
  constexpr unsigned busy = 64, polite = 20000;  // polls
  if (polls < busy) return;
  if (polls < polite)
    gate::give_way();
  else
    gate::pause(std::chrono::microseconds(50));
}

std::string shown(double seconds) {
  std::string text = std::to_string(seconds);  // six digits
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

// Says that this rank waits, and ends the job where it has waited long enough.
class Lateness {
 public:
  Lateness(Ranks& ranks, const Waiting& waiting) : ranks_(ranks), waiting_(waiting) {}
  // False: it was to wait no longer.
  bool look() {
    const double seconds = seconds_since(start_);
    if (waiting_.most > 0 && seconds > waiting_.most) return false;
    if (!has_said_ && seconds > ranks_.patience.report) say(ranks_.patience.report, "");
    if (ranks_.patience.end > 0 && seconds > ranks_.patience.end) {
      say(ranks_.patience.end, ": the time that " + std::string(ranks_.patience.end_name) + " gives is over");
      ranks_.abort(1);
    }
    return true;
  }

 private:
  void say(double seconds, std::string_view what) {
    has_said_ = true;
    ranks_.say("rank " + std::to_string(ranks_.rank()) + " has waited " + shown(seconds) + " " + waiting_.doing() +
               std::string(what) + "\n");
  }

  Ranks& ranks_;
  const Waiting& waiting_;
  const Clock::time_point start_ = Clock::now();
  bool has_said_ = false;
};

}  // namespace

std::string_view name_of(Operation operation) { return operation_names[static_cast<size_t>(operation)]; }

uint64_t hash_of(std::string_view text, uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

namespace {

bool wait_patiently(Ranks& ranks, const Waiting& waiting) {
  Lateness lateness(ranks, waiting);
  for (unsigned polls = 0; !ranks.test(); ++polls) {
    if (waiting.interrupt != nullptr && waiting.interrupt->load(std::memory_order_relaxed))
      fail(message("interrupted"));
    if (polls % 64 == 63 && !lateness.look()) return false;
    pause(polls);
  }
  return true;
}

}  // namespace

bool wait(Ranks& ranks, const Waiting& waiting) {
  ranks.is_broken = !ranks.test() && !wait_patiently(ranks, waiting);
  return !ranks.is_broken;
}

std::vector<Header> gather_headers(Ranks& ranks, const Header& mine, const Waiting& waiting) {
  struct Abandoned {
    Ranks& ranks;
    std::vector<std::byte> bytes;
    ~Abandoned() {
      if (ranks.is_broken) ranks.abandoned.push_back(std::move(bytes));
    }
  };
  const auto count = static_cast<size_t>(ranks.size());
  Abandoned room{ranks, std::vector<std::byte>(count * sizeof(Header))};
  ranks.is_broken = true;
  ranks.start_all_gather(std::as_bytes(std::span(&mine, 1)), room.bytes.data());
  if (!wait(ranks, waiting)) return {};
  std::vector<Header> all(count);
  std::memcpy(all.data(), room.bytes.data(), room.bytes.size());
  return all;
}

void wait_for_abort(Ranks& ranks, int status) {
  constexpr double most = 3;  // seconds
  const auto start = Clock::now();
  while (seconds_since(start) < most) {
    ranks.test();
    gate::pause(std::chrono::milliseconds(1));
  }
  ranks.abort(status);
}

}  // namespace covec::cluster
