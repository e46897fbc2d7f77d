// Searches the pages of the prompt for words: those of their names come first, then of their first sentences, then of
// their texts. Words are compared by their stems, so that `averages` finds `average`; `low pass`, `low-pass` and
// `lowpass` are the same. A table has other words for what is meant (search_terms.hpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/repl/pages.hpp"

namespace covec {

struct Found {
  std::vector<Page> pages;
  bool whole = true;  // false: none has all of the words, and these have some
};
Found pages_with(std::string_view words, std::span<const Page> pages);
// The words, each that no page has replaced by one that is spelled alike.
std::string spelled_alike(std::string_view words, std::span<const Page> pages);

}  // namespace covec
