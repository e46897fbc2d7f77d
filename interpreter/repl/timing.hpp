// `:time`: the median of many runs of an expression, or one run of a statement with the peak of memory. And the code
// of such commands, which may stand in other code when it runs: messages show it as it was written.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "interpreter/session/session.hpp"

namespace covec {

// The code of a command, and the text that the command was written in, up to its end.
class CommandCode {
 public:
  CommandCode(std::string written, size_t at) : written_(std::move(written)), at_(at) {}
  std::string text() const { return written_.substr(at_); }
  // Blanks in place of what stands before it.
  std::string alone() const;
  // The value of the code between two others, and what body does with it. Messages have the name.
  void run_in(Session& session, const std::string& name, const std::string& before, const std::string& after,
              FunctionRef<void(const Value&)> body) const;

 private:
  void show_as_written(SourceMap& sources, CovecError& error, const SourceFile& text, size_t code) const;

  const std::string written_;
  const size_t at_;
};

// Repeats an expression until a fifth of a second has passed: "1.23 ms (median of 163)".
std::string median_time(Session& session, const std::string& name, const CommandCode& expression);

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
