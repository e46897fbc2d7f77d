// What has run in a session, as a program: `:save`. A value that was shown is printed there. Where a later input uses
// the last value, by `ans` or `_`, or that of a cell, by `_3`, the program keeps it under these names, too. Of an input
// that has failed the statements before the failing one have run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace covec {

class Transcript {
 public:
  // Of a text that ends in an expression with a value, whether that was shown as text (`printed`), or as a function or
  // figure.
  enum class Shown : uint8_t { nothing, printed, otherwise };
  // `comment`: what documents a function that the text begins with; `number`: of the cell whose value it gives, or 0.
  void add(std::string_view text, std::string_view comment, Shown shown, unsigned number);
  void clear() { inputs_.clear(); }
  bool empty() const { return inputs_.empty(); }
  std::string program() const;
  // What prevented it; "": nothing. A file that is there is replaced only if this session has written it.
  std::string save(const std::string& path);

 private:
  struct Input {
    std::string text, comment;
    size_t value = 0, value_end = 0;  // of what was shown: bytes of the text
    Shown shown = Shown::nothing;
    unsigned number = 0;
  };
  bool has_use(std::string_view word) const;

  std::vector<Input> inputs_;
  std::vector<std::string> saved_;  // paths
};

// The statements of the text that stand before the place.
std::string statements_before(const std::string& text, size_t place);

}  // namespace covec
