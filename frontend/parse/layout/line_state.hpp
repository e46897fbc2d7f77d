// The lexer's state in its line: whether a token has come, and whether a newline before it still has to be emitted.
#pragma once

#include <cstddef>
#include <utility>

namespace covec::grammar {

class LineState {
 public:
  void begin(size_t at) {
    started_ = true;
    begin_ = at;
  }
  size_t begin() const { return begin_; }

  // No token has come in this line.
  bool started() const { return started_; }
  bool take_start() { return std::exchange(started_, false); }
  void restore_start(bool started) { started_ = started; }

  // The token after a newline that ends at `at`, as `find` finds it: found once for all newlines before it.
  template <class Find>
  size_t next_token(size_t at, Find find) {
    if (at > next_token_) next_token_ = find(at);
    return next_token_;
  }

  bool newline_pending() const { return newline_pending_; }
  void expect_newline(size_t at) {
    newline_pending_ = true;
    newline_at_ = at;
  }
  size_t take_newline() {
    newline_pending_ = false;
    return newline_at_;
  }

 private:
  bool started_ = true;
  size_t begin_ = 0;
  bool newline_pending_ = false;
  size_t newline_at_ = 0;
  size_t next_token_ = 0;  // the last that was looked for
};

}  // namespace covec::grammar
