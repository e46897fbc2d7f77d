#include "interpreter/repl/completion.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "stdlib/value/callable.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

constexpr std::string_view keywords[] = {"fn",    "return",   "if",     "else",   "for",  "while",
                                         "break", "continue", "import", "assert", "true", "false",
                                         "none",  "and",      "or",     "not",    "in",   "as"};
constexpr std::string_view commands[] = {":help", ":load", ":quit", ":reset", ":time", ":vars"};
constexpr std::string_view attributes[] = {"T", "shape", "dtype", "rank", "size", "device"};

bool part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }

size_t word_start(std::string_view line) {
  size_t at = line.size();
  while (at > 0 && part_of_name(line[at - 1])) --at;
  return at;
}

class Candidates {
 public:
  explicit Candidates(std::string_view typed) : typed_(typed) {}
  void offer(std::string_view word) {
    if (word.starts_with(typed_)) words_.emplace_back(word);
  }
  std::vector<std::string> take() {
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    return std::move(words_);
  }

 private:
  std::string_view typed_;
  std::vector<std::string> words_;
};

std::string_view chain_before(std::string_view line, size_t dot) {
  size_t at = dot;
  while (at > 0 && (part_of_name(line[at - 1]) || line[at - 1] == '.')) --at;
  return line.substr(at, dot - at);
}

void offer_fields(const Session& session, const Value* value, Candidates& candidates) {
  if (value != nullptr && value->is(ObjectKind::record)) {
    for (const std::string& name : value->record().layout->names) candidates.offer(name);
    return;
  }
  if (value != nullptr && value->is(ObjectKind::module)) {
    for (const std::string& name : session.member_names(*value)) candidates.offer(name);
    return;
  }
  for (std::string_view name : attributes) candidates.offer(name);
  for (std::string_view name : session.builtins().names()) {
    if (session.builtins().find(name)->method) candidates.offer(name);
  }
}

void offer_names(const Session& session, Candidates& candidates) {
  for (std::string_view name : session.global_names()) candidates.offer(name);
  for (std::string_view name : session.builtins().names()) candidates.offer(name);
  for (std::string_view name : keywords) candidates.offer(name);
}

// Inside `f(…`: the keyword arguments of f, with their '='.
void offer_keywords(const Session& session, std::string_view line, Candidates& candidates) {
  int depth = 0;
  size_t open = std::string_view::npos;
  for (size_t i = line.size(); i-- > 0 && open == std::string_view::npos;) {
    if (line[i] == ')' || line[i] == ']') ++depth;
    if ((line[i] == '(' || line[i] == '[') && depth-- == 0) open = i;
  }
  if (open == std::string_view::npos || line[open] != '(') return;
  const std::string_view callee = chain_before(line, open);
  if (const Value* value = find_chain(session, callee); value != nullptr && value->is(ObjectKind::function)) {
    for (std::string_view name : value->function().parameter_names()) candidates.offer(std::string(name) + "=");
  } else if (const Builtin* builtin = session.builtins().find(callee.substr(callee.rfind('.') + 1))) {
    for (const BuiltinParameter& parameter : builtin->parameters) candidates.offer(std::string(parameter.name) + "=");
  }
}

Completion complete_path(std::string_view typed, size_t from) {
  namespace fs = std::filesystem;
  const fs::path path(typed);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  Completion completion{from, {}};
  std::error_code error;
  fs::directory_iterator item(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && item != fs::directory_iterator(); item.increment(error)) {
    std::error_code unknown;
    std::string name = (path.has_parent_path() ? item->path() : item->path().filename()).string();
    if (item->is_directory(unknown)) name += "/";
    if (name.starts_with(typed)) completion.candidates.push_back(std::move(name));
  }
  std::sort(completion.candidates.begin(), completion.candidates.end());
  return completion;
}

// The start of an unfinished string, or npos.
size_t open_string(std::string_view line) {
  char quote = 0;
  size_t start = std::string_view::npos;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote != 0 && line[i] == '\\') {
      ++i;
    } else if (quote == 0 && (line[i] == '"' || line[i] == '\'')) {
      quote = line[i];
      start = i + 1;
    } else if (line[i] == quote) {
      quote = 0;
    }
  }
  return quote != 0 ? start : std::string_view::npos;
}

}  // namespace

const Value* find_chain(const Session& session, std::string_view chain) {
  size_t dot = chain.find('.');
  const Value* value = session.find_global(chain.substr(0, dot));
  while (value != nullptr && dot != std::string_view::npos) {
    const size_t next = chain.find('.', dot + 1);
    const std::string_view name = chain.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1);
    value = value->is(ObjectKind::record) ? value->record().find(name) : session.find_member(*value, name);
    dot = next;
  }
  return value;
}

Completion complete(const Session& session, std::string_view line) {
  if (const size_t string = open_string(line); string != std::string_view::npos) {
    return complete_path(line.substr(string), string);
  }
  if (line.starts_with(":load ")) return complete_path(line.substr(6), 6);
  size_t from = line.starts_with(":") && line.find(' ') == std::string_view::npos ? 0 : word_start(line);
  Candidates candidates(line.substr(from));
  if (line.starts_with(":") && from == 0) {
    for (std::string_view command : commands) candidates.offer(command);
  } else if (line.starts_with("import ")) {
    for (const std::string& module : session.module_names()) candidates.offer(module);
  } else if (from > 0 && line[from - 1] == '.') {
    offer_fields(session, find_chain(session, chain_before(line, from - 1)), candidates);
  } else {
    offer_names(session, candidates);
    offer_keywords(session, line, candidates);
  }
  return {from, candidates.take()};
}

}  // namespace covec
