#include "tests/parts/line_diff.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace covec::test {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// common[i][j]: the length of the longest common subsequence of a[i…] and b[j…].
std::vector<std::vector<size_t>> common_lengths(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return common;
}

}  // namespace

std::string line_diff(const std::string& expected, const std::string& found) {
  const std::vector<std::string> a = lines_of(expected), b = lines_of(found);
  const auto common = common_lengths(a, b);
  std::string text;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      text += "    " + a[i++] + "\n";
      ++j;
    } else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1])) {
      text += "  - " + a[i++] + "\n";
    } else {
      text += "  + " + b[j++] + "\n";
    }
  }
  return text;
}

}  // namespace covec::test
