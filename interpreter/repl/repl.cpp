#include "interpreter/repl/repl.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "interpreter/repl/completion.hpp"
#include "interpreter/repl/manual.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

namespace {

// $COVEC_HISTORY, else the user's state folder; "" (no history on disk) when there is no home.
std::string history_path() {
  namespace fs = std::filesystem;
  if (const char* named = std::getenv("COVEC_HISTORY")) return named;
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state == nullptr && home == nullptr) return "";
  const fs::path folder = state != nullptr ? fs::path(state) / "covec" : fs::path(home) / ".local/state/covec";
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? "" : (folder / "history").string();
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

constexpr std::string_view help_text =
    "An expression shows its value (also kept in `ans`); a block runs when it closes; an empty line gives it up.\n"
    "  ?name      what a function does        :vars      the variables of this session\n"
    "  :time e    how long an expression takes :load path run a file here\n"
    "  :reset     forget all variables        :quit      leave (also Ctrl-D)\n"
    "Tab completes, Ctrl-R searches the history, Ctrl-C interrupts.\n";

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

// What the manual says, without the signs of Markdown.
std::string plain_page(const ops::Entry& entry) {
  std::istringstream page(Manual({}).page(entry));
  std::string text, line;
  while (std::getline(page, line)) {
    if (line.starts_with("### ")) line = line.substr(5, line.size() - 6);
    if (!line.starts_with("```")) text += line + "\n";
  }
  return text;
}

}  // namespace

Repl::Repl(Session& session)
    : session_(session),
      editor_(history_path(), [&session](std::string_view line) { return complete(session, line); }) {}

int Repl::run() {
  std::cout << "covec " COVEC_VERSION " (:help for help, Ctrl-D to leave)" << std::endl;
  std::string text;
  for (;;) {
    text.clear();
    const LineEditor::Outcome outcome = editor_.read("> ", text);
    if (outcome == LineEditor::Outcome::end) break;
    if (outcome == LineEditor::Outcome::cancelled || trimmed(text).empty()) continue;
    const std::string line = trimmed(text);
    if (line[0] == ':' || line[0] == '?') {
      editor_.remember(line);
      if (!command(line)) break;
    } else {
      evaluate(text);
    }
    std::cout.flush();
    if (status_) return *status_;
  }
  std::cout << std::endl;
  return 0;
}

// One more line of an unfinished text; false when it is given up (Ctrl-C, Ctrl-D).
bool Repl::read_more(std::string& text) {
  std::string line;
  if (editor_.read(". ", line) != LineEditor::Outcome::line) return false;
  text += "\n" + line;
  return true;
}

template <class Run>
bool Repl::guarded(Run&& run) {
  try {
    run();
    std::cout.flush();
    return true;
  } catch (const CovecError& error) {
    std::cout.flush();
    if (error.diagnostics.front().kind == ErrorKind::ended)
      status_ = session_.context().exit_status;
    else
      std::cerr << session_.render(error) << std::flush;
    return false;
  }
}

void Repl::evaluate(const std::string& first) {
  std::string text = first;
  guarded([&] {
    Session::Input input = session_.run_input(text);
    while (!input.complete) {
      if (!read_more(text)) {
        std::cout << '\n';
        return;
      }
      input = session_.run_input(text);
    }
    if (input.value) show(*input.value);
  });
  editor_.remember(text);
}

void Repl::show(const Value& value) {
  if (value.is_none()) return;
  session_.set_global("ans", value);
  std::cout << session_.repr_of(value) << '\n';
}

bool Repl::command(const std::string& line) {
  const size_t space = line.find(' ');
  const std::string name = line.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : trimmed(line.substr(space));
  if (line[0] == '?')
    explain_name(trimmed(line.substr(1)));
  else if (name == ":quit" || name == ":q")
    return false;
  else if (name == ":time")
    time(rest);
  else if (name == ":vars")
    variables();
  else if (name == ":load")
    load(rest);
  else if (name == ":reset")
    session_.reset();
  else if (name == ":help")
    std::cout << help_text;
  else
    std::cerr << "error: there is no command " << name << " (:help lists them)\n";
  return true;
}

void Repl::explain_name(std::string_view name) {
  if (const Value* value = find_chain(session_, name)) {
    if (value->is(ObjectKind::function)) {
      std::cout << value->function().signature() << '\n';
      const std::string doc = value->function().doc();
      if (!doc.empty()) std::cout << doc << '\n';
    } else {
      std::cout << name << ": " << describe(*value) << '\n';
      for (const std::string& member : session_.member_names(*value)) {
        if (!member.starts_with('_')) std::cout << "  " << name << "." << member << '\n';
      }
    }
  } else if (const Builtin* builtin = session_.builtins().find(name)) {
    std::cout << plain_page(*builtin->entry);
  } else {
    const std::string_view near = nearest_name(name, session_.builtins().names());
    std::cerr << "error: there is no name " << name;
    if (!near.empty()) std::cerr << "; did you mean " << near << "?";
    std::cerr << '\n';
  }
}

// Repeats until a fifth of a second has passed, and shows the median of the runs.
void Repl::time(const std::string& expression) {
  using Clock = std::chrono::steady_clock;
  guarded([&] {
    std::vector<double> runs;
    const auto begin = Clock::now();
    const Value timed = session_.run_text(":time", "() -> (" + expression + ")").value_or(Value());
    do {
      const auto start = Clock::now();
      session_.call(timed, {});
      runs.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    } while (std::chrono::duration<double>(Clock::now() - begin).count() < 0.2 && runs.size() < 100000);
    std::nth_element(runs.begin(), runs.begin() + static_cast<long>(runs.size() / 2), runs.end());
    std::cout << duration_text(runs[runs.size() / 2]) << " (median of " << runs.size() << ")\n";
  });
}

void Repl::variables() {
  for (std::string_view name : session_.global_names()) {
    const Value* value = session_.find_global(name);
    std::cout << name << ": " << describe(*value) << '\n';
  }
}

void Repl::load(const std::string& path) {
  guarded([&] { session_.run_file(path); });
}

}  // namespace covec
