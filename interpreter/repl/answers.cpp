#include "interpreter/repl/answers.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>

#include "frontend/common/trimmed.hpp"
#include "frontend/resolve/resolve.hpp"
#include "interpreter/assist/commands.hpp"
#include "interpreter/assist/completion.hpp"
#include "interpreter/assist/shape_text.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/repl/debug_prompt.hpp"
#include "interpreter/repl/language.hpp"
#include "interpreter/repl/pager.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/repl/shell.hpp"
#include "interpreter/repl/streams.hpp"
#include "interpreter/session/definition.hpp"
#include "interpreter/session/module_loader.hpp"
#include "stdlib/plot/read.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

Answers::Answers(Session& session, Channel& channel)
    : session_(session), channel_(channel), help_(session), last_(session) {}

// `exit`, `exit()`: what newcomers type, unless the program has given the word a meaning.
bool Answers::is_word(const std::string& text, std::string_view word) const {
  return (text == word || text == std::string(word) + "()") && session_.find_global(word) == nullptr;
}

bool Answers::answer(const std::string& text, std::string_view comment, Use use) {
  has_failed_ = false;
  const std::string line(trimmed(text));
  if (const std::optional<std::string> topic = question_in(line)) {
    help(trimmed(*topic));
  } else if (is_command(line)) {
    const auto lines = std::count(text.begin(), text.begin() + static_cast<long>(text.find(line)), '\n');
    return command(line, static_cast<size_t>(lines));
  } else if (is_word(line, "exit") || is_word(line, "quit")) {
    return false;
  } else if (is_word(line, "help")) {
    help("");
  } else if (line.starts_with("help(") && line.ends_with(')') && session_.find_global("help") == nullptr) {
    help(trimmed(std::string_view(line).substr(5, line.size() - 6)));
  } else {
    evaluate(text, comment, use);
  }
  return true;
}

void Answers::help(std::string_view question) {
  const Pager pager;
  help_.answer(question);
}

template <class Run>
void Answers::guarded(Run&& run) {
  try {
    run();
  } catch (const CovecError& error) {
    channel_.begin_line();
    if (error.diagnostics.front().kind == ErrorKind::ended) {
      status_ = session_.context().exit_status;
      return;
    }
    failed_ = error;
    has_failed_ = true;
    channel_.tell(session_, error);
  }
}

// Runs a text. Where it fails, `ran` becomes what of it ran before.
template <class Run>
void Answers::guarded(std::string& ran, Run&& run) {
  guarded([&] {
    try {
      run();
    } catch (const CovecError& error) {
      const SeenCalls calls = SeenCalls::of_error(session_, error);
      const Span place = calls.size() > 0 ? calls.place(calls.size() - 1) : Span();
      if (place.known()) ran = statements_before(session_.sources().file(place.file).text(), place.begin);
      throw;
    }
  });
}

void Answers::refuse(const std::string& why) {
  has_failed_ = true;
  channel_.begin_line();
  channel_.refuse(why);
}

void Answers::refuse_if(const std::string& problem) {
  if (!problem.empty()) refuse(problem);
}

void Answers::evaluate(const std::string& text, std::string_view comment, Use use) {
  if (reloads_always_) reload_changed();
  std::string ran;
  bool failed = true;
  failed_.reset();
  Session::Input input;
  guarded(ran, [&] {
    const std::string name = channel_.next_name();
    input = session_.run_input(text, comment, name);
    if (!input.complete) session_.run_text(name, text);  // tells what is missing
    ran = text;
    failed = false;
  });
  guarded([&] {
    last_.has_run(text, failed);
    if (input.value && use != Use::none) show(*input.value, use == Use::kept);
  });
  using Shown = Transcript::Shown;
  const bool has_value = !failed && use == Use::kept && input.value && !input.value->is_none();
  const bool is_text = has_value && !input.value->is(ObjectKind::function) && !plot::is_figure(*input.value);
  const Shown shown = is_text ? Shown::printed : has_value ? Shown::otherwise : Shown::nothing;
  const bool is_aside = use == Use::shown && is_expression(ran);
  if (!is_aside) transcript_.add(ran, comment, shown, channel_.number());
}

void Answers::show(const Value& value, bool keeps) {
  if (value.is_none()) return;
  if (keeps) last_.shown(value, channel_.number());
  channel_.begin_line();
  if (value.is(ObjectKind::function) && help_.show_function(value)) return;
  channel_.show(session_, value);
}

bool Answers::command(const std::string& line, size_t lines_before) {
  const size_t space = line.find(' ');
  const std::string name = line.substr(0, space);
  const std::string rest(space == std::string::npos ? "" : trimmed(std::string_view(line).substr(space)));
  if (name == ":quit" || name == ":q") return false;
  const auto code = [&] {
    const std::string written = std::string(lines_before, '\n') + line;
    return CommandCode(written, written.size() - rest.size());
  };
  const auto alone = [&](void (Answers::*action)()) {
    return [this, &name, &rest, action] {
      rest.empty() ? (this->*action)() : refuse("`" + name + "` stands alone, without `" + rest + "`");
    };
  };
  const std::pair<std::string_view, std::function<void()>> actions[] = {
      {":auto", alone(&Answers::toggle_reloading)},
      {":cd", [&] { refuse_if(change_folder(rest)); }},
      {":debug", alone(&Answers::debug)},
      {":edit", [&] { edit(rest); }},
      {":help", [&] { help(rest); }},
      {":load", [&] { load(rest); }},
      {":reload", alone(&Answers::reload)},
      {":reset", alone(&Answers::reset)},
      {":save", [&] { save(rest); }},
      {":sh", [&] { refuse_if(run_in_shell(channel_, rest)); }},
      {":time", [&] { time(code()); }},
      {":type", [&] { type(code()); }},
      {":vars", alone(&Answers::variables)},
  };
  const auto* const found =
      std::ranges::find(actions, name, &std::pair<std::string_view, std::function<void()>>::first);
  if (found == std::end(actions))
    refuse("there is no command " + name + " (:help lists them)");
  else
    found->second();
  return true;
}

void Answers::time(const CommandCode& code) {
  const std::string text = code.text();
  if (text.empty()) {
    const std::string how =
        "`:time EXPRESSION` repeats an expression for a while and shows the median of the times: `:time sum(x)`; "
        "`:time STATEMENT` runs a statement once";
    std::cout << wrapped(how, text_columns(), 0) << '\n';
  } else if (is_expression(text)) {
    guarded([&] {
      const std::string measured = median_time(session_, channel_.next_name(), code);
      channel_.begin_line();
      std::cout << measured << '\n';
    });
  } else {
    const OneRun run(session_);
    evaluate(code.alone(), "", Use::kept);
    const std::string measured = run.text();
    channel_.begin_line();
    if (!failed_) std::cout << measured << '\n';
  }
}

namespace {

// "tensor: f64[3]", "number: i64", "record: {w: f64}".
std::string type_text(const Value& value) {
  const std::string shape = shape_text(value);
  if (is_operand(value)) return (logical_type(value).shape.rank() == 0 ? "number: " : "tensor: ") + shape;
  const std::string kind = describe(value);
  return shape.starts_with(kind) ? shape : kind + ": " + shape;
}

}  // namespace

void Answers::type(const CommandCode& code) {
  if (code.text().empty()) return refuse("of which expression? `:type EXPRESSION`");
  guarded([&] {
    code.run_in(session_, channel_.next_name(), "(", "\n)", [&](const Value& value) {
      channel_.begin_line();
      std::cout << wrapped(type_text(value), text_columns(), 4) << '\n';
    });
  });
}

void Answers::variables() {
  std::vector<std::string_view> names = session_.global_names();
  std::erase_if(names, [&](std::string_view name) { return last_.is_ours(name); });
  for (const std::string_view name : names) {
    const std::string line = std::string(name) + ": " + shape_text(*session_.find_global(name));
    std::cout << wrapped(line, text_columns(), 4) << '\n';
  }
  if (names.empty()) std::cout << "no variables yet\n";
}

void Answers::load(const std::string& path) {
  if (path.empty()) return refuse("which file? `:load FILE`");
  bool failed = true;
  std::string ran;
  failed_.reset();
  guarded(ran, [&] {
    session_.run_file(path);
    ran = program_in(path);
    failed = false;
  });
  guarded([&] {
    last_.has_run(failed ? "_" : ran, failed);
    transcript_.add(ran, "", Transcript::Shown::nothing, 0);
  });
}

void Answers::save(const std::string& path) {
  if (path.empty()) return refuse("into which file? `:save FILE`");
  if (transcript_.empty()) return refuse("no input has succeeded yet");
  refuse_if(transcript_.save(path));
}

// --- editing ---

void Answers::edit(const std::string& what) {
  if (!channel_.has_terminal())
    return refuse("an editor needs a terminal, which is not here: change the cell, or the file, and run it again");
  if (what.empty()) return refuse("which file or function? `:edit FILE`, `:edit NAME`");
  std::error_code unknown;
  if (what.ends_with(".covec") || std::filesystem::exists(what, unknown)) return edit_and_run(what, 1);
  const Value* const value = find_chain(session_, what);
  if (value == nullptr || !value->is(ObjectKind::function)) return refuse("there is no file and no function " + what);
  const std::optional<Definition> definition = definition_of(session_, *value);
  if (!definition || !definition->library.empty()) return refuse(what + " comes with Covec: it has no file here");
  definition->file.starts_with("<") ? edit_input(definition->text) : edit_and_run(definition->file, definition->line);
}

// A module's file is read again as a module.
void Answers::edit_and_run(const std::string& path, unsigned line) {
  if (!edit_file(path, line)) return;
  std::error_code unknown;
  if (session_.modules().has_file(path))
    reload();
  else if (std::filesystem::exists(path, unknown))
    load(path);
}

// What was typed here is in no file: in one of its own, and then run as an input.
void Answers::edit_input(const std::string& text) {
  const std::optional<std::string> edited = edited_text(text);
  if (edited && trimmed(*edited) != trimmed(text)) evaluate(*edited, "", Use::kept);
}

// --- modules that have changed ---

void Answers::reload() {
  bool any = false, failed = true;
  guarded([&] {
    any = session_.reload_modules();
    failed = false;
  });
  if (!any && !failed) std::cout << "no module has changed\n";
  told_ = session_.modules().changed_files();
}

// Once for each change: where a new text fails, the next input does not try it again.
void Answers::reload_changed() {
  const std::map<std::string, std::string> changed = session_.modules().changed_files();
  if (changed.empty() || changed == told_) return;
  guarded([&] { session_.reload_modules(); });
  told_ = session_.modules().changed_files();
}

void Answers::toggle_reloading() {
  reloads_always_ = !reloads_always_;
  told_.clear();
  std::cout << (reloads_always_ ? "changed modules are read again before each input\n"
                                : "changed modules are read again by `:reload` and `import` alone\n");
}

void Answers::tell_of_changes() {
  if (reloads_always_) return;
  std::map<std::string, std::string> changed = session_.modules().changed_files();
  for (const auto& [file, text] : changed) {
    const auto known = told_.find(file);
    if (known == told_.end() || known->second != text)
      channel_.note("note: " + file + " has changed; :reload reads it again");
  }
  told_ = std::move(changed);
}

void Answers::debug() {
  if (!failed_) return refuse("there is no error to look at: `:debug` comes after one");
  SeenCalls calls = SeenCalls::of_error(session_, *failed_);
  if (calls.size() == 0) return refuse("nothing is kept of that error: its text was not run, or another was");
  guarded([&] { DebugPrompt(session_, channel_, calls, false).run(); });
}

void Answers::reset() {
  session_.reset();
  last_.reset();
  transcript_.clear();
}

}  // namespace covec
