// What may stand in place of a word that has been begun.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace covec::editor {

struct Completion {
  size_t from = 0;                      // where in the text the completed word begins
  std::vector<std::string> candidates;  // whole words
  size_t first = 0;                     // so many of them are listed in rows of their own
};

}  // namespace covec::editor
