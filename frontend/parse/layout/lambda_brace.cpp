// See lambda_brace.hpp.
#include "frontend/parse/layout/lambda_brace.hpp"

#include "CovecLexer.h"

namespace covec::grammar {

using L = CovecLexer;

namespace {

bool is_key(size_t type) {
  switch (type) {
    case L::NAME:
    case L::STRING:
    case L::INTEGER:
    case L::FLOAT:
    case L::TRUE:
    case L::FALSE:
    case L::NONE: return true;
    default: return false;
  }
}

}  // namespace

void LambdaBrace::see(size_t type) {
  if (brace_ == nullptr) return;
  if (!in_key_ && (type == L::MINUS || is_key(type))) {
    in_key_ = type != L::MINUS;
    return;
  }
  const bool record = in_key_ ? type == L::COLON : type == L::RBRACE || type == L::ELLIPSIS;
  if (!record) brace_->setType(L::BLOCK_BRACE);
  brace_ = nullptr;
}

}  // namespace covec::grammar
