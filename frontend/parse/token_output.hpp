// Passes the lexer's tokens on to the parser. It records what is known of each, and what the last one was. A token may
// explain the one before: then that one's type is changed, which spares the parser a look-ahead.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "antlr4-runtime.h"

namespace covec::grammar {

constexpr uint32_t kNoToken = UINT32_MAX;

// What is known of a token besides its type and place, by its number.
struct TokenNote {
  uint32_t opener = kNoToken;  // the number of the innermost bracket open before it
  uint32_t depth = 0;          // how many are open
  bool starts_line = false;    // the first token of its line
};

class TokenOutput {
 public:
  using TokenPointer = std::unique_ptr<antlr4::Token>;

  void put(TokenPointer token, const TokenNote& note);
  // The last token closes a parenthesis that may begin a lambda, or nullptr.
  void closes_group(antlr4::CommonToken* opener) { last_group_ = opener; }

  bool empty() const { return ready_.empty(); }
  TokenPointer take() {
    TokenPointer token = std::move(ready_.front());
    ready_.pop_front();
    return token;
  }

  const std::vector<TokenNote>& notes() const { return notes_; }
  uint32_t next_number() const { return static_cast<uint32_t>(notes_.size()); }
  // The type of the last token put, 0 at the start; and the byte after it.
  size_t previous() const { return previous_; }
  bool ends_in_sign() const;
  // It is `=`, and its statement has nothing before it.
  bool is_lone_assign() const;
  // It is the arrow of a lambda.
  bool after_lambda_arrow() const { return after_lambda_arrow_; }
  size_t previous_end() const { return previous_end_; }

 private:
  void explain_previous(size_t type);

  std::deque<TokenPointer> ready_;
  std::vector<TokenNote> notes_;
  antlr4::CommonToken* last_ = nullptr;
  antlr4::CommonToken* last_group_ = nullptr;
  bool after_lambda_arrow_ = false;
  size_t previous_ = 0, before_previous_ = 0;
  size_t previous_end_ = 0;
};

}  // namespace covec::grammar
