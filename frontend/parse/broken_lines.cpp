// See broken_lines.hpp.
#include "frontend/parse/broken_lines.hpp"

#include <algorithm>

#include "frontend/source/unicode.hpp"

namespace covec::grammar {

namespace {

using P = CovecParser;
using Names = std::vector<std::string_view>;

// The child that has a token; the tree may have a million lines.
antlr4::ParserRuleContext* child_with(const antlr4::ParserRuleContext& context, size_t token) {
  const auto is_before = [&](antlr4::tree::ParseTree* child) {
    return child->getSourceInterval().b < static_cast<ssize_t>(token);
  };
  const auto child = std::ranges::partition_point(context.children, is_before);
  return child == context.children.end() ? nullptr : dynamic_cast<antlr4::ParserRuleContext*>(*child);
}

// A repair of these leaves a statement as it was meant.
bool is_repaired(std::string_view code) {
  return code == "unmatched_closer" || code == "missing_body" || code == "missing_block";
}

bool ends_line(size_t type) { return type == P::NEWLINE || type == P::SEMICOLON; }

}  // namespace

// The innermost line around it. What was to follow in an open bracket is unknown, but the lines of an open block are
// read.
void BrokenLines::note(P::UnitContext& unit, const Diagnostic& problem) {
  if (is_repaired(problem.code)) return;
  const size_t token = token_at(problem.labels.front().span.begin);
  antlr4::ParserRuleContext* innermost = &unit;
  P::LineContext* line = nullptr;
  for (auto* inner = innermost; inner != nullptr; inner = child_with(*inner, token)) {
    innermost = inner;
    if (auto* found = dynamic_cast<P::LineContext*>(inner)) line = found;
  }
  const bool block = problem.code == "unclosed_bracket" && innermost->getRuleIndex() == P::RuleBlock;
  if (line != nullptr && !block) noted_.insert(line);
}

// The token around this byte, or the next one.
size_t BrokenLines::token_at(size_t byte) const {
  const auto next = std::ranges::upper_bound(tokens_, byte, {}, &antlr4::Token::getStartIndex);
  const auto i = static_cast<size_t>(next - tokens_.begin());
  const bool inside = i > 0 && tokens_[i - 1]->getStopIndex() + 1 > byte;
  return inside ? i - 1 : std::min(i, tokens_.size() - 1);
}

bool BrokenLines::lacks_target(const P::LineContext& line) const {
  size_t i = line.start->getTokenIndex();
  size_t before = P::COMMA;
  while (tokens_[i]->getType() == P::NAME || tokens_[i]->getType() == P::COMMA) before = tokens_[i++]->getType();
  if (tokens_[i]->getType() != P::ASSIGN || before != P::COMMA) return false;
  const size_t value = tokens_[i + 1]->getType();
  return !ends_line(value) && value != P::RBRACE && value != antlr4::Token::EOF;
}

Names BrokenLines::names_in(const P::LineContext& line) const {
  Names names;
  const size_t first = line.start->getTokenIndex();
  const size_t last = line.stop == nullptr ? first : line.stop->getTokenIndex();
  add_leading(first, last, names);
  for (size_t i = first; i <= last; ++i) {
    if (const std::string_view import = name_of_import(i); !import.empty()) names.push_back(import);
    switch (tokens_[i]->getType()) {
      case P::OPEN_STRING: add_words(places_.text(*tokens_[i]), names); break;
      case P::FN:
      case P::FN_EXPRESSION:
      case P::FOR:
      case P::IMPORT:
      case P::AS:
      case P::CATCH: add_head(i, last, names); break;
      case P::ASSIGN: add_targets(first, i, names); break;
      default: break;
    }
  }
  return names;
}

// `import "lib/util.covec"` without its `as`; "" of another token.
std::string_view BrokenLines::name_of_import(size_t first) const {
  if (tokens_[first]->getType() != P::IMPORT || first + 2 >= tokens_.size()) return {};
  if (tokens_[first + 1]->getType() != P::STRING || tokens_[first + 2]->getType() == P::AS) return {};
  std::string_view path = places_.text(*tokens_[first + 1]);
  path.remove_prefix(1);  // the quotes
  path.remove_suffix(1);
  return name_in_path(path);
}

size_t BrokenLines::times_alone(std::string_view name) const {
  const auto is_dot = [&](size_t i) { return tokens_[i]->getType() == P::DOT; };
  const size_t count = alone_.empty() ? tokens_.size() : 0;
  for (size_t i = 0; i < count; ++i) {
    if (const std::string_view import = name_of_import(i); !import.empty()) ++alone_[import];
    const bool dotted = (i > 0 && is_dot(i - 1)) || (i + 1 < count && is_dot(i + 1));
    if (tokens_[i]->getType() == P::NAME && !dotted) ++alone_[places_.text(*tokens_[i])];
  }
  const auto found = alone_.find(name);
  return found == alone_.end() ? 0 : found->second;
}

// The targets of an assignment whose `=` is missing, or the name of a function whose `fn` is.
void BrokenLines::add_leading(size_t first, size_t last, Names& names) const {
  if (tokens_[first]->getType() == P::AT) first += 2;
  if (first <= last && tokens_[first]->getType() == P::NEWLINE) ++first;
  for (size_t i = first; i <= last; ++i) {
    const size_t type = tokens_[i]->getType();
    if (type == P::NAME)
      names.push_back(places_.text(*tokens_[i]));
    else if (type != P::COMMA && type != P::STAR)
      return;
  }
}

// The rest of the line that an open string has swallowed.
void BrokenLines::add_words(std::string_view text, Names& names) const {
  const auto in_name = [](char c) {
    return (static_cast<unsigned char>(c) & 0x80) != 0 || unicode::continues_name(static_cast<unsigned char>(c));
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    if (end > i) names.push_back(text.substr(i, end - i));
    i = end + 1;
  }
}

// Names and parameters of a function, targets of a loop, the name of an import or error.
void BrokenLines::add_head(size_t first, size_t last, Names& names) const {
  for (size_t i = first + 1; i <= last; ++i) {
    const size_t type = tokens_[i]->getType();
    if (ends_line(type) || type == P::IN || type == P::LBRACE) return;
    if (type == P::NAME) names.push_back(places_.text(*tokens_[i]));
  }
}

// The names before `=` in the same brackets; the name of an argument is none.
void BrokenLines::add_targets(size_t first, size_t assign, Names& names) const {
  if (in_arguments(assign)) return;
  for (size_t i = assign; i-- > first && !ends_line(tokens_[i]->getType());) {
    const bool same = notes_[i].opener == notes_[assign].opener;
    if (same && tokens_[i]->getType() == P::LBRACE) return;
    if (same && tokens_[i]->getType() == P::NAME) names.push_back(places_.text(*tokens_[i]));
  }
}

bool BrokenLines::in_arguments(size_t token) const {
  const uint32_t opener = notes_[token].opener;
  if (opener == kNoToken) return false;
  const size_t type = tokens_[opener]->getType();
  return type == P::LPAREN || type == P::LBRACKET;
}

}  // namespace covec::grammar
