#include "interpreter/repl/timing.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "stdlib/tensor/pool.hpp"

namespace covec {

using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string duration_text(double seconds) {
  char buffer[32];
  if (seconds < 1e-6)
    std::snprintf(buffer, sizeof buffer, "%.3g ns", seconds * 1e9);
  else if (seconds < 1e-3)
    std::snprintf(buffer, sizeof buffer, "%.3g µs", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(buffer, sizeof buffer, "%.3g ms", seconds * 1e3);
  else
    std::snprintf(buffer, sizeof buffer, "%.3g s", seconds);
  return buffer;
}

}  // namespace

std::string median_time(Session& session, const std::string& expression) {
  constexpr double enough = 0.2;       // seconds; chosen, not measured
  constexpr size_t max_runs = 100000;  // chosen, not measured
  std::vector<double> runs;
  const auto begin = Clock::now();
  const Value timed = session.run_text(":time", "() -> (" + expression + ")").value_or(Value());
  do {
    const auto start = Clock::now();
    session.call(timed, {});
    runs.push_back(seconds_since(start));
  } while (seconds_since(begin) < enough && runs.size() < max_runs);
  std::nth_element(runs.begin(), runs.begin() + static_cast<long>(runs.size() / 2), runs.end());
  return duration_text(runs[runs.size() / 2]) + " (median of " + std::to_string(runs.size()) + ")";
}

OneRun::OneRun(Session& session) : session_(session), begin_(Clock::now()) { session.context().pool->reset_peak(); }

std::string OneRun::text() const {
  return duration_text(seconds_since(begin_)) + " (once), at most " +
         human_bytes(session_.context().pool->account().peak) + " of memory";
}

}  // namespace covec
