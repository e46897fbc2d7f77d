// Splits a text into clusters as a terminal shows it: a character with its combining marks, one or two columns wide.
// All code that moves or wraps goes by clusters. Widths come from the C library's tables (UTF-8). A control character
// is shown as ^A, a byte that is not UTF-8 as �.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace covec::editor {

constexpr unsigned tab_width = 4;  // columns

void use_utf8();  // what follows needs it, once

struct Cluster {
  size_t length = 1;       // bytes
  unsigned width = 1;      // columns; 0 for a newline, up to the next stop for a tab
  bool printable = false;  // shown as it stands
};
Cluster cluster_at(std::string_view text, size_t at, unsigned column = 0);
std::string shown(std::string_view cluster, const Cluster& facts);

size_t next_cluster(std::string_view text, size_t at);
size_t previous_cluster(std::string_view text, size_t at);
size_t next_word(std::string_view text, size_t at);  // behind it
size_t previous_word(std::string_view text, size_t at);
unsigned width_of(std::string_view line);

}  // namespace covec::editor
