#include "interpreter/repl/transcript.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

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

// A text may end in a comment.
std::string in_parentheses(const std::string& text) { return "(" + text + (text.find('#') != text.npos ? "\n)" : ")"); }

}  // namespace

void Transcript::add(std::string_view text, std::string_view comment, Shown shown, unsigned number) {
  inputs_.push_back({std::string(trimmed(text)), std::string(comment), shown, number});
}

bool Transcript::has_use(std::string_view word) const {
  return std::ranges::any_of(inputs_, [&](const Input& input) { return has_word(input.text, word); });
}

std::string Transcript::program() const {
  const bool uses_last = has_use("ans") || has_use("_");
  std::string program;
  for (const Input& input : inputs_) {
    program += as_comment(input.comment);
    const std::string number = "_" + std::to_string(input.number);
    const bool keeps = input.shown != Shown::nothing && input.number > 0 && has_use(number);
    if (keeps) program += number + " = " + in_parentheses(input.text) + "\n";
    const std::string value = keeps ? "(" + number + ")" : in_parentheses(input.text);
    if (input.shown == Shown::nothing)
      program += input.text + "\n";
    else if (uses_last)
      program += "ans = " + value + "\n_ = ans\n" + (input.shown == Shown::printed ? "print(ans)\n" : "");
    else
      program += (input.shown == Shown::printed ? "print" : "_ = ") + value + "\n";
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
