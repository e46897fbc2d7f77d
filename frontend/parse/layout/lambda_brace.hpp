// Decides what the brace after a lambda's arrow opens, `x -> {`. It is a record or map if it is empty, or begins with
// `...` or with a key and a colon; otherwise it is a block. The tokens after the brace tell. Then the brace's type is
// changed (BLOCK_BRACE), as the lexer does wherever a later token explains an earlier one. A key in parentheses may be
// long: while it is read, its bracket holds the brace.
#pragma once

#include <utility>

#include "antlr4-runtime.h"

namespace covec::grammar {

class LambdaBrace {
 public:
  void open(antlr4::CommonToken* brace) {
    brace_ = brace;
    in_key_ = false;
  }
  // Of each token after it.
  void see(size_t type);
  // A parenthesis opens: the brace that it may be a key of, to be given back where it closes; or nullptr.
  antlr4::CommonToken* begin_key() { return in_key_ ? nullptr : std::exchange(brace_, nullptr); }
  void end_key(antlr4::CommonToken* brace) {
    brace_ = brace;
    in_key_ = true;
  }

 private:
  antlr4::CommonToken* brace_ = nullptr;  // nullptr: there is none, or it is settled
  bool in_key_ = false;                   // what may be a key has come
};

}  // namespace covec::grammar
