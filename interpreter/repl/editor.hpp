// A line of input with history, search and completion (libedit). The REPL sees lines, an end, and Ctrl-C as
// 'cancelled'.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace covec {

struct Completion {
  size_t from = 0;                      // where in the line the completed word begins
  std::vector<std::string> candidates;  // whole words
};

class LineEditor {
 public:
  using Completer = std::function<Completion(std::string_view line_to_cursor)>;
  enum class Outcome { line, cancelled, end };

  LineEditor(std::string history_path, Completer completer);
  ~LineEditor();
  Outcome read(const std::string& prompt, std::string& line);  // `line` without its newline
  void remember(const std::string& entry);                     // one entry of the history, several lines allowed

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace covec
