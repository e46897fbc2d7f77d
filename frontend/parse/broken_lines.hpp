// The statements of a text with errors that could not be read, or not as they were meant. They stand in the tree as
// ast::Broken, with the names that they may bind: unknown names are not told of these. Only tools look at such a tree.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "CovecParser.h"
#include "antlr4-runtime.h"
#include "frontend/parse/token_spans.hpp"

namespace covec::grammar {

class BrokenLines {
 public:
  BrokenLines(const TokenSpans& places, const std::vector<antlr4::Token*>& tokens, const std::vector<TokenNote>& notes)
      : places_(places), tokens_(tokens), notes_(notes) {}

  // The lexer has complained here: what it put in its place may be wrong.
  void note(CovecParser::UnitContext& unit, const Diagnostic& problem);
  bool contains(const CovecParser::LineContext& line) const {
    return line.exception != nullptr || noted_.contains(&line);
  }
  std::vector<std::string_view> names_in(const CovecParser::LineContext& line) const;
  // How often a name stands by itself, not before or behind a dot. The path of an import without a name has its own.
  size_t times_alone(std::string_view name) const;
  // It begins with `=`, or with `a, =`, and a value follows.
  bool lacks_target(const CovecParser::LineContext& line) const;

 private:
  size_t token_at(size_t byte) const;
  std::string_view name_of_import(size_t first) const;
  void add_leading(size_t first, size_t last, std::vector<std::string_view>& names) const;
  void add_words(std::string_view text, std::vector<std::string_view>& names) const;
  void add_head(size_t first, size_t last, std::vector<std::string_view>& names) const;
  void add_targets(size_t first, size_t assign, std::vector<std::string_view>& names) const;
  bool in_arguments(size_t token) const;

  const TokenSpans& places_;
  const std::vector<antlr4::Token*>& tokens_;
  const std::vector<TokenNote>& notes_;
  std::unordered_set<const void*> noted_;                       // contexts of lines
  mutable std::unordered_map<std::string_view, size_t> alone_;  // by name; empty until it is asked for
};

}  // namespace covec::grammar
