// Finds the columns of all items: the indentation of each line and the blanks in it. Start reading at Layout::run.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/format/lines.hpp"

namespace covec::format {

class Layout {
 public:
  Layout(std::string_view text, const TokenList& list, Lines& lines)
      : text_(text), tokens_(list.tokens), lines_(lines), indents_(tokens_.size(), 0) {}

  // Sets the columns of the items and the blank lines before each line.
  void run();

 private:
  static constexpr uint32_t undecided = UINT32_MAX;

  // A bracket or a block that is open; the first one is the text.
  struct Open {
    Role role = Role::open_block;
    uint32_t token = no_token;
    uint32_t indent = 0;            // of what stands in it, in lines of its own
    uint32_t column = undecided;    // of the item behind it in its line
    uint32_t written_column = 0;    // of that item, as it is written
    uint32_t statement = no_token;  // in a block: where the present one begins
    bool lines_decided = false;     // whether its lines stand below that item is known
  };

  // The columns where items of a line begin, and those where its operands end and begin; both in order.
  struct Edges {
    std::vector<uint32_t> begins;
    std::vector<std::pair<uint32_t, uint32_t>> operands;
  };

  bool in_statements() const { return open_.back().role == Role::open_block; }
  size_t lay_group(size_t first);
  bool has_wide_gap(const Line& line) const;
  void lay_line(Line& line);
  void lay_kept(const Line& line);
  void limit_blank_lines(Line& line, const Item& first) const;
  bool follows_opener(size_t item) const;
  uint32_t indent_of(const Item& first, const Item* next);
  uint32_t indent_in_bracket(const Item& first);
  uint32_t gap_before(size_t item);
  void take(const Item& item, bool begins_line);
  void open(const Item& item);
  bool continues_statement(uint32_t token) const;
  const Item* next_token(size_t item) const;
  bool has_columns(size_t first, size_t last) const;
  Edges edges_of(const Line& line) const;
  bool is_in_column(const Edges& edges, size_t item) const;
  uint32_t end_of(size_t item) const;

  std::string_view text_;
  const std::vector<Token>& tokens_;
  Lines& lines_;
  std::vector<uint32_t> indents_;  // of the line of each token
  std::vector<Open> open_;
  uint32_t previous_ = no_token;  // the last token
  bool keeps_columns_ = false;    // more blanks than needed stay in brackets
  bool kept_some_ = false;
  uint32_t indent_ = 0;  // of the present line
};

}  // namespace covec::format
