// `:time`: the median of many runs of an expression, or one run of a statement with the peak of memory.
#pragma once

#include <chrono>
#include <string>

#include "interpreter/session/session.hpp"

namespace covec {

// Repeats it until a fifth of a second has passed: "1.23 ms (median of 163)".
std::string median_time(Session& session, const std::string& expression);

// One run, from the making of this on.
class OneRun {
 public:
  explicit OneRun(Session& session);
  std::string text() const;  // "1.23 s (once), at most 24.0 MB of memory"

 private:
  Session& session_;
  const std::chrono::steady_clock::time_point begin_;
};

}  // namespace covec
