// Advance widths in 2048ths of the font size. ASCII characters are listed one by one, Latin letters use the letter
// below the accent, and other scripts use their mean. Bold letters are wider by an eighth, here and there by less.
#include "stdlib/canvas/font.hpp"

#include <algorithm>
#include <cstdint>

#include "stdlib/files/file.hpp"

namespace covec::plot {

namespace {

constexpr uint16_t ascii[] = {
    651,  821,  942,  1716, 1303, 1946, 1597, 563,  799,  799,  1024, 1716, 651,  739,  651,  690,  1303, 1303, 1303,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 690,  690,  1716, 1716, 1716, 1087, 2048, 1401, 1405, 1430, 1577, 1294,
    1178, 1587, 1540, 604,  604,  1343, 1141, 1767, 1532, 1612, 1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403,
    1251, 1403, 799,  690,  799,  1716, 1024, 1024, 1255, 1300, 1126, 1300, 1260, 721,  1300, 1298, 569,  569,  1186,
    569,  1995, 1298, 1253, 1300, 1300, 842,  1067, 803,  1298, 1212, 1675, 1212, 1212, 1075, 1303, 690,  1303, 1716};

// U+00C0 to U+00FF: the letters below the accents.
constexpr std::string_view letters = "AAAAAAMCEEEEIIIIDNOOOOO+OUUUUYPsaaaaaamceeeeiiiidnooooo+ouuuuypy";

struct Range {
  uint32_t first, last;
  uint16_t width;
};
constexpr Range ranges[] = {{0x00a0, 0x00af, 1240}, {0x00b0, 0x00b0, 1024}, {0x00b1, 0x00b1, 1716},
                            {0x00b2, 0x00b3, 821},  {0x00b4, 0x00bf, 1240}, {0x0100, 0x024f, 1240},
                            {0x0300, 0x036f, 0},    {0x0370, 0x03ff, 1300}, {0x0400, 0x04ff, 1420},
                            {0x2000, 0x200a, 900},  {0x2010, 0x2012, 780},  {0x2013, 0x2013, 1024},
                            {0x2014, 0x2015, 2048}, {0x2018, 0x201f, 900},  {0x2026, 0x2026, 2048},
                            {0x2070, 0x207f, 821},  {0x2080, 0x209f, 821},  {0x1100, 0x11ff, 2048},
                            {0x2e80, 0xd7ff, 2048}, {0xf900, 0xfaff, 2048}, {0x1f000, 0x1faff, 2600}};
constexpr uint16_t others = 1716;  // arrows and signs of mathematics

uint16_t width_of(uint32_t code) {
  if (code >= 0x20 && code < 0x7f) return ascii[code - 0x20];
  if (code >= 0xc0 && code <= 0xff) return ascii[letters[code - 0xc0] - 0x20];
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return range.width;
  }
  return others;
}

uint32_t code_of(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(character[i])); };
  switch (character.size()) {
    case 1: return byte(0);
    case 2: return (byte(0) & 31) << 6 | (byte(1) & 63);
    case 3: return (byte(0) & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63);
    default: return (byte(0) & 7) << 18 | (byte(1) & 63) << 12 | (byte(2) & 63) << 6 | (byte(3) & 63);
  }
}

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  double width = 0;
  while (!text.empty()) {
    const size_t length = files::sequence_length(text);
    width += length == 0 ? others : width_of(code_of(text.substr(0, length)));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return width / 2048 * size * (bold ? 1.1 : 1);
}

std::string elided(const std::string& text, double size, double width, bool bold) {
  if (text_width(text, size, bold) <= width) return text;
  constexpr std::string_view rest = "…";
  double room = width - text_width(rest, size, bold);
  std::string_view left = text;
  while (!left.empty()) {
    const std::string_view character = left.substr(0, std::max<size_t>(1, files::sequence_length(left)));
    room -= text_width(character, size, bold);
    if (room < 0) break;
    left.remove_prefix(character.size());
  }
  std::string kept = text.substr(0, text.size() - left.size());
  while (kept.ends_with(' ')) kept.pop_back();
  return kept + std::string(rest);
}

}  // namespace covec::plot
