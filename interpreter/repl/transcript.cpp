#include "interpreter/repl/transcript.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "frontend/common/trimmed.hpp"
#include "frontend/resolve/definitions.hpp"
#include "interpreter/assist/syntax.hpp"

namespace covec {

namespace {

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_in_name(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !is_in_name(text[at + word.size()]);
    if (begins && ends) return true;
  }
  return false;
}

std::string as_comment(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines += "# " + std::string(line) + "\n";
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

std::vector<Span> statements_in(const std::string& text) {
  SourceMap sources;
  return statements_of(sources, sources.add("<input>", text));
}

// A semicolon parts statements of a line, which have lines of their own in the program.
std::string_view without_semicolon(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with(';')) text.remove_prefix(1);
  if (text.ends_with(';')) text.remove_suffix(1);
  return trimmed(text);
}

}  // namespace

std::string statements_before(const std::string& text, size_t place) {
  size_t end = 0;
  for (const Span statement : statements_in(text)) {
    if (statement.end <= place) end = statement.end;
  }
  return text.substr(0, end);
}

void Transcript::add(std::string_view text, std::string_view comment, Shown shown, unsigned number) {
  Input input{std::string(trimmed(text)), std::string(comment), 0, 0, shown, number};
  if (input.text.empty()) return;
  const std::vector<Span> statements = shown == Shown::nothing ? std::vector<Span>() : statements_in(input.text);
  if (!statements.empty()) {
    input.value = statements.back().begin;
    input.value_end = statements.back().end;
  }
  inputs_.push_back(std::move(input));
}

bool Transcript::has_use(std::string_view word) const {
  return std::ranges::any_of(inputs_, [&](const Input& input) { return has_word(input.text, word); });
}

std::string Transcript::program() const {
  const bool uses_last = has_use("ans") || has_use("_");
  std::string program;
  for (const Input& input : inputs_) {
    program += as_comment(input.comment);
    if (input.shown == Shown::nothing) {
      program += input.text + "\n";
      continue;
    }
    const std::string_view text = input.text;
    const std::string_view before = without_semicolon(text.substr(0, input.value));
    const std::string_view behind = without_semicolon(text.substr(input.value_end));  // a comment
    const std::string end = (behind.empty() ? "" : "  ") + std::string(behind) + "\n";
    const std::string value = "(" + std::string(text.substr(input.value, input.value_end - input.value)) + ")";
    const bool prints = input.shown == Shown::printed;
    const std::string name = "_" + std::to_string(input.number);
    const bool keeps = input.number > 0 && has_use(name);
    if (!before.empty()) program += std::string(before) + "\n";
    if (keeps) program += name + " = " + value + end;
    if (uses_last)
      program += "ans = " + (keeps ? name + "\n" : value + end) + "_ = ans\n" + (prints ? "print(ans)\n" : "");
    else if (prints)
      program += "print" + (keeps ? "(" + name + ")\n" : value + end);
    else if (!keeps)
      program += "_ = " + value + end;
  }
  return program;
}

std::string Transcript::save(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string whole = fs::absolute(path, error).string();
  const bool is_ours = std::ranges::find(saved_, whole) != saved_.end();
  if (!is_ours && fs::exists(path, error)) return path + " is there already, and :save replaces no file";
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << program();
  file.close();
  if (!file) return "cannot write " + path;
  if (!is_ours) saved_.push_back(whole);
  return "";
}

}  // namespace covec
