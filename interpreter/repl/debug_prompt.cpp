#include "interpreter/repl/debug_prompt.hpp"

#include <algorithm>
#include <iostream>

#include "frontend/common/trimmed.hpp"
#include "interpreter/assist/commands.hpp"
#include "interpreter/assist/completion.hpp"
#include "interpreter/assist/shape_text.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/repl/language.hpp"
#include "interpreter/repl/pager.hpp"
#include "interpreter/repl/paint.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

using State = SeenCalls::Variable::State;

DebugPrompt::DebugPrompt(Session& session, Channel& channel, SeenCalls& calls, bool at_breakpoint)
    : session_(session),
      channel_(channel),
      calls_(calls),
      at_breakpoint_(at_breakpoint),
      help_(session),
      lines_(channel.lines("debug> ",
                           language_of(session, [this](std::string_view before) { return complete(before); }))) {}

bool DebugPrompt::run() {
  channel_.begin_line();
  show_place();
  std::string text;
  for (Then then = Then::stay;;) {
    channel_.begin_line();
    std::cout.flush();
    session_.clear_interrupt();  // a late one
    switch (lines_(text)) {
      case editor::Outcome::text: then = answer(text); break;
      case editor::Outcome::cancelled:
      case editor::Outcome::given_up: break;
      case editor::Outcome::end: then = Then::leave; break;
    }
    if (then != Then::stay) return then == Then::go_on;
  }
}

DebugPrompt::Then DebugPrompt::answer(const std::string& typed) {
  const std::string text = without_prompts(typed, false);
  const std::string line(trimmed(text));
  if (line.empty()) return Then::stay;
  if (line.starts_with(':')) return command(line);
  if (leaves(line)) return Then::leave;
  if (const std::optional<std::string> topic = question_in(line))
    describe(trimmed(*topic));
  else
    evaluate(text);
  return Then::stay;
}

// `exit`, `quit`: unless the call or the program has given the word a meaning. `exit()` is a call: it ends the session.
bool DebugPrompt::leaves(std::string_view word) const {
  if ((word != "exit" && word != "quit") || session_.find_global(word) != nullptr) return false;
  const std::vector<SeenCalls::Variable> all = calls_.variables(call_);
  return std::ranges::find(all, word, &SeenCalls::Variable::name) == all.end();
}

DebugPrompt::Then DebugPrompt::command(const std::string& line) {
  if (line == ":quit" || line == ":q") return Then::leave;
  if (line == ":continue" || line == ":c") {
    if (at_breakpoint_) return Then::go_on;
    tell_error("the error has ended the run; :quit leaves this prompt");
  } else if (line == ":where") {
    where();
  } else if (line == ":up") {
    go_outwards();
  } else if (line == ":down") {
    go_inwards();
  } else if (line == ":vars") {
    variables();
  } else if (line == ":help") {
    for (const ReplCommand& each : debug_commands)
      std::cout << "  " << each.name << std::string(11 - each.name.size(), ' ') << each.does << '\n';
  } else {
    tell_error("there is no command " + line.substr(0, line.find(' ')) + " here (:help lists them)");
  }
  return Then::stay;
}

void DebugPrompt::evaluate(const std::string& text) {
  if (!calls_.has_variables(call_)) return tell_error("compiled code ran this call: it has no variables to look at");
  try {
    const Session::Input input = calls_.run(call_, text);
    if (!input.value || input.value->is_none()) return;
    channel_.begin_line();
    channel_.show(session_, *input.value);
  } catch (CovecError& error) {
    channel_.begin_line();
    Diagnostic& first = error.diagnostics.front();
    if (first.kind == ErrorKind::ended) throw;
    if (const std::string_view name = moved_variable(error); !name.empty()) {
      first.message = "`" + std::string(name) + "` was moved at its last use";
      first.hint = "a function with breakpoint() keeps its variables";
    }
    channel_.tell(session_, error);
  }
}

// The variable that the error finds without a value, because it has given it away; "": the error is another.
std::string_view DebugPrompt::moved_variable(const CovecError& error) const {
  const Diagnostic& first = error.diagnostics.front();
  if (first.code != "no_global_value" || first.labels.empty()) return "";
  const Span at = first.labels.front().span;
  const std::string_view name = session_.sources().file(at.file).slice(at);
  const std::vector<SeenCalls::Variable> all = calls_.variables(call_);
  const auto found = std::ranges::find(all, name, &SeenCalls::Variable::name);
  return found != all.end() && found->state == State::moved ? found->name : "";
}

// --- calls ---

std::string DebugPrompt::head(size_t call) const {
  if (calls_.left_out(call) > 0) return "… " + std::to_string(calls_.left_out(call)) + " more calls";
  const Span span = calls_.place(call);
  const std::string name = calls_.name(call);
  if (!span.known()) return name.empty() ? "the text" : name;
  const SourceFile& file = session_.sources().file(span.file);
  const std::string place = file.name() + ":" + std::to_string(file.position(span.begin).line);
  return name.empty() ? place : name + ", " + place;
}

// The call and the line that it is at.
void DebugPrompt::show_place() const {
  std::cout << head(call_) << '\n';
  const Span span = calls_.place(call_);
  if (!span.known()) return;
  const SourceFile& file = session_.sources().file(span.file);
  const uint32_t number = file.position(span.begin).line;
  const std::string line = std::to_string(number);
  std::cout << shortened(std::string(line.size() < 4 ? 4 - line.size() : 0, ' ') + line + " | " +
                             std::string(file.line(number)),
                         text_columns())
            << '\n';
}

void DebugPrompt::where() const {
  for (size_t call = 0; call < calls_.size(); ++call) std::cout << (call == call_ ? "→ " : "  ") << head(call) << '\n';
}

void DebugPrompt::go(size_t call) {
  call_ = call;
  show_place();
}

void DebugPrompt::go_outwards() {
  size_t call = call_ + 1;
  if (call < calls_.size() && calls_.left_out(call) > 0) ++call;
  call < calls_.size() ? go(call) : tell_error("this is the outermost call");
}

void DebugPrompt::go_inwards() {
  if (call_ == 0) return tell_error("this is the innermost call");
  const size_t call = call_ - 1;
  go(calls_.left_out(call) > 0 ? call - 1 : call);
}

void DebugPrompt::show(const SeenCalls::Variable& variable) const {
  std::string line = std::string(variable.name) + ": ";
  switch (variable.state) {
    case State::moved: line += "moved at its last use"; break;
    case State::unassigned: line += "no value yet"; break;
    case State::held:
      line += shape_text(variable.value);
      if (variable.value.is_scalar()) line += " = " + session_.text_of(variable.value);
  }
  if (variable.captured) line += " (of an enclosing function)";
  std::cout << wrapped(line, text_columns(), 4) << '\n';
}

void DebugPrompt::variables() const {
  if (!calls_.has_variables(call_)) return tell_error("compiled code ran this call: it has no variables to look at");
  const std::vector<SeenCalls::Variable> all = calls_.variables(call_);
  for (const SeenCalls::Variable& variable : all) show(variable);
  if (all.empty()) std::cout << "no variables\n";
}

// A variable of the call, or what the manual has.
void DebugPrompt::describe(std::string_view name) {
  const std::vector<SeenCalls::Variable> all = calls_.variables(call_);
  const auto found = std::ranges::find(all, name, &SeenCalls::Variable::name);
  if (found != all.end()) return show(*found);
  const Pager pager;
  help_.answer(name);
}

editor::Completion DebugPrompt::complete(std::string_view before) const {
  if (before.starts_with(':')) {
    editor::Completion completion;
    for (const ReplCommand& each : debug_commands) {
      if (each.name.starts_with(before)) completion.candidates.emplace_back(each.name);
    }
    return completion;
  }
  editor::Completion completion = covec::complete(session_, before);
  const std::string_view typed = before.substr(std::min(completion.from, before.size()));
  const bool is_name = std::ranges::all_of(typed, is_in_name) && !typed.empty() &&
                       (completion.from == 0 || before[completion.from - 1] != '.') && !open_string(before);
  if (!is_name) return completion;
  for (const SeenCalls::Variable& variable : calls_.variables(call_)) {
    if (variable.name.starts_with(typed)) completion.candidates.emplace_back(variable.name);
  }
  const auto names = completion.candidates.begin() + static_cast<long>(completion.first);
  std::sort(names, completion.candidates.end());
  completion.candidates.erase(std::unique(names, completion.candidates.end()), completion.candidates.end());
  return completion;
}

// --- breakpoints ---

Breakpoints::Breakpoints(Session& session, Channel& channel) : session_(session), channel_(channel) {
  const bool is_alone = session.context().ranks == &cluster::alone();
  if (is_alone && channel.can_ask()) session.context().prompt = this;
}

Breakpoints::~Breakpoints() { session_.context().prompt = nullptr; }

namespace {

// No `try` of the program catches it.
CovecError ended_at(const Span* site) {
  Diagnostic diagnostic;
  diagnostic.code = "ended_at_breakpoint";
  diagnostic.kind = ErrorKind::interrupted;
  diagnostic.message = "ended at a breakpoint";
  if (site != nullptr) diagnostic.labels.push_back({*site, ""});
  return CovecError(std::move(diagnostic));
}

}  // namespace

bool Breakpoints::open() {
  SeenCalls calls = SeenCalls::of_breakpoint(session_);
  if (calls.size() == 0) return true;
  const Span* const site = session_.context().site;
  if (!DebugPrompt(session_, channel_, calls, true).run()) throw ended_at(site);
  for (const std::string& name : calls.keep_assignments())
    channel_.note("note: " + name + " is no variable of that call: it keeps its value");
  return true;
}

}  // namespace covec
