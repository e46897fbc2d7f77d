#include "interpreter/repl/completion.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "interpreter/repl/commands.hpp"
#include "interpreter/repl/syntax.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

constexpr std::string_view attributes[] = {"T", "H", "shape", "dtype", "rank", "size", "device"};

bool part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }

size_t word_start(std::string_view line) {
  size_t at = line.size();
  while (at > 0 && part_of_name(line[at - 1])) --at;
  return at;
}

class Candidates {
 public:
  explicit Candidates(std::string_view typed) : typed_(typed) {}
  std::string_view typed() const { return typed_; }
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
    for (const std::string& name : session.member_names(*value)) {
      if (!name.starts_with('_') || candidates.typed().starts_with('_')) candidates.offer(name);
    }
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

editor::Completion complete_path(std::string_view typed, size_t from) {
  namespace fs = std::filesystem;
  const fs::path path(typed);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  editor::Completion completion{from, {}};
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

editor::Completion complete(const Session& session, std::string_view before_cursor) {
  const size_t begin = before_cursor.rfind('\n') + 1;  // of the line; 0 where it is the first
  const std::string_view line = before_cursor.substr(begin);
  if (const size_t string = open_string(line); string != std::string_view::npos) {
    return complete_path(line.substr(string), begin + string);
  }
  if (line.starts_with(":load ")) return complete_path(line.substr(6), 6);
  const bool command = begin == 0 && line.starts_with(":") && line.find(' ') == std::string_view::npos;
  const size_t from = command ? 0 : begin + word_start(line);
  Candidates candidates(before_cursor.substr(from));
  if (command) {
    for (const ReplCommand& each : repl_commands) candidates.offer(each.name);
  } else if (line.starts_with("import ")) {
    for (const std::string& module : session.module_names()) candidates.offer(module);
  } else if (from > 0 && before_cursor[from - 1] == '.') {
    offer_fields(session, find_chain(session, chain_before(before_cursor, from - 1)), candidates);
  } else {
    offer_names(session, candidates);
    offer_keywords(session, before_cursor, candidates);
  }
  return {from, candidates.take()};
}

}  // namespace covec
