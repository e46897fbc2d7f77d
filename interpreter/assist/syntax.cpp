#include "interpreter/assist/syntax.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "frontend/common/trimmed.hpp"
#include "frontend/parse/parse.hpp"

namespace covec {

using editor::Style;

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }

namespace {

constexpr std::string_view opening = "([{", closing = ")]}";
constexpr size_t step = 4;  // spaces of an indentation

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

struct Comma {
  size_t at;
  std::optional<size_t> bracket;  // number of the innermost that is open there
};

struct Bracket {
  size_t at;
  std::optional<size_t> partner;
  bool opens;
  char fstring = 0;  // the quote of the f-string whose interpolation it begins
};

// Reads a text once: the style of each byte, and the brackets outside strings and comments.
class Scan {
 public:
  explicit Scan(std::string_view text) : styles(text.size(), Style::plain), text_(text) {
    while (at_ < text_.size()) piece();
  }
  std::vector<Style> styles;
  std::vector<Bracket> brackets;
  std::vector<size_t> open;  // which of them have no partner yet, outermost first
  std::vector<Comma> commas;
  std::optional<size_t> string;  // that is not closed: behind its quote

 private:
  void piece() {
    const char c = text_[at_];
    if (c == '#') return mark(end_of_line(), Style::comment);
    if (c == '"' || c == '\'') return mark(end_of_string(at_), Style::string);
    if (is_digit(c)) return mark(end_of_number(), Style::number);
    if (is_in_name(c)) return word();
    if (const char quote = fstring_around(); quote != 0 && c == '}') {
      close(c);
      return text_of_fstring(++at_, quote);
    } else if (quote != 0 && c == ':') {
      return mark(end_of_format(), Style::string);
    }
    if (opening.find(c) != opening.npos) {
      push(0);
    } else if (closing.find(c) != closing.npos) {
      close(c);
    } else if (c == ',') {
      commas.push_back({at_, open.empty() ? std::nullopt : std::optional(open.back())});
    }
    ++at_;
  }
  void mark(size_t end, Style style) {
    std::fill(styles.begin() + static_cast<long>(at_), styles.begin() + static_cast<long>(end), style);
    at_ = end;
  }
  size_t end_of_line() const { return std::min(text_.find('\n', at_), text_.size()); }
  void push(char fstring) {
    open.push_back(brackets.size());
    brackets.push_back({at_, std::nullopt, true, fstring});
  }
  // The quote of the f-string in whose interpolation this is, outside further brackets; 0: it is in none.
  char fstring_around() const { return open.empty() ? '\0' : brackets[open.back()].fstring; }
  size_t end_of_format() const { return std::min(text_.find_first_of("{}\"'\r\n", at_ + 1), text_.size()); }
  bool is_escape(size_t at) const {
    const char c = text_[at], next = at + 1 < text_.size() ? text_[at + 1] : '\n';
    return (c == '\\' && next != '\n') || ((c == '{' || c == '}') && next == c);
  }
  // Up to its end or the next interpolation.
  void text_of_fstring(size_t from, char quote) {
    size_t end = from;
    while (end < text_.size() && text_[end] != '\n' && text_[end] != quote && (text_[end] != '{' || is_escape(end)))
      end += is_escape(end) ? 2 : 1;
    const char last = end < text_.size() ? text_[end] : '\0';
    mark(last == quote ? end + 1 : end, Style::string);
    if (last == '\0') string = from;
    if (last != '{') return;
    push(quote);
    ++at_;
  }
  // A string that is not closed ends its line, so it hides the ends of the interpolations around it.
  void leave_interpolations() {
    const size_t line = at_ == 0 ? text_.npos : text_.rfind('\n', at_ - 1);
    const size_t begin = line == text_.npos ? 0 : line + 1;
    open.erase(std::find_if(open.begin(), open.end(),
                            [&](size_t i) { return brackets[i].fstring != 0 && brackets[i].at >= begin; }),
               open.end());
  }
  size_t end_of_string(size_t quote) {
    for (size_t i = quote + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == text_[quote]) return i + 1;
      if (text_[i] == '\\' && i + 1 < text_.size() && text_[i + 1] != '\n') ++i;
    }
    if (end_of_line() == text_.size()) string = quote + 1;
    if (!string) leave_interpolations();
    return end_of_line();
  }
  // With its exponent's sign: 1e-3.
  size_t end_of_number() const {
    size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool sign =
          (c == '+' || c == '-') && (text_[end - 1] == 'e' || text_[end - 1] == 'E') && text_[at_ + 1] != 'x';
      const bool point = c == '.' && end + 1 < text_.size() && is_digit(text_[end + 1]);
      const bool letter = is_in_name(c) && (c & 0x80) == 0;
      if (!letter && !sign && !point) break;
      ++end;
    }
    return end;
  }
  void word() {
    size_t end = at_;
    while (end < text_.size() && is_in_name(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const bool text_follows = name == "f" && end < text_.size() && (text_[end] == '"' || text_[end] == '\'');
    if (text_follows) return text_of_fstring(end + 1, text_[end]);
    mark(end, is_keyword(name) ? Style::keyword : Style::plain);
  }
  void close(char c) {
    Bracket bracket{at_, std::nullopt, false};
    if (!open.empty() && opening.find(text_[brackets[open.back()].at]) == closing.find(c)) {
      bracket.partner = brackets[open.back()].at;
      brackets[open.back()].partner = at_;
      open.pop_back();
    } else {
      styles[at_] = Style::wrong;
    }
    brackets.push_back(bracket);
  }

  std::string_view text_;
  size_t at_ = 0;
};

size_t indent_of_line(std::string_view text, size_t at) {
  const size_t newline = at == 0 ? text.npos : text.rfind('\n', at - 1);
  const size_t begin = newline == text.npos ? 0 : newline + 1;
  size_t end = begin;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
  return end - begin;
}

// The line without the prompt that it begins with; nothing: it begins with none.
std::optional<std::string_view> without_prompt(std::string_view line, std::initializer_list<std::string_view> prompts) {
  std::string_view rest = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  for (const std::string_view prompt : prompts) {
    if (!rest.starts_with(prompt)) continue;
    rest.remove_prefix(prompt.size());
    if (!rest.empty() && rest[0] != ' ') break;
    return rest.substr(std::min<size_t>(1, rest.size()));
  }
  return std::nullopt;
}

std::string without_prompts_of(std::string_view text, std::initializer_list<std::string_view> prompts) {
  const size_t first = std::min(text.find_first_not_of(" \t\n"), text.size());
  const std::string_view line = text.substr(first, text.find('\n', first) - first);
  if (!without_prompt(line, prompts)) return std::string(text);
  std::string plain;
  for (size_t begin = first; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view piece = text.substr(begin, end - begin);
    plain += without_prompt(piece, prompts).value_or(piece);
    if (end < text.size()) plain += '\n';
    begin = end + 1;
  }
  return plain;
}

}  // namespace

size_t word_start(std::string_view text) {
  size_t at = text.size();
  while (at > 0 && is_in_name(text[at - 1])) --at;
  return at;
}

std::string_view chain_before(std::string_view line, size_t place) {
  size_t at = place;
  while (at > 0 && (is_in_name(line[at - 1]) || line[at - 1] == '.')) --at;
  return line.substr(at, place - at);
}

std::string_view name_of_argument(std::string_view argument) {
  size_t end = 0;
  while (end < argument.size() && is_in_name(argument[end])) ++end;
  const std::string_view rest = trimmed(argument.substr(end));
  return rest.starts_with('=') && !rest.starts_with("==") ? argument.substr(0, end) : "";
}

std::optional<OpenBracket> open_bracket(std::string_view text) {
  const Scan scan(text);
  if (scan.open.empty()) return std::nullopt;
  const size_t at = scan.brackets[scan.open.back()].at;
  OpenBracket found{at, {}};
  size_t begin = at + 1;
  for (const Comma& comma : scan.commas) {
    if (comma.bracket != scan.open.back()) continue;
    found.arguments.push_back(text.substr(begin, comma.at - begin));
    begin = comma.at + 1;
  }
  found.arguments.push_back(text.substr(begin));
  return found;
}

std::optional<size_t> open_string(std::string_view text) { return Scan(text).string; }

std::string without_prompts(std::string_view text, bool own) {
  const std::string plain = without_prompts_of(text, {">>>", "..."});
  return own ? without_prompts_of(plain, {">", "."}) : plain;
}

std::vector<Style> styles_of(std::string_view text, size_t cursor) {
  Scan scan(text);
  const auto at = [&](size_t place) {
    return std::find_if(scan.brackets.begin(), scan.brackets.end(), [&](const Bracket& b) { return b.at == place; });
  };
  auto found = cursor > 0 ? at(cursor - 1) : scan.brackets.end();  // the one just typed, rather than the next
  if (found == scan.brackets.end()) found = at(cursor);
  if (found != scan.brackets.end() && found->partner)
    scan.styles[found->at] = scan.styles[*found->partner] = Style::partner;
  return std::move(scan.styles);
}

size_t indent_after(std::string_view text) {
  const Scan scan(text);
  if (!scan.open.empty()) return indent_of_line(text, scan.brackets[scan.open.back()].at) + step;
  const size_t last = text.find_last_not_of(" \t");
  return last == text.npos ? 0 : indent_of_line(text, last);
}

size_t indent_of_closing(std::string_view text) {
  const Scan scan(text);
  return scan.open.empty() ? 0 : indent_of_line(text, scan.brackets[scan.open.back()].at);
}

}  // namespace covec
