// See color.hpp. A colour map is a function from a fraction to lightness, chroma and hue. A colour outside sRGB gives
// up chroma, never lightness. So lightness rises evenly, and a map is readable in grey and for the colour-blind.
#include "stdlib/canvas/color.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace covec::plot {

namespace {

struct Linear {
  double red, green, blue;
};

double decoded(double x) { return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); }
double encoded(double x) { return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055; }

Linear linear_of(Oklab lab) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b);
  const double m = cube(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b);
  const double s = cube(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool in_gamut(Linear c) {
  const auto fits = [](double x) { return x >= -1e-6 && x <= 1 + 1e-6; };
  return fits(c.red) && fits(c.green) && fits(c.blue);
}

struct Polar {
  double lightness, chroma, hue;  // the hue in degrees
};

Oklab oklab_of(Polar p) {
  const double angle = p.hue * std::numbers::pi / 180;
  return {p.lightness, p.chroma * std::cos(angle), p.chroma * std::sin(angle)};
}

// With as much of the chroma as sRGB has there.
Oklab fitted(Polar p) {
  if (in_gamut(linear_of(oklab_of(p)))) return oklab_of(p);
  double low = 0, high = p.chroma;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (in_gamut(linear_of(oklab_of({p.lightness, middle, p.hue}))) ? low : high) = middle;
  }
  return oklab_of({p.lightness, low, p.hue});
}

double distance(Oklab p, Oklab q) { return std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b); }

// 256 colours along a path, neighbours equally far apart.
template <class Path>
ColorMap evenly(Path path) {
  constexpr int fine = 4096;  // steps along the path, 16 for each colour
  std::vector<Oklab> points(fine + 1);
  std::vector<double> length(fine + 1);
  for (int i = 0; i <= fine; ++i) {
    points[i] = fitted(path(static_cast<double>(i) / fine));
    length[i] = i == 0 ? 0 : length[i - 1] + distance(points[i - 1], points[i]);
  }
  ColorMap map;
  int at = 0;
  for (size_t k = 0; k < map.size(); ++k) {
    const double wanted = length[fine] * static_cast<double>(k) / 255;
    while (at < fine - 1 && length[at + 1] < wanted) ++at;
    const double step = length[at + 1] - length[at];
    const double t = step > 0 ? (wanted - length[at]) / step : 0;
    const Oklab &p = points[at], &q = points[at + 1];
    map[k] = from_oklab({p.lightness + t * (q.lightness - p.lightness), p.a + t * (q.a - p.a), p.b + t * (q.b - p.b)});
  }
  return map;
}

double bump(double t) { return std::sin(std::numbers::pi * t); }

// Night over deep water to a pale sun: indigo, teal, green, yellow.
Polar lagoon(double t) { return {0.21 + 0.73 * t, 0.088 + 0.03 * t, 290 - 60 * t - 125 * t * t}; }
// Dark violet, red, orange, pale yellow.
Polar ember(double t) { return {0.18 + 0.77 * t, 0.09 + 0.10 * bump(t), 290 + 173 * t}; }
Polar grey(double t) { return {0.16 + 0.82 * t, 0, 0}; }
// One hue, from the page into the dark.
Polar ocean(double t) { return {0.97 - 0.70 * t, 0.014 + 0.106 * bump(0.75 * t), 245 + 20 * t}; }
// Blue, almost white, orange red: both arms as dark as each other.
Polar tide(double t) {
  const double arm = std::abs(2 * t - 1);
  return {0.965 - 0.48 * arm, 0.138 * std::pow(arm, 0.9), t < 0.5 ? 255.0 : 45.0};
}
// All hues, back to the first: a dark half and a light half, which the colour-blind tell apart.
Polar phase(double t) { return {0.62 - 0.20 * std::cos(2 * std::numbers::pi * t), 0.095, 285 + 360 * t}; }

struct NamedColor {
  std::string_view name;
  Color color;
};
constexpr NamedColor named[] = {
    {"blue", rgb(0x0072b2)},   {"vermillion", rgb(0xd55e00)}, {"green", rgb(0x009e73)},  {"purple", rgb(0xcc79a7)},
    {"orange", rgb(0xe69f00)}, {"sky", rgb(0x56b4e9)},        {"yellow", rgb(0xf0e442)}, {"black", rgb(0x000000)},
    {"white", rgb(0xffffff)},  {"grey", rgb(0x808080)},       {"gray", rgb(0x808080)},   {"red", rgb(0xc8252c)},
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<Color> hex_color(std::string_view text) {
  if (text.size() != 3 && text.size() != 6 && text.size() != 8) return std::nullopt;
  std::array<int, 8> digits{};
  for (size_t i = 0; i < text.size(); ++i) {
    digits[i] = hex_digit(text[i]);
    if (digits[i] < 0) return std::nullopt;
  }
  if (text.size() == 3) return rgb(static_cast<uint32_t>(digits[0] * 0x110000 + digits[1] * 0x1100 + digits[2] * 0x11));
  const auto part = [&](size_t i) { return static_cast<float>(16 * digits[2 * i] + digits[2 * i + 1]) / 255; };
  return Color{part(0), part(1), part(2), text.size() == 8 ? part(3) : 1};
}

}  // namespace

uint32_t packed(Color c) {
  const auto byte = [](float x) { return static_cast<uint32_t>(std::clamp(x, 0.0f, 1.0f) * 255 + 0.5f); };
  return byte(c.red) | byte(c.green) << 8 | byte(c.blue) << 16 | byte(c.alpha) << 24;
}

Color unpacked(uint32_t pixel) {
  const auto part = [&](int shift) { return static_cast<float>((pixel >> shift) & 255) / 255; };
  return {part(0), part(8), part(16), part(24)};
}

Color mixed(Color a, Color b, double share) {
  const auto t = static_cast<float>(share);
  return {a.red + t * (b.red - a.red), a.green + t * (b.green - a.green), a.blue + t * (b.blue - a.blue),
          a.alpha + t * (b.alpha - a.alpha)};
}

Color composed(Color over, Color under) { return mixed(under, over.with_alpha(1), over.alpha).with_alpha(1); }

Oklab to_oklab(Color c) {
  const double red = decoded(c.red), green = decoded(c.green), blue = decoded(c.blue);
  const double l = std::cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const double m = std::cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const double s = std::cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Color from_oklab(Oklab lab) {
  const Linear c = linear_of(lab);
  const auto part = [](double x) { return static_cast<float>(std::clamp(encoded(std::clamp(x, 0.0, 1.0)), 0.0, 1.0)); };
  return {part(c.red), part(c.green), part(c.blue), 1};
}

std::optional<Color> color_of(std::string_view text) {
  if (text.starts_with('#')) return hex_color(text.substr(1));
  for (const NamedColor& row : named) {
    if (row.name == text) return row.color;
  }
  return std::nullopt;
}

std::span<const std::string_view> color_names() {
  static constexpr std::string_view names[] = {"blue",   "vermillion", "green", "purple", "orange", "sky",
                                               "yellow", "red",        "black", "white",  "grey"};
  return names;
}

Color series_color(size_t number, bool dark) {
  static constexpr Color on_light[series_colors] = {rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7),
                                                    rgb(0xe69f00), rgb(0x56b4e9), rgb(0x444444)};
  static constexpr Color on_dark[series_colors] = {rgb(0x56b4e9), rgb(0xe69f00), rgb(0x1fc496), rgb(0xdd8fbb),
                                                   rgb(0xf0e442), rgb(0xf27d2d), rgb(0xcccccc)};
  const size_t place = number % series_colors;
  return dark ? on_dark[place] : on_light[place];
}

namespace {

constexpr std::string_view names_of_maps[] = {"lagoon", "ember", "ocean", "grey", "tide", "phase"};

}  // namespace

std::span<const std::string_view> map_names() { return names_of_maps; }

const ColorMap* color_map(std::string_view name) {
  static const std::array<ColorMap, std::size(names_of_maps)> maps = {evenly(lagoon), evenly(ember), evenly(ocean),
                                                                      evenly(grey),   evenly(tide),  evenly(phase)};
  const auto at = std::find(std::begin(names_of_maps), std::end(names_of_maps), name);
  return at == std::end(names_of_maps) ? nullptr : &maps[static_cast<size_t>(at - std::begin(names_of_maps))];
}

Color color_at(const ColorMap& map, double share) {
  return map[static_cast<size_t>(std::clamp(share, 0.0, 1.0) * 255 + 0.5)];
}

}  // namespace covec::plot
