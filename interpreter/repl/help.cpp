#include "interpreter/repl/help.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <sstream>

#include "interpreter/repl/commands.hpp"
#include "interpreter/repl/completion.hpp"
#include "interpreter/repl/editor/clusters.hpp"
#include "interpreter/repl/manual.hpp"
#include "interpreter/repl/paint.hpp"
#include "interpreter/repl/shapes.hpp"
#include "interpreter/repl/syntax.hpp"
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

// Comments are wrapped where they were written; they are filled anew, but for what is indented.
std::string filled(const std::string& doc) {
  std::istringstream lines(doc);
  std::string text;
  bool joins = false;
  for (std::string line; std::getline(lines, line);) {
    const bool own_line = line.empty() || line.starts_with(' ');
    text += text.empty() ? "" : joins && !own_line ? " " : "\n";
    text += line;
    joins = !own_line;
  }
  return text;
}

void show_doc(const std::string& doc) {
  std::istringstream lines(filled(doc));
  for (std::string line; std::getline(lines, line);) say(line);
}

std::string first_sentence(const std::string& doc) {
  const std::string text = filled(doc).substr(0, filled(doc).find('\n'));
  const size_t stop = text.find(". ");
  return text.substr(0, stop == text.npos ? stop : stop + 1);
}

void say_below(const std::string& text) { std::cout << "    " << wrapped(text, text_columns() - 4, 4) << '\n'; }

// "at model.covec:3", as errors name a place.
std::string place_text(const Definition& definition) {
  if (!definition.library.empty()) return "in the module " + definition.library;
  if (definition.file == "<input>") return "at the prompt";
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

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

bool has_all(const std::string& text, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& w) { return lower(text).find(w) != text.npos; });
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream(lower(text));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Something that the search may find.
struct Page {
  std::string signature, doc;
};

std::vector<Page> pages_of_builtins() {
  std::vector<Page> pages;
  for (const ops::Entry* entry : ops::all_entries()) {
    if (entry->internal) continue;
    const bool constant = entry->constant.has_value();
    const std::string signature = constant ? std::string(entry->name) : ops::function_of(*entry).function().signature();
    pages.push_back({signature, std::string(entry->doc)});
  }
  return pages;
}

std::vector<std::string> public_members(const Session& session, const Value& module) {
  std::vector<std::string> names = session.member_names(module);
  std::erase_if(names, [](const std::string& name) { return name.starts_with('_'); });
  return names;
}

void add_pages_of(const Session& session, const std::string& module, std::vector<Page>& pages) {
  const Value& value = *session.find_global(module);
  for (const std::string& name : public_members(session, value)) {
    const Value* member = session.find_member(value, name);
    if (member == nullptr || !member->is(ObjectKind::function)) continue;
    pages.push_back({module + "." + member->function().signature(), member->function().doc()});
  }
}

// Without parts of modules.
std::vector<std::string> library() { return builtin_module_names(); }

bool is_builtin_module(std::string_view name) {
  const std::vector<std::string> names = library();
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void Help::overview() const {
  say("An expression shows its value, which is also kept in `ans`. Enter on the last line of a text runs it once its "
      "brackets are closed; two empty lines give it up, and the arrow up brings it back.\n");
  for (const ReplCommand& command : repl_commands) {
    constexpr size_t column = 21;  // characters before the explanation; chosen, not measured
    std::string head = "  " + std::string(command.name) + (command.name == "?" || command.argument.empty() ? "" : " ") +
                       std::string(command.argument);
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
  while (question.starts_with('?')) question = trimmed(question.substr(1));
  if (question.empty()) return overview();
  if (question[0] == '"' || question[0] == '\'') {
    question.remove_prefix(1);
    if (question.ends_with('"') || question.ends_with('\'')) question.remove_suffix(1);
    return search(question);
  }
  if (show_value(question, session_)) return;
  if (const Builtin* builtin = session_.builtins().find(question)) return show_page(Manual({}).page(*builtin->entry));
  if (!answer_of_module(question)) show_nothing(question);
}

// A function, a module, or any other value that a name or a chain of names leads to.
bool Help::show_value(std::string_view name, const Session& session) const {
  const Value* value = find_chain(session, name);
  if (value == nullptr) return false;
  if (value->is(ObjectKind::function)) {
    const std::optional<Definition> definition = definition_of(session, *value);
    say_name(heading_of(value->function(), definition));
    show_doc(value->function().doc());
    if (definition && definition->library.empty()) say("Defined " + place_text(*definition) + ".");
  } else if (value->is(ObjectKind::module)) {
    say_name(std::string(name) + ": module");
    for (const std::string& member : public_members(session, *value)) {
      const Value& item = *session.find_member(*value, member);
      const bool function = item.is(ObjectKind::function);
      show_in_list(
          std::string(name) + "." + (function ? item.function().signature() : member + ": " + shape_text(item)),
          function ? item.function().doc() : "");
    }
  } else {
    say(std::string(name) + ": " + shape_text(*value), 2);
  }
  return true;
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
    std::istringstream lines(filled(function.doc()));
    for (std::string line; std::getline(lines, line);) line.empty() ? say("") : say_below(line);
  }
  if (definition) say_below("defined " + place_text(*definition));
  return true;
}

bool Help::answer_of_module(std::string_view name) {
  const std::string_view module = name.substr(0, name.find('.'));
  if (!is_builtin_module(module) || session_.find_global(module) != nullptr) return false;
  if (!show_value(name, modules())) return false;
  say("Not imported yet: `import " + std::string(module) + "`.");
  return true;
}

void Help::show_nothing(std::string_view name) const {
  const std::string text(name);
  if (std::find(std::begin(keywords), std::end(keywords), name) != std::end(keywords)) {
    return say(text + " is a keyword of the language: docs/language.md describes it.");
  }
  const std::vector<std::string> others = session_.module_names();
  const bool module = std::find(others.begin(), others.end(), text) != others.end();
  const std::string_view near = nearest_name(name, session_.builtins().names());
  std::string message = "there is no name " + text;
  if (module) message += ": `import " + text + "` first";
  if (!module && !near.empty()) message += "; did you mean " + std::string(near) + "?";
  std::cerr << painted_diagnostics("error: " + message + "\n  hint: ?\"" + text + "\" searches the manual\n", 2);
}

const Session& Help::modules() {
  if (modules_ == nullptr) {
    modules_ = std::make_unique<Session>();
    for (const std::string& module : library()) modules_->run_text("help", "import " + module);
  }
  return *modules_;
}

// Those whose name has the words come first.
void Help::search(std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return say("`?\"TEXT\"` lists the pages of the manual that have these words.");
  std::vector<Page> pages = pages_of_builtins();
  for (const std::string& module : library()) add_pages_of(modules(), module, pages);
  std::erase_if(pages, [&](const Page& page) { return !has_all(page.signature + " " + page.doc, words); });
  std::stable_partition(pages.begin(), pages.end(), [&](const Page& page) {
    return has_all(page.signature.substr(0, page.signature.find('(')), words);
  });
  for (const Page& page : pages) show_in_list(page.signature, page.doc);
  if (pages.empty())
    say("The manual of the builtins has no page with these words; docs/language.md may describe them.");
}

}  // namespace covec
