#include "interpreter/repl/repl.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "frontend/resolve/resolve.hpp"
#include "interpreter/assist/commands.hpp"
#include "interpreter/assist/completion.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/repl/debug_prompt.hpp"
#include "interpreter/repl/editor/terminal.hpp"
#include "interpreter/repl/language.hpp"
#include "interpreter/repl/pager.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/repl/shapes.hpp"
#include "interpreter/repl/show_value.hpp"
#include "interpreter/repl/streams.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

namespace {

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

Repl::Repl(Session& session, Console& console)
    : session_(session),
      console_(console),
      help_(session),
      last_(session),
      editor_(history_path(),
              language_of(session, [&session](std::string_view before) { return complete(session, before); })) {}

int Repl::run() {
  std::cout << "covec " COVEC_VERSION " (:help for help, Ctrl-D to leave)" << std::endl;
  std::string text;
  for (bool goes_on = true; goes_on;) {
    console_.begin_line();
    session_.clear_interrupt();  // a late one
    switch (editor_.read(text)) {
      case editor::Outcome::text: goes_on = answer(text); break;
      case editor::Outcome::cancelled: comment_.clear(); break;
      case editor::Outcome::given_up:
        comment_.clear();
        std::cout << "given up; press the up arrow to get it back\n";
        break;
      case editor::Outcome::end: goes_on = false; break;
    }
    std::cout.flush();
    if (status_) return *status_;
  }
  warn_of_history();
  return 0;
}

void Repl::warn_of_history() {
  const std::string& problem = editor_.history().problem();
  if (!problem.empty()) console_.warn("warning: the history could not be written: " + problem);
}

// `exit`, `exit()`: what newcomers type, unless the program has given the word a meaning.
bool Repl::is_word(const std::string& text, std::string_view word) const {
  return (text == word || text == std::string(word) + "()") && session_.find_global(word) == nullptr;
}

bool Repl::answer(const std::string& typed) {
  const std::string text = without_prompts(typed, false);
  const std::string line(trimmed(text));
  if (line.empty() || keep_comment(line)) {
    if (line.empty()) comment_.clear();
    return true;
  }
  const std::string comment = std::exchange(comment_, "");
  if (const std::optional<std::string> topic = question_in(line)) {
    help(trimmed(*topic));
  } else if (is_command(line)) {
    return command(line);
  } else if (is_word(line, "exit") || is_word(line, "quit")) {
    return false;
  } else if (is_word(line, "help")) {
    help("");
  } else if (line.starts_with("help(") && line.ends_with(')') && session_.find_global("help") == nullptr) {
    help(trimmed(std::string_view(line).substr(5, line.size() - 6)));
  } else {
    evaluate(text, comment);
  }
  return true;
}

void Repl::help(std::string_view question) {
  const Pager pager;
  help_.answer(question);
}

// False: the text is more than a line of comment. A function that follows at once has what was kept as its
// documentation.
bool Repl::keep_comment(std::string_view line) {
  if (!line.starts_with('#') || line.find('\n') != line.npos) return false;
  const size_t begin = line.starts_with("# ") ? 2 : 1;
  comment_ += (comment_.empty() ? "" : "\n") + std::string(line.substr(begin));
  return true;
}

template <class Run>
void Repl::guarded(Run&& run) {
  try {
    run();
  } catch (const CovecError& error) {
    console_.begin_line();
    if (error.diagnostics.front().kind == ErrorKind::ended) {
      status_ = session_.context().exit_status;
      return;
    }
    failed_ = error;
    const bool interrupted = error.diagnostics.front().code == "interrupted";
    if (interrupted && editor::is_terminal(2)) std::cerr << '\n';  // behind the ^C that the terminal shows
    std::cerr << painted_diagnostics(session_.render(error), 2) << std::flush;
  }
}

void Repl::evaluate(const std::string& text, std::string_view comment) {
  bool failed = true;
  failed_.reset();
  Session::Input input;
  guarded([&] {
    input = session_.run_input(text, comment, "<input " + std::to_string(++inputs_) + ">");
    failed = false;
  });
  guarded([&] {
    last_.has_run(text, failed);
    if (input.value) show(*input.value);
  });
}

void Repl::show(const Value& value) {
  if (value.is_none()) return;
  last_.shown(value);
  console_.begin_line();
  if (value.is(ObjectKind::function) && help_.show_function(value)) return;
  show_value(session_, console_, value);
}

bool Repl::command(const std::string& line) {
  const size_t space = line.find(' ');
  const std::string name = line.substr(0, space);
  const std::string rest(space == std::string::npos ? "" : trimmed(std::string_view(line).substr(space)));
  if (name == ":quit" || name == ":q")
    return false;
  else if (name == ":time")
    time(rest);
  else if (name == ":vars")
    variables();
  else if (name == ":load")
    load(rest);
  else if (name == ":debug")
    debug();
  else if (name == ":reset")
    reset();
  else if (name == ":help")
    help(rest);
  else
    tell_error("there is no command " + name + " (:help lists them)");
  return true;
}

// Repeats until a fifth of a second has passed, and shows the median of the runs.
void Repl::time(const std::string& expression) {
  using Clock = std::chrono::steady_clock;
  if (expression.empty()) {
    const std::string how =
        "`:time EXPRESSION` repeats an expression for a while and shows the median of the times: `:time sum(x)`";
    std::cout << wrapped(how, text_columns(), 0) << '\n';
    return;
  }
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
    console_.begin_line();
    std::cout << duration_text(runs[runs.size() / 2]) << " (median of " << runs.size() << ")\n";
  });
}

void Repl::variables() {
  std::vector<std::string_view> names = session_.global_names();
  std::erase_if(names, [&](std::string_view name) { return last_.is_ours(name); });
  for (const std::string_view name : names) {
    const std::string line = std::string(name) + ": " + shape_text(*session_.find_global(name));
    std::cout << wrapped(line, text_columns(), 4) << '\n';
  }
  if (names.empty()) std::cout << "no variables yet\n";
}

void Repl::load(const std::string& path) {
  if (path.empty()) return tell_error("which file? `:load FILE`");
  bool failed = true;
  guarded([&] {
    session_.run_file(path);
    failed = false;
  });
  guarded([&] { last_.has_run(failed ? "_" : program_in(path), failed); });
}

void Repl::debug() {
  if (!failed_) return tell_error("there is no error to look at: `:debug` comes after one");
  SeenCalls calls = SeenCalls::of_error(session_, *failed_);
  if (calls.size() == 0) return tell_error("the text was not run: there are no variables to look at");
  guarded([&] { DebugPrompt(session_, console_, calls, false).run(); });
}

void Repl::reset() {
  session_.reset();
  last_.reset();
}

}  // namespace covec
