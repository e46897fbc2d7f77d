// Reads the expectations in a program's comments. `# expect: text` is a line that it prints, in order. `# expect
// warning: text` is a warning, in order. `# expect error: text` says that it ends with an error that contains the text.
// `…` stands for anything, over several lines too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace covec {

struct Expectation {
  std::string text;
  size_t line = 0;  // of the program
};

struct Expectations {
  std::vector<Expectation> lines, warnings;
  std::optional<Expectation> error;
  bool any() const { return !lines.empty() || !warnings.empty() || error.has_value(); }
};

Expectations expectations_in(std::string_view program);

// What a program did: what it printed, its warnings, its error's messages, and all that a terminal would show of the
// error, which has the comments in it; "" without.
struct Outcome {
  std::string printed;
  std::vector<std::string> warnings;  // the first line of each: the others show the comments
  std::string messages, shown;
};

// Where the outcome is another one, in words, with the place of what was expected; "" where all is as expected.
std::string unexpected(const Expectations& expected, const Outcome& outcome, const std::string& file);

}  // namespace covec
