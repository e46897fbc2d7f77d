#include "interpreter/repl/editor/clusters.hpp"

#include <wchar.h>

#include <cctype>
#include <clocale>

#include "stdlib/files/file.hpp"

namespace covec::editor {

namespace {

struct CodePoint {
  char32_t value = 0;
  size_t length = 0;  // 0: no UTF-8 here
};

CodePoint code_point_at(std::string_view text, size_t at) {
  const size_t length = files::sequence_length(text.substr(at, 4));
  if (length == 0) return {};
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  if (length == 1) return {byte(0), 1};
  char32_t value = byte(0) & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3fu);
  return {value, length};
}

bool is_control(char32_t value) { return value < 0x20 || (value >= 0x7f && value < 0xa0); }

// Combining marks, joiners, selectors of variants.
bool lies_on_others(const CodePoint& point) {
  return point.length > 1 && !is_control(point.value) && wcwidth(static_cast<wchar_t>(point.value)) == 0;
}

unsigned columns_of(char32_t value) {
  const int width = wcwidth(static_cast<wchar_t>(value));
  return width < 0 ? 1 : static_cast<unsigned>(width);
}

size_t previous_code_point(std::string_view text, size_t at) {
  for (size_t back = 1; back <= 4 && back <= at; ++back) {
    if (code_point_at(text, at - back).length == back) return at - back;
  }
  return at == 0 ? 0 : at - 1;
}

bool part_of_word(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  return std::isalnum(byte) != 0 || byte == '_' || byte >= 0x80;
}

}  // namespace

// Letters of any script may be typed wherever covec runs; how numbers are written is not touched.
void use_utf8() {
  if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
}

Cluster cluster_at(std::string_view text, size_t at, unsigned column) {
  const CodePoint first = code_point_at(text, at);
  if (first.length == 0) return {};
  if (first.value == '\n') return {1, 0, false};
  if (first.value == '\t') return {1, tab_width - column % tab_width, false};
  if (is_control(first.value)) return {first.length, 2, false};
  Cluster cluster{first.length, columns_of(first.value), true};
  while (at + cluster.length < text.size()) {
    const CodePoint mark = code_point_at(text, at + cluster.length);
    if (!lies_on_others(mark)) break;
    cluster.length += mark.length;
  }
  return cluster;
}

std::string shown(std::string_view cluster, const Cluster& facts) {
  if (facts.printable) return std::string(cluster);
  if (cluster[0] == '\t') return std::string(facts.width, ' ');
  const CodePoint point = code_point_at(cluster, 0);
  if (point.length == 0) return "\xef\xbf\xbd";
  return {'^', static_cast<char>((point.value & 0x1f) ^ 0x40)};
}

size_t next_cluster(std::string_view text, size_t at) {
  return at < text.size() ? at + cluster_at(text, at).length : at;
}

size_t previous_cluster(std::string_view text, size_t at) {
  size_t begin = previous_code_point(text, at);
  while (begin > 0 && lies_on_others(code_point_at(text, begin))) {
    const size_t base = previous_code_point(text, begin);
    if (is_control(code_point_at(text, base).value)) break;  // nothing lies on these, nor on what is no UTF-8
    begin = base;
  }
  return begin;
}

size_t next_word(std::string_view text, size_t at) {
  while (at < text.size() && !part_of_word(text, at)) ++at;
  while (at < text.size() && part_of_word(text, at)) ++at;
  return at;
}

size_t previous_word(std::string_view text, size_t at) {
  while (at > 0 && !part_of_word(text, at - 1)) --at;
  while (at > 0 && part_of_word(text, at - 1)) --at;
  return at;
}

unsigned width_of(std::string_view line) {
  unsigned width = 0;
  for (size_t at = 0; at < line.size();) {
    const Cluster cluster = cluster_at(line, at, width);
    width += cluster.width;
    at += cluster.length;
  }
  return width;
}

}  // namespace covec::editor
