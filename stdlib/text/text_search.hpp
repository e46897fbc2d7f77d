// Finds a text in another. It compares the part's first and last bytes at sixteen positions at once, and then the whole
// part where both match. If there are many false matches (a part like "aaaab"), the C library's search takes over,
// whose time grows only with the sum of the sizes. Start at TextSearch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace covec {

// The places of a part, from the left on, that do not overlap. The part is not empty; both texts outlive the search.
class TextSearch {
 public:
  TextSearch(std::string_view text, std::string_view part, size_t from = 0);
  // The next one; npos: there is no more.
  size_t next();

 private:
  bool next_block();  // with candidates
  size_t by_library();

  const std::string_view text_, part_;
  size_t from_;              // where the next one begins at the earliest
  size_t block_;             // where the next one begins
  uint64_t candidates_ = 0;  // of the block before, by bits: not yet compared
  size_t compared_ = 0;      // bytes of candidates that were none, at most
};

}  // namespace covec
