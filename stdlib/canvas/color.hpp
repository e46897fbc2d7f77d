// Colours: sRGB, the perceptual space OKLab, names, palettes, and the colour maps, which are not tables but paths
// through OKLab, cut into steps of equal length.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace covec::plot {

struct Color {
  float red = 0, green = 0, blue = 0, alpha = 0;  // sRGB, from 0 to 1
  Color with_alpha(double a) const { return {red, green, blue, static_cast<float>(a)}; }
  bool visible() const { return alpha > 0; }
  bool operator==(const Color&) const = default;
};

constexpr Color rgb(uint32_t hex, float alpha = 1) {
  return {static_cast<float>((hex >> 16) & 255) / 255, static_cast<float>((hex >> 8) & 255) / 255,
          static_cast<float>(hex & 255) / 255, alpha};
}
// 0xAABBGGRR, bytes R, G, B, A in memory; not premultiplied.
uint32_t packed(Color color);
Color unpacked(uint32_t pixel);
// `share` of b, the rest of a.
Color mixed(Color a, Color b, double share);
// `over` on top of an opaque `under`.
Color composed(Color over, Color under);

// Oklab: lightness, and the axes green to red and blue to yellow (Ottosson, 2020, "A perceptual color space for image
// processing").
struct Oklab {
  double lightness, a, b;
};
Oklab to_oklab(Color color);
Color from_oklab(Oklab lab);  // clipped to sRGB

// "#rgb", "#rrggbb", "#rrggbbaa" or one of color_names.
std::optional<Color> color_of(std::string_view text);
std::span<const std::string_view> color_names();

// The colours of series: those of Okabe and Ito (2008, "Color universal design"), which most people tell apart, in an
// order in which neighbours differ most, with substitutes for those that a light or a dark page swallows.
Color series_color(size_t number, bool dark);
inline constexpr size_t series_colors = 7;  // colours: the eight of Okabe and Ito without the one nearest to the page's

using ColorMap = std::array<Color, 256>;
// One of map_names; nullptr for others.
const ColorMap* color_map(std::string_view name);
std::span<const std::string_view> map_names();
// `share` from 0 to 1.
Color color_at(const ColorMap& map, double share);

}  // namespace covec::plot
