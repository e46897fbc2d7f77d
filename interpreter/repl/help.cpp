#include "interpreter/repl/help.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <sstream>

#include "frontend/ast/operator_signs.hpp"
#include "frontend/common/nearest.hpp"
#include "frontend/common/trimmed.hpp"
#include "frontend/source/foreign_syntax.hpp"
#include "interpreter/assist/commands.hpp"
#include "interpreter/assist/completion.hpp"
#include "interpreter/assist/documentation.hpp"
#include "interpreter/assist/keyword_pages.hpp"
#include "interpreter/assist/manual.hpp"
#include "interpreter/assist/shape_text.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/repl/editor/terminal.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/session/definition.hpp"
#include "interpreter/session/modules.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/callable.hpp"

namespace covec {

using editor::Style;

namespace {

constexpr int to_output = 1;

void say(std::string_view line, unsigned indent = 0) { std::cout << wrapped(line, text_columns(), indent) << '\n'; }

void say_name(const std::string& name) { std::cout << painted(name, Style::name, to_output) << '\n'; }

// A page of the manual without the signs of Markdown; programs are not wrapped.
void show_page(const std::string& page) {
  std::istringstream lines(page);
  bool program = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      program = !program;
    } else if (line.starts_with("### ")) {
      say_name(line.substr(5, line.size() - 6));
    } else if (program) {
      std::cout << "  " << line << '\n';
    } else {
      say(line, line.starts_with("- ") ? 2 : 0);
    }
  }
}

void show_doc(const std::string& doc) {
  std::istringstream lines(unwrapped(doc));
  for (std::string line; std::getline(lines, line);) say(line);
}

void say_below(const std::string& text) { std::cout << "    " << wrapped(text, text_columns() - 4, 4) << '\n'; }

// "at model.covec:3", as errors name a place.
std::string place_text(const Definition& definition) {
  if (!definition.library.empty()) return "in the module " + definition.library;
  if (definition.file.starts_with("<input ")) return "at the prompt";
  return "at " + definition.file + ":" + std::to_string(definition.line);
}

// A lambda has no name to be called by: the first line of its text tells it.
std::string heading_of(const Callable& function, const std::optional<Definition>& definition) {
  if (!definition || !function.name().starts_with("a ")) return function.signature();
  const size_t end = definition->text.find('\n');
  return definition->text.substr(0, end) + (end == std::string::npos ? "" : " …");
}

// "sum(x, axis=none)  Sum of the elements": the first sentence of what it says.
void show_in_list(const std::string& signature, const std::string& doc) {
  const std::string first = first_sentence(doc);
  std::cout << painted(signature, Style::name, to_output) << '\n';
  if (!first.empty()) say_below(first);
}

bool is_builtin_module(std::string_view name) {
  const std::vector<std::string> names = builtin_module_names();
  return std::ranges::find(names, name) != names.end();
}

const KeywordPage* keyword_page(std::string_view word) {
  const auto* const found = std::ranges::find(keyword_pages, word, &KeywordPage::word);
  return found == std::end(keyword_pages) ? nullptr : found;
}

// `<<`: the entry of an operator by its sign; nullptr for other words, and for `in` and `not`, which are keywords.
const ops::Entry* operator_written(std::string_view sign, const Session& session) {
  const auto* const found = std::ranges::find(operator_signs, sign);
  if (found == std::end(operator_signs) || keyword_page(sign) != nullptr) return nullptr;
  return session.builtins().of(static_cast<Operator>(found - std::begin(operator_signs))).entry;
}

void show_keyword(const KeywordPage& page) {
  say_name(std::string(page.form));
  say_below(std::string(page.does));
  std::cout << '\n';
  std::istringstream lines{std::string(page.example)};
  for (std::string line; std::getline(lines, line);) std::cout << "    " << line << '\n';
  std::cout << '\n';
  say("The section \"" + std::string(page.section) + "\" of docs/language.md has more.");
}

// Options that many of the functions have: they are said once.
std::string shared_options(std::span<const Page> pages) {
  std::vector<std::pair<std::string, size_t>> counts;
  const auto count = [&](const std::string& name) {
    const auto known = std::ranges::find(counts, name, &std::pair<std::string, size_t>::first);
    if (known == counts.end())
      counts.emplace_back(name, 1);
    else
      ++known->second;
  };
  for (const Page& page : pages) {
    for (const std::string& parameter : parameters_in(page.signature)) {
      if (is_option(parameter)) count(parameter.substr(0, parameter.find_first_of(":=")));
    }
    std::ranges::for_each(page.option_names, count);
  }
  std::string text;
  for (const auto& [name, times] : counts) {
    if (times >= 3 && 3 * times >= pages.size()) text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

size_t lines_in(const std::string& text) { return static_cast<size_t>(std::ranges::count(text, '\n')); }

// "and conv, dropout": the pages that have no line of their own, as many as `room` lines hold.
std::string names_of_others(std::span<const Page> pages, size_t room = std::string::npos) {
  std::string text, shown;
  for (const Page& page : pages) {
    text += (text.empty() ? "and " : ", ") + page.name.substr(page.name.rfind('.') + 1);
    const std::string lines = wrapped(text + (&page == &pages.back() ? "" : ", …"), text_columns(), 4) + "\n";
    if (lines_in(lines) > room) break;
    shown = lines;
  }
  return shown;
}

// As much as a window shows: a line for each function, as many as there is room for, then the names of the others.
void show_in_a_page(std::span<const Page> pages, size_t room) {
  const std::vector<std::string> rows = rows_of_pages(pages, text_columns());
  size_t shown = pages.size();
  while (shown > 0 && shown + lines_in(names_of_others(pages.subspan(shown))) > room) --shown;
  for (size_t i = 0; i < shown; ++i) std::cout << rows[i] << '\n';
  std::cout << names_of_others(pages.subspan(shown), room - shown);
}

}  // namespace

void Help::overview() const {
  say("An expression shows its value, which `_` and `ans` keep. Enter on the last line of a text runs it once its "
      "brackets are closed; two empty lines give it up, and the arrow up brings it back.\n");
  for (const ReplCommand& command : repl_commands) {
    constexpr size_t column = 21;  // characters before the explanation
    std::string head = "  " + std::string(command.name) +
                       (command.name[0] == '?' || command.argument.empty() ? "" : " ") + std::string(command.argument);
    head.resize(std::max(head.size() + 1, column), ' ');
    say(head + std::string(command.does), column);
  }
  std::cout << '\n';
  say("Tab completes names, fields, arguments and paths. The arrows go through lines, then through earlier texts that "
      "begin with what is typed; Page-up goes through all, Ctrl-R searches. Alt-Enter begins a new line anywhere. "
      "Ctrl-C interrupts. The language itself is "
      "described in docs/language.md.");
}

void Help::answer(std::string_view question) {
  const bool whole = question.starts_with('?');  // `??plot`
  while (question.starts_with('?')) question = trimmed(question.substr(1));
  if (question.ends_with("()")) question.remove_suffix(2);
  if (question.empty()) return overview();
  if (question[0] == '"' || question[0] == '\'') {
    question.remove_prefix(1);
    if (question.ends_with('"') || question.ends_with('\'')) question.remove_suffix(1);
    return search(question);
  }
  if (answer_of_name(question, whole)) return;
  question.find(' ') == question.npos ? show_nothing(question) : search(question);
}

bool Help::answer_of_name(std::string_view name, bool whole) {
  if (show_value(name, session_, whole)) return true;
  const Builtin* const builtin = session_.builtins().find(name);
  const ops::Entry* const entry = builtin != nullptr ? builtin->entry : operator_written(name, session_);
  const KeywordPage* const keyword = keyword_page(name);
  if (entry != nullptr)
    show_page(Manual({}).page(*entry));
  else if (answer_of_module(name, whole))
    return true;
  else if (keyword != nullptr)
    show_keyword(*keyword);
  return entry != nullptr || keyword != nullptr;
}

// A function, a module, or any other value that a name or a chain of names leads to.
bool Help::show_value(std::string_view name, const Session& session, bool whole) const {
  const Value* value = find_chain(session, name);
  if (value == nullptr) return false;
  if (value->is(ObjectKind::function)) {
    const std::optional<Definition> definition = definition_of(session, *value);
    say_name(heading_of(value->function(), definition));
    show_doc(value->function().doc());
    if (definition && definition->library.empty()) say("Defined " + place_text(*definition) + ".");
  } else if (value->is(ObjectKind::module)) {
    show_module(std::string(name), pages_of_module(session, std::string(name), *value), whole);
  } else {
    say(std::string(name) + ": " + shape_text(*value), 2);
  }
  return true;
}

void Help::show_module(const std::string& name, std::vector<Page> pages, bool whole) const {
  if (whole) {
    say_name(name + ": module");
    for (const Page& page : pages) show_in_list(page.signature, page.doc);
    return;
  }
  const std::string example = pages.empty() ? "sum" : pages.front().name;
  for (Page& page : pages) page.signature.erase(0, name.size() + 1);
  const auto paragraph = [](const std::string& text) { return wrapped(text, text_columns(), 0) + "\n"; };
  const std::string options = shared_options(pages);
  const std::string head = paragraph(name + ": module. " + first_sentence(preface_of_module(name)));
  const std::string foot =
      (options.empty() ? "" : paragraph("Options of many: " + options + ".")) +
      paragraph("`?" + example + "` shows one with all that it takes, `\?\?" + name + "` all of them.");
  constexpr size_t most = 24, least = 8;  // lines of a page
  const size_t window = std::clamp<size_t>(editor::size_of_terminal().rows, least, most);
  const size_t used = 2 + lines_in(head) + lines_in(foot);  // with the next prompt, and how to import it
  std::cout << painted(name, Style::name, to_output) << head.substr(name.size());
  show_in_a_page(pages, std::max<size_t>(window, used + 1) - used);
  std::cout << foot;
}

// Dtypes are functions too, and a transformed function (`grad(f)`) says by its name alone what it is.
bool Help::show_function(const Value& value) const {
  const Callable& function = value.function();
  const bool is_dtype = function.entry() != nullptr && (function.entry()->dtype || function.entry()->part_dtype);
  if (is_dtype || function.callable_kind == CallableKind::transformed) return false;
  const std::optional<Definition> definition = definition_of(session_, value);
  say_name(wrapped(heading_of(function, definition), text_columns(), 4));
  if (function.entry() != nullptr || (definition && !definition->library.empty())) {
    say_below(first_sentence(function.doc()));
  } else {
    std::istringstream lines(unwrapped(function.doc()));
    for (std::string line; std::getline(lines, line);) line.empty() ? say("") : say_below(line);
  }
  if (definition) say_below("defined " + place_text(*definition));
  return true;
}

bool Help::answer_of_module(std::string_view name, bool whole) {
  const std::string_view module = name.substr(0, name.find('.'));
  if (!is_builtin_module(module) || session_.find_global(module) != nullptr) return false;
  if (!show_value(name, modules(), whole)) return false;
  say("Not imported yet: `import " + std::string(module) + "`.");
  return true;
}

// What other systems call so, a module that can be imported, a name that is spelled alike, or pages about it.
void Help::show_nothing(std::string_view name) {
  const std::string text(name);
  const std::vector<std::string> others = session_.module_names();
  const bool module = std::find(others.begin(), others.end(), text) != others.end();
  const std::string_view near = nearest_name(name, session_.builtins().names());
  std::string_view habit = foreign_syntax::replacement_of_name(name);
  if (habit.empty()) habit = foreign_syntax::replacement(foreign_syntax::At::statement, name);
  constexpr size_t least = 4;  // letters of a word that may be meant
  if (!module && near.empty() && habit.empty() && name.size() >= least) {
    const Found found = pages_with(name, all_pages());
    if (found.whole && !found.pages.empty()) {
      say("There is no name " + text + ". Pages about it:");
      return list(found);
    }
  }
  std::string message = "there is no name " + text, hint = "?\"" + text + "\" searches the manual";
  if (!habit.empty()) hint = habit;
  if (module) message += ": `import " + text + "` first";
  if (!module && habit.empty() && !near.empty()) message += "; did you mean " + std::string(near) + "?";
  std::cerr << painted_diagnostics("error: " + message + "\n  hint: " + hint + "\n", 2);
}

const Session& Help::modules() {
  if (modules_ == nullptr) {
    modules_ = std::make_unique<Session>();
    for (const std::string& module : builtin_module_names()) modules_->run_text("help", "import " + module);
  }
  return *modules_;
}

std::vector<Page> Help::all_pages() {
  std::vector<Page> pages = pages_of_keywords();
  const auto add = [&](const std::vector<Page>& more) { pages.insert(pages.end(), more.begin(), more.end()); };
  for (const std::string_view name : session_.global_names()) {
    const Value& value = *session_.find_global(name);
    if (value.is(ObjectKind::function))
      pages.push_back({std::string(name), value.function().signature(), value.function().doc()});
    if (value.is(ObjectKind::module) && !is_builtin_module(name))
      add(pages_of_module(session_, std::string(name), value));
  }
  add(pages_of_builtins());
  for (const std::string& module : builtin_module_names()) {
    pages.push_back({module, module + ": module", preface_of_module(module)});
    add(pages_of_module(modules(), module, *modules().find_global(module)));
  }
  return pages;
}

void Help::list(const Found& found) const {
  const std::span<const Page> pages = found.pages;
  constexpr size_t most = 18;  // lines
  const size_t shown = pages.size() > most + 1 ? most : pages.size();
  for (const std::string& row : rows_of_pages(pages.first(shown), text_columns())) std::cout << row << '\n';
  if (shown < pages.size()) say("… and " + std::to_string(pages.size() - shown) + " more; another word finds fewer.");
}

void Help::search(std::string_view text) {
  if (trimmed(text).empty()) return say("`?\"TEXT\"` lists the pages of the manual that have these words.");
  if (operator_written(trimmed(text), session_) != nullptr) return answer(trimmed(text));
  const std::vector<Page> pages = all_pages();
  const Found found = pages_with(text, pages);
  const bool all_words = found.whole && !found.pages.empty();
  const std::string other = all_words ? "" : spelled_alike(text, pages);
  const Found alike = all_words ? Found() : pages_with(other, pages);
  if (!all_words && alike.whole && !alike.pages.empty()) {
    say("No page has these words. With \"" + other + "\":");
    return list(alike);
  }
  if (found.pages.empty())
    return say("The manual of the builtins has no page with these words; docs/language.md may describe them.");
  if (!found.whole) say("No page has all of these words. Some have:");
  list(found);
}

}  // namespace covec
