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

std::string CommandCode::alone() const {
  std::string text = written_;
  std::replace_if(
      text.begin(), text.begin() + static_cast<long>(at_), [](char c) { return c != '\n'; }, ' ');
  return text;
}

// In a line as that in which it was written.
void CommandCode::run_in(Session& session, const std::string& name, const std::string& before, const std::string& after,
                         FunctionRef<void(const Value&)> body) const {
  const auto lines = static_cast<size_t>(std::count(written_.begin(), written_.begin() + static_cast<long>(at_), '\n'));
  const std::string head = std::string(lines, '\n') + before;
  const std::string whole = head + text() + after;
  try {
    body(session.run_text(name, whole).value_or(Value()));
  } catch (CovecError& error) {
    show_as_written(session.sources(), error, SourceFile(name, whole), head.size());
    throw;
  }
}

// `code`: where the code stands in the text that has run.
void CommandCode::show_as_written(SourceMap& sources, CovecError& error, const SourceFile& text, size_t code) const {
  uint32_t written = 0;
  const auto place = [&](uint32_t at) {
    const size_t in_code = at > code ? at - code : 0;
    return static_cast<uint32_t>(std::min(at_ + in_code, written_.size()));
  };
  const auto move = [&](Span& span) {
    if (!span.known() || span.file == written) return;
    const SourceFile& file = sources.file(span.file);
    if (file.name() != text.name() || file.text() != text.text()) return;
    if (written == 0) written = sources.add(text.name(), written_);
    span = {written, place(span.begin), place(span.end)};
  };
  for (Diagnostic& diagnostic : error.diagnostics) {
    for (Label& label : diagnostic.labels) move(label.span);
    for (Span& span : diagnostic.also) move(span);
    for (CallFrame& call : diagnostic.stack) move(call.site);
    if (diagnostic.fix) move(diagnostic.fix->span);
  }
}

namespace {

// The outermost call is that of the text, which is none to its author.
void call(Session& session, const Value& timed) {
  try {
    session.call(timed, {});
  } catch (CovecError& error) {
    for (Diagnostic& diagnostic : error.diagnostics) {
      if (!diagnostic.stack.empty()) diagnostic.stack.pop_back();
    }
    throw;
  }
}

}  // namespace

std::string median_time(Session& session, const std::string& name, const CommandCode& expression) {
  constexpr double enough = 0.2;       // seconds
  constexpr size_t max_runs = 100000;  // calls
  std::vector<double> runs;
  const auto begin = Clock::now();
  expression.run_in(session, name, "() -> (", "\n)", [&](const Value& timed) {
    do {
      const auto start = Clock::now();
      call(session, timed);
      runs.push_back(seconds_since(start));
    } while (seconds_since(begin) < enough && runs.size() < max_runs);
  });
  std::nth_element(runs.begin(), runs.begin() + static_cast<long>(runs.size() / 2), runs.end());
  return duration_text(runs[runs.size() / 2]) + " (median of " + std::to_string(runs.size()) + ")";
}

OneRun::OneRun(Session& session) : session_(session), begin_(Clock::now()) { session.context().pool->reset_peak(); }

std::string OneRun::text() const {
  return duration_text(seconds_since(begin_)) + " (once), at most " +
         human_bytes(session_.context().pool->account().peak) + " of memory";
}

}  // namespace covec
