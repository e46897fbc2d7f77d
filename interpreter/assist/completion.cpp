#include "interpreter/assist/completion.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include "frontend/common/trimmed.hpp"
#include "frontend/parse/parse.hpp"
#include "interpreter/assist/commands.hpp"
#include "interpreter/assist/letters.hpp"
#include "interpreter/assist/methods.hpp"
#include "interpreter/assist/syntax.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

// Named arguments in their order, then names.
class Candidates {
 public:
  explicit Candidates(std::string_view typed) : typed_(typed) {}
  std::string_view typed() const { return typed_; }
  void offer(std::string_view word) {
    if (word.starts_with(typed_)) words_.emplace_back(word);
  }
  void offer_argument(std::string_view name) {
    if (name.starts_with(typed_)) arguments_.push_back(std::string(name) + "=");
  }
  editor::Completion take(size_t from) {
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    const size_t first = arguments_.size();
    arguments_.insert(arguments_.end(), words_.begin(), words_.end());
    return {from, std::move(arguments_), first};
  }

 private:
  std::string_view typed_;
  std::vector<std::string> arguments_, words_;
};

// Attributes and methods; of a value that nothing is known of, all.
void offer_methods(const Session& session, const Value* value, Candidates& candidates) {
  if (value == nullptr || is_operand(shaped_part(*value))) {
    for (std::string_view name : attributes) candidates.offer(name);
  }
  for (std::string_view name : session.builtins().names()) {
    const Builtin& builtin = *session.builtins().find(name);
    if (value == nullptr ? builtin.method : is_method_of(builtin, *value)) candidates.offer(name);
  }
}

void offer_fields(const Session& session, std::string_view before_dot, Candidates& candidates) {
  const std::string_view chain = chain_before(before_dot, before_dot.size());
  const Value* value = find_chain(session, chain);
  if (!chain.empty() && std::isdigit(static_cast<unsigned char>(chain[0])) != 0) return;  // the point of a number
  if (value != nullptr && value->is(ObjectKind::record)) {
    for (const std::string& name : value->record().layout->names) candidates.offer(name);
  } else if (value != nullptr && value->is(ObjectKind::module)) {
    for (const std::string& name : session.member_names(*value)) {
      if (!name.starts_with('_') || candidates.typed().starts_with('_')) candidates.offer(name);
    }
  } else if (before_dot.ends_with('"') || before_dot.ends_with('\'')) {
    const Value text = make_string("");
    offer_methods(session, &text, candidates);
  } else {
    offer_methods(session, value, candidates);
  }
}

void offer_names(const Session& session, Candidates& candidates) {
  for (std::string_view name : session.global_names()) candidates.offer(name);
  for (std::string_view name : session.builtins().names()) candidates.offer(name);
  for (const std::string& name : keywords()) candidates.offer(name);
}

void offer_modules(const Session& session, Candidates& candidates) {
  for (const std::string& module : session.module_names()) candidates.offer(module);
}

// What can be named in a call.
struct Parameters {
  std::vector<std::string_view> names;
  size_t positional = 0;  // the first ones, which arguments without a name fill
  bool after_receiver = false;
};

Parameters parameters_of(const Session& session, std::string_view callee) {
  Parameters found;
  const size_t dot = callee.rfind('.');
  if (const Value* value = find_chain(session, callee); value != nullptr && value->is(ObjectKind::function)) {
    found.names = value->function().parameter_names();
    const int rest = value->function().rest_parameter();
    found.positional = rest < 0 ? found.names.size() : static_cast<size_t>(rest);
    if (rest >= 0 && value->function().entry() == nullptr) found.names[found.positional] = "";
    if (!value->function().takes_options()) return found;
    found.names.pop_back();
    found.positional = std::min(found.positional, found.names.size());
    std::ranges::copy(value->function().option_names(), std::back_inserter(found.names));
    return found;
  }
  const Value* receiver = dot == callee.npos ? nullptr : find_chain(session, callee.substr(0, dot));
  if (receiver != nullptr && (receiver->is(ObjectKind::record) || receiver->is(ObjectKind::module))) return found;
  const Builtin* builtin = session.builtins().find(dot == callee.npos ? callee : callee.substr(dot + 1));
  if (builtin == nullptr || (dot != callee.npos && !builtin->method)) return found;
  for (const BuiltinParameter& parameter : builtin->parameters) found.names.push_back(parameter.name);
  found.positional = builtin->variadic ? builtin->variadic_at : found.names.size();
  found.after_receiver = dot != callee.npos;
  return found;
}

// Inside `f(…`, where an argument begins: those of f that are not given yet, with their '='.
void offer_arguments(const Session& session, std::string_view text, Candidates& candidates) {
  const std::optional<OpenBracket> bracket = open_bracket(text);
  if (!bracket || text[bracket->at] != '(') return;
  if (trimmed(bracket->arguments.back()) != candidates.typed()) return;  // in the middle of an argument
  const std::string_view callee = chain_before(text, bracket->at);
  const std::string_view before = trimmed(text.substr(0, bracket->at - callee.size()));
  if (callee.empty() || before == "fn" || before.ends_with(" fn") || before.ends_with("\nfn")) return;
  Parameters parameters = parameters_of(session, callee);
  size_t filled = parameters.after_receiver ? 1 : 0;
  for (size_t i = 0; i + 1 < bracket->arguments.size(); ++i) {
    const std::string_view argument = trimmed(bracket->arguments[i]);
    const std::string_view name = name_of_argument(argument);
    if (!name.empty()) std::erase(parameters.names, name);
    if (name.empty() && !argument.starts_with('*')) ++filled;
  }
  for (size_t i = std::min(filled, parameters.positional); i < parameters.names.size(); ++i) {
    const std::string_view name = parameters.names[i];
    if (!name.empty() && !name.starts_with('_')) candidates.offer_argument(name);
  }
}

}  // namespace

const Value* find_chain(const Session& session, std::string_view chain) {
  size_t dot = chain.find('.');
  const Value* value = session.find_global(chain.substr(0, dot));
  while (value != nullptr && dot != std::string_view::npos) {
    const size_t next = chain.find('.', dot + 1);
    const std::string_view name = chain.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1);
    value = value->is(ObjectKind::record) ? value->record().find(name) : find_member(*value, name);
    dot = next;
  }
  return value;
}

namespace {

// Finds where the path of `:load FILE` and its like begins; nothing: the command takes no path.
std::optional<size_t> path_of_command(std::string_view line) {
  for (const std::string_view command : {":load ", ":save ", ":edit ", ":cd "}) {
    if (line.starts_with(command)) return command.size();
  }
  return std::nullopt;
}

// Completes `\\al` to the names that begin so, or a whole name to its letter; nothing: no backslash stands there.
std::optional<editor::Completion> complete_letter(std::string_view before) {
  const size_t from = before.rfind('\\');
  if (from == before.npos || !std::ranges::all_of(before.substr(from + 1), is_in_name)) return std::nullopt;
  const std::string_view typed = before.substr(from + 1);
  editor::Completion completion{from, {}, 0};
  for (const NamedLetter& each : named_letters) {
    if (each.name == typed) return editor::Completion{from, {std::string(each.letter)}, 0};
    if (each.name.starts_with(typed)) completion.candidates.push_back("\\" + std::string(each.name));
  }
  std::sort(completion.candidates.begin(), completion.candidates.end());
  return completion;
}

// Keys that can be written as they are.
bool is_plain_key(const Value& key) {
  return key.is(ObjectKind::string) && key.string().text.find_first_of("\"'\\\n{") == std::string::npos;
}

// In m["…: the keys of a map or the names of a record, with what closes the brackets; nothing: the string is no key.
std::optional<editor::Completion> complete_key(const Session& session, std::string_view before, size_t string) {
  if (string < 2 || before[string - 2] != '[') return std::nullopt;
  const Value* const value = find_chain(session, chain_before(before, string - 2));
  if (value == nullptr) return std::nullopt;
  const std::string end = std::string(1, before[string - 1]) + "]";
  Candidates candidates(before.substr(string));
  if (value->is(ObjectKind::record)) {
    for (const std::string& name : value->record().layout->names) candidates.offer(name + end);
  } else if (value->is(ObjectKind::map)) {
    for (const Value& key : std::as_const(map_of(*value)).keys()) {
      if (is_plain_key(key)) candidates.offer(key.string().text + end);
    }
  } else {
    return std::nullopt;
  }
  return candidates.take(string);
}

}  // namespace

editor::Completion complete(const Session& session, std::string_view before_cursor) {
  const size_t begin = before_cursor.rfind('\n') + 1;  // of the line; 0 where it is the first
  const std::string_view line = before_cursor.substr(begin);
  if (const std::optional<size_t> path = begin == 0 ? path_of_command(line) : std::nullopt)
    return complete_path(line.substr(*path), *path);
  if (const std::optional<size_t> string = open_string(before_cursor)) {
    std::optional<editor::Completion> key = complete_key(session, before_cursor, *string);
    return key ? *std::move(key) : complete_path(before_cursor.substr(*string), *string);
  }
  if (std::optional<editor::Completion> letter = complete_letter(before_cursor)) return *std::move(letter);
  const bool command = begin == 0 && line.starts_with(":") && line.find(' ') == std::string_view::npos;
  const size_t from = command ? 0 : begin + word_start(line);
  Candidates candidates(before_cursor.substr(from));
  if (command) {
    for (const ReplCommand& each : repl_commands) candidates.offer(each.name);
  } else if (line.starts_with("import ")) {
    offer_modules(session, candidates);
  } else if (from > 0 && before_cursor[from - 1] == '.') {
    offer_fields(session, before_cursor.substr(0, from - 1), candidates);
  } else {
    offer_arguments(session, before_cursor, candidates);
    offer_names(session, candidates);
    if (begin == 0 && line.starts_with('?')) offer_modules(session, candidates);
  }
  return candidates.take(from);
}

}  // namespace covec
