// See same.hpp.
#include "frontend/format/same.hpp"

#include "frontend/format/lines.hpp"

namespace covec::format {

namespace {

// A kept f-string that is written over several lines may have had other line ends.
bool is_same_text(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  for (; i < a.size() && j < b.size(); ++i, ++j) {
    if (a.substr(i, 2) == "\r\n") ++i;
    if (b.substr(j, 2) == "\r\n") ++j;
    const char left = a[i] == '\r' ? '\n' : a[i], right = b[j] == '\r' ? '\n' : b[j];
    if (left != right) return false;
  }
  return i == a.size() && j == b.size();
}

class Comparison {
 public:
  Comparison(std::string_view a, std::string_view b) : a_(a), b_(b) {}

  bool of(const TokenList& left, const TokenList& right) const {
    if (left.tokens.size() != right.tokens.size()) return false;
    uint32_t a = 0, b = 0;
    for (size_t i = 0; i < left.tokens.size(); ++i) {
      const Token &one = left.tokens[i], &other = right.tokens[i];
      if (!same_between(a, one.begin, b, other.begin) || !same_token(one, other)) return false;
      a = one.end;
      b = other.end;
    }
    return same_between(a, static_cast<uint32_t>(a_.size()), b, static_cast<uint32_t>(b_.size()));
  }

 private:
  bool same_token(const Token& one, const Token& other) const {
    return one.kind == other.kind && one.follows_terminator == other.follows_terminator &&
           is_same_text(a_.substr(one.begin, one.end - one.begin), b_.substr(other.begin, other.end - other.begin));
  }

  bool same_between(uint32_t a_begin, uint32_t a_end, uint32_t b_begin, uint32_t b_end) const {
    const std::vector<Span> one = pieces_between(a_, a_begin, a_end), other = pieces_between(b_, b_begin, b_end);
    if (one.size() != other.size()) return false;
    for (size_t i = 0; i < one.size(); ++i) {
      if (a_.substr(one[i].begin, one[i].end - one[i].begin) !=
          b_.substr(other[i].begin, other[i].end - other[i].begin)) {
        return false;
      }
    }
    return true;
  }

  std::string_view a_, b_;
};

}  // namespace

bool has_same_tokens(std::string_view a, const TokenList& tokens_of_a, std::string_view b,
                     const TokenList& tokens_of_b) {
  return Comparison(a, b).of(tokens_of_a, tokens_of_b);
}

}  // namespace covec::format
