// Finds lines in a file without reading it into memory: the parts of a table begin and end at lines.
#include <algorithm>
#include <vector>

#include "stdlib/files/csv_rows.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::files {

namespace {

constexpr size_t window = size_t{1} << 16;  // bytes that are read at a time

// f(bytes, where they begin), as long as it returns true.
template <class F>
void for_each_window(const File& file, uint64_t begin, uint64_t end, F&& f) {
  std::vector<char> bytes(static_cast<size_t>(std::min<uint64_t>(window, end - std::min(begin, end))));
  for (uint64_t at = begin; at < end; at += window) {
    kernels::poll_interrupt(file.context());
    const auto count = static_cast<size_t>(std::min<uint64_t>(window, end - at));
    file.read(at, bytes.data(), count);
    if (!f(std::string_view(bytes.data(), count), at)) return;
  }
}

}  // namespace

uint64_t next_line(const File& file, uint64_t at) {
  if (at == 0) return 0;
  uint64_t found = file.size();
  for_each_window(file, at - 1, file.size(), [&](std::string_view bytes, uint64_t begin) {
    const size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return true;
    found = begin + end + 1;
    return false;
  });
  return found;
}

uint64_t end_of_rows(const File& file, int rows) {
  uint64_t found = file.size();
  bool filled = false;
  for_each_window(file, 0, file.size(), [&](std::string_view bytes, uint64_t begin) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      filled = filled || std::string_view(" \t\r\n\xef\xbb\xbf").find(bytes[i]) == std::string_view::npos;
      if (bytes[i] != '\n') continue;
      if (filled && --rows == 0) {
        found = begin + i + 1;
        return false;
      }
      filled = false;
    }
    return true;
  });
  return found;
}

int64_t count_lines(const File& file, uint64_t bytes) {
  int64_t lines = 0;
  for_each_window(file, 0, bytes, [&](std::string_view text, uint64_t) {
    lines += std::count(text.begin(), text.end(), '\n');
    return true;
  });
  return lines;
}

}  // namespace covec::files
