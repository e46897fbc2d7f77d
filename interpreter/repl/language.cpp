#include "interpreter/repl/language.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "frontend/common/trimmed.hpp"
#include "frontend/resolve/resolve.hpp"
#include "interpreter/assist/syntax.hpp"
#include "interpreter/repl/paint.hpp"

namespace covec {

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

std::optional<std::string> question_in(std::string_view text) {
  const std::string_view line = trimmed(text.substr(0, text.find('\n')));
  if (line.starts_with('?')) return std::string(line.substr(1));
  if (!line.ends_with('?') || line.size() != trimmed(text).size()) return std::nullopt;
  const std::string_view topic = trimmed(line.substr(0, line.find_last_not_of('?') + 1));
  const bool quoted =
      topic.size() > 1 && (topic[0] == '"' || topic[0] == '\'') && topic.find(topic[0], 1) == topic.size() - 1;
  const bool named = !topic.empty() && std::ranges::all_of(topic, [](char c) { return is_in_name(c) || c == '.'; });
  if (!quoted && !named) return std::nullopt;
  return (line.ends_with("??") ? "?" : "") + std::string(topic);
}

bool is_command(std::string_view text) { return trimmed(text).starts_with(':') || question_in(trimmed(text)); }

namespace {

// Names may be unknown.
bool is_read(std::string_view text) {
  try {
    SourceMap sources;
    dump_ast(sources, sources.add("<input>", std::string(text)));
    return true;
  } catch (const CovecError&) {
    return false;
  }
}

// "f(x)" of `:time f(x)`; "" of other commands, which end with their lines.
std::string_view timed_code(std::string_view command) {
  constexpr std::string_view measures = ":time ";
  command = trimmed(command);
  return command.starts_with(measures) ? trimmed(command.substr(measures.size())) : "";
}

}  // namespace

// Names of the session: what is defined nowhere is no reason for more lines, so that they need not be known here.
Wholeness wholeness(const Session& session, std::string_view typed) {
  const std::string text = without_prompts(typed, false);
  if (is_command(text)) {
    const std::string_view code = timed_code(text);
    return code.empty() ? Wholeness::whole : wholeness(session, code);
  }
  try {
    SourceMap sources;
    Names names;
    ModuleScope scope;
    const uint32_t file = sources.add("<input>", text);
    const bool is_whole = compile_unit(sources, file, scope, names, session.builtins(), TextForm::input) != nullptr;
    return is_whole ? Wholeness::whole : Wholeness::open;
  } catch (const CovecError&) {
    return is_read(text) ? Wholeness::whole : Wholeness::wrong;
  }
}

bool is_expression(std::string_view text) { return is_read("(" + std::string(text) + "\n)"); }

namespace {

std::string pasted_text(std::string_view before, std::string_view pasted) {
  const bool begins_line = trimmed(before.substr(before.rfind('\n') + 1)).empty();
  return begins_line ? without_prompts(pasted, trimmed(before).empty()) : std::string(pasted);
}

}  // namespace

editor::Language language_of(const Session& session, Completer complete) {
  return {
      std::move(complete), [&session](std::string_view text) { return wholeness(session, text) != Wholeness::open; },
      styles_of,           indent_after,
      indent_of_closing,   pasted_text};
}

void tell_error(const std::string& message) { std::cerr << painted_diagnostics("error: " + message + "\n", 2); }

}  // namespace covec
