// What a program's comments say of it: `# expect: text` is a line that it prints, in order; `# expect error: text` says
// that it ends with an error that has the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace covec {

struct Expectations {
  std::vector<std::string> lines;
  std::optional<std::string> error;
  bool any() const { return !lines.empty() || error.has_value(); }
};

Expectations expectations_in(std::string_view program);

// How a program ended: its error's messages, and all that a terminal would show, which has the comments in it; ""
// without.
struct Ending {
  std::string messages, shown;
};

// Where what was printed, or the ending, is another one, in words; "" where all is as expected.
std::string unexpected(const Expectations& expected, std::string_view printed, const Ending& ending);

}  // namespace covec
