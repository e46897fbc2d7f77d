// See brackets.hpp.
#include "frontend/parse/layout/brackets.hpp"

#include "CovecLexer.h"

namespace covec::grammar {

namespace {

using L = CovecLexer;

bool closes(size_t closer, size_t opener) {
  return closer_of(opener) == closer || (closer == L::RBRACE && opener == L::FSTRING_OPEN);
}

}  // namespace

size_t closer_of(size_t opener) {
  switch (opener) {
    case L::LPAREN: return L::RPAREN;
    case L::LBRACKET: return L::RBRACKET;
    case L::LBRACE: return L::RBRACE;
    default: return L::FSTRING_CLOSE;
  }
}

bool Brackets::in_block() const { return open_.empty() || open_.back().type == L::LBRACE; }

bool Brackets::in_interpolation() const { return !open_.empty() && open_.back().type == L::FSTRING_OPEN; }

size_t Brackets::open_groups() const {
  size_t count = 0;
  while (count < open_.size() &&
         (open_[open_.size() - 1 - count].type == L::LPAREN || open_[open_.size() - 1 - count].type == L::LBRACKET))
    ++count;
  return count;
}

size_t Brackets::find_opener(size_t closer) const {
  for (size_t i = open_.size(); i-- > 0;) {
    if (closes(closer, open_[i].type)) return i;
    if (open_[i].type == L::FSTRING_OPEN) break;
  }
  return open_.size();
}

}  // namespace covec::grammar
