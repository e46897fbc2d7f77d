// Every message of the standard library, once. `message("key")` finds one at compile time, so that a key without a row
// does not compile; the tests walk the table and ask that each row is provoked. {} marks a part to fill in.
#pragma once

#include <cstddef>
#include <string_view>

namespace covec {

struct Message {
  std::string_view key;
  std::string_view pattern;
};

inline constexpr Message message_table[] = {
    // memory and limits
    {"out_of_memory", "out of memory: {} are needed, the limit is {}"},
    {"rank_limit", "a tensor of rank {} is too deep: the limit is 16"},
    {"too_deep", "a value nested more than {} deep"},
    // trees
    {"tree_mismatch", "the trees differ: {}"},
    // internal
    {"internal", "this is a bug in covec: {}"},
};

struct UnknownMessageKey {};
consteval const Message& message(std::string_view key) {
  for (const Message& row : message_table) {
    if (row.key == key) return row;
  }
  throw UnknownMessageKey{};
}

}  // namespace covec
