#include "interpreter/command/test_runner.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include "interpreter/command/expectations.hpp"
#include "interpreter/command/json_text.hpp"
#include "interpreter/command/program_files.hpp"
#include "interpreter/session/text_file.hpp"

namespace covec {

namespace {

struct Results {
  int passed = 0;
  std::vector<std::string> failed;  // "file test"
  size_t untested = 0;              // files
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// "model.covec test_loss (3.21 ms)".
std::string timed(const std::string& what, std::chrono::steady_clock::time_point start) {
  char text[32];
  std::snprintf(text, sizeof text, " (%.3g ms)", milliseconds_since(start));
  return what + text;
}

// Loading a file runs it: only those with tests are touched, and those that cannot be read, which would be left out in
// silence.
bool mentions_tests(const TextFile& program) {
  return program.problem != nullptr || program.text.find("@test") != std::string::npos ||
         expectations_in(program.text).any();
}

// Keeps what a program prints while it is loaded, where it has expectations; everything else goes where it did. With
// JSON, standard output has the diagnostics alone: what programs print goes to standard error.
class Printed : public ops::Output {
 public:
  Printed(ops::Output& others, bool keeps, bool keeps_warnings, bool json)
      : keeps(keeps), keeps_warnings(keeps_warnings), json_(json), others_(others) {}
  void write(std::string_view text) override {
    if (keeps) {
      kept += text;
    } else {
      json_ ? others_.write_error(text) : others_.write(text);
    }
  }
  void warn(std::string_view text) override {
    if (keeps && keeps_warnings) {
      warnings.emplace_back(text.substr(0, text.find('\n')));
    } else {
      json_ ? others_.write(text) : others_.warn(text);
    }
  }
  void write_error(std::string_view text) override { others_.write_error(text); }
  void flush() override { others_.flush(); }
  void progress(std::string_view text) override { others_.progress(text); }
  bool keeps;
  const bool keeps_warnings;
  std::string kept;
  std::vector<std::string> warnings;

 private:
  const bool json_;
  ops::Output& others_;
};

std::string shown(const Session& session, const CovecError& error) {
  std::string text;
  for (const Diagnostic& diagnostic : error.diagnostics) text += render(diagnostic, session.sources());
  return text;
}

// An output that is not what a file expects, as a diagnostic of the file.
Diagnostic unexpected_output(const std::string& problem) {
  Diagnostic diagnostic;
  diagnostic.code = "unexpected_output";
  diagnostic.message = problem.substr(0, problem.find('\n'));
  constexpr uint32_t first = 1;  // text that a session reads
  diagnostic.labels.push_back({{first, 0, 0}, ""});
  return diagnostic;
}

class Runner {
 public:
  Runner(const TestOptions& options, const SessionOptions& session)
      : options_(options), session_(session), told_(options.json ? std::cerr : std::cout) {}

  void run(const std::string& file) {
    const TextFile program = read_text_file(file);
    if (!mentions_tests(program)) {
      if (!is_wanted(file)) return;
      ++results_.untested;
      told_ << "none  " << file << " (no test in it)\n";
      return;
    }
    const Expectations expected = expectations_in(program.text);
    const bool compares = expected.any() && is_wanted(file + " output");
    Printed printed(*session_.output, compares, !expected.warnings.empty(), options_.json);
    SessionOptions options = session_;
    if (options_.json && !(compares && printed.keeps_warnings)) options.render = json_of;
    options.output = &printed;
    Session session(options);
    if (!load(session, file, compares ? &expected : nullptr, printed)) return;
    printed.keeps = false;
    for (const Session::Test& test : session.take_tests()) {
      if (is_wanted(file + " " + test.name) && !is_over()) run_one(session, file + " " + test.name, test.function);
    }
  }
  bool is_over() const { return options_.stop_at_first && !results_.failed.empty(); }
  // The failures once more, after all that the tests have written; gives the exit status.
  int conclude(std::chrono::steady_clock::time_point start) const {
    if (results_.failed.size() > 1) {
      told_ << "failed:\n";
      for (const std::string& name : results_.failed) told_ << "  " << name << '\n';
    }
    std::string counts =
        std::to_string(results_.passed) + " passed, " + std::to_string(results_.failed.size()) + " failed";
    if (results_.untested > 0) counts += ", " + std::to_string(results_.untested) + " without a test";
    told_ << timed(counts, start) << std::endl;
    const bool none = results_.passed == 0 && results_.failed.empty();
    if (none) {
      std::cerr << (options_.filters.empty()
                        ? "error: there is no test: no function has @test and no line has `# expect:`\n"
                        : "error: no test has a file and a name that contain it\n");
    }
    return results_.failed.empty() && !none ? 0 : 1;
  }

 private:
  // Runs the file, and holds what it prints against what it expects, if anything. False where nothing more can be run.
  bool load(Session& session, const std::string& file, const Expectations* expected, Printed& printed) {
    const auto start = std::chrono::steady_clock::now();
    Outcome outcome;
    std::vector<Diagnostic> diagnostics;
    try {
      session.run_file(file);
    } catch (const CovecError& raised) {
      outcome.shown = shown(session, raised);
      diagnostics = raised.diagnostics;
      for (const Diagnostic& each : raised.diagnostics) outcome.messages += each.message + "\n" + each.hint + "\n";
    }
    if (expected != nullptr) {
      outcome.printed = printed.kept;
      outcome.warnings = printed.warnings;
      const std::string name = file + " output", problem = unexpected(*expected, outcome, file);
      if (problem != outcome.shown) diagnostics.insert(diagnostics.begin(), unexpected_output(problem));
      problem.empty() ? pass(timed(name, start)) : fail(name, timed(name, start), problem, session, diagnostics);
    } else if (!outcome.shown.empty()) {
      fail(file, timed(file, start), outcome.shown, session, diagnostics);
    }
    return outcome.shown.empty();
  }

  bool is_wanted(const std::string& name) const {
    return options_.filters.empty() ||
           std::any_of(options_.filters.begin(), options_.filters.end(),
                       [&](const std::string& text) { return name.find(text) != name.npos; });
  }

  void run_one(Session& session, const std::string& name, const Value& function) {
    const auto start = std::chrono::steady_clock::now();
    try {
      session.call(function, {});
      pass(timed(name, start));
    } catch (const CovecError& error) {
      fail(name, timed(name, start), shown(session, error), session, error.diagnostics);
    }
  }

  void pass(const std::string& shown) {
    ++results_.passed;
    told_ << "ok    " << shown << '\n';
  }

  void fail(const std::string& name, const std::string& shown, const std::string& why, const Session& session,
            const std::vector<Diagnostic>& diagnostics) {
    results_.failed.push_back(name);
    told_ << "FAIL  " << shown << '\n' << why;
    if (!options_.json) return;
    for (const Diagnostic& diagnostic : diagnostics) std::cout << json_of(diagnostic, session.sources());
  }

  const TestOptions& options_;
  const SessionOptions& session_;
  std::ostream& told_;  // what a person reads
  Results results_;
};

}  // namespace

int run_tests(const TestOptions& options, const SessionOptions& session) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> files;
  if (!find_programs(options.paths.empty() ? std::vector<std::string>{"."} : options.paths, files)) return 2;
  Runner runner(options, session);
  for (const std::string& file : files) {
    if (!runner.is_over()) runner.run(file);
  }
  return runner.conclude(start);
}

}  // namespace covec
