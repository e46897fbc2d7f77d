// Maps of colours are even, and read by those who see fewer colours: judged by CIELAB and by the simulation of Machado,
// Oliveira and Fernandes (2009, "A physiologically-based model for simulation of color vision deficiency"), neither of
// which made them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "stdlib/canvas/color.hpp"

namespace covec::plot {
namespace {

using Linear = std::array<double, 3>;

Linear linear_of(Color c) {
  const auto decoded = [](double x) { return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); };
  return {decoded(static_cast<double>(c.red)), decoded(static_cast<double>(c.green)),
          decoded(static_cast<double>(c.blue))};
}

// CIELAB of linear sRGB under D65.
std::array<double, 3> cielab(const Linear& c) {
  const double x = (0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505,
               y = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2],
               z = (0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089;
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

double difference(const Linear& a, const Linear& b) {
  const auto p = cielab(a), q = cielab(b);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

using Matrix = std::array<double, 9>;
constexpr Matrix sees_all = {1, 0, 0, 0, 1, 0, 0, 0, 1};
constexpr Matrix protanopia = {0.152286, 1.052583,  -0.204868, 0.114503, 0.786281,
                               0.099216, -0.003882, -0.048116, 1.051998};
constexpr Matrix deuteranopia = {0.367322, 0.860646,  -0.227968, 0.280085, 0.672501,
                                 0.047413, -0.011820, 0.042940,  0.968881};
constexpr Matrix tritanopia = {1.255528, -0.076749, -0.178779, -0.078411, 0.930809,
                               0.147602, 0.004733,  0.691367,  0.303900};
constexpr const Matrix* eyes[] = {&sees_all, &protanopia, &deuteranopia, &tritanopia};

Linear seen(const Matrix& m, const Linear& c) {
  Linear out;
  for (size_t i = 0; i < 3; ++i)
    out[i] = std::fmin(std::fmax(m[3 * i] * c[0] + m[3 * i + 1] * c[1] + m[3 * i + 2] * c[2], 0), 1);
  return out;
}

double lightness(const Matrix& eye, Color c) { return cielab(seen(eye, linear_of(c)))[0]; }

TEST(ColorMaps, StepsAreEqualInOklab) {
  for (const std::string_view name : map_names()) {
    const ColorMap& map = *color_map(name);
    double least = 1e9, most = 0;
    for (size_t i = 1; i < map.size(); ++i) {
      if (name == "tide" && i == 128) continue;  // where the path turns back
      const Oklab p = to_oklab(map[i - 1]), q = to_oklab(map[i]);
      const double step = std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b);
      least = std::min(least, step);
      most = std::max(most, step);
    }
    EXPECT_LT(most / least, 1.03) << name;
  }
}

// Over eighths of a map, CIELAB's own measure of distance, which knows nothing of OKLab.
TEST(ColorMaps, AreEvenByAnotherMeasure) {
  for (const std::string_view name : {"lagoon", "ember", "ocean", "grey"}) {
    const ColorMap& map = *color_map(name);
    double least = 1e9, most = 0;
    for (size_t i = 32; i < map.size(); i += 32) {
      const double step = std::abs(cielab(linear_of(map[i]))[0] - cielab(linear_of(map[i - 32]))[0]);
      least = std::min(least, step);
      most = std::max(most, step);
    }
    EXPECT_LT(most / least, 1.9) << name;
  }
}

TEST(ColorMaps, LightnessRisesForEveryEye) {
  for (const std::string_view name : {"lagoon", "ember", "ocean", "grey"}) {
    const ColorMap& map = *color_map(name);
    const double sign = name == "ocean" ? -1 : 1;
    for (const Matrix* eye : eyes) {
      for (size_t i = 4; i < map.size(); i += 4)
        EXPECT_GT(sign * (lightness(*eye, map[i]) - lightness(*eye, map[i - 4])), 0) << name << " " << i;
      EXPECT_GT(sign * (lightness(*eye, map[255]) - lightness(*eye, map[0])), 60) << name;
    }
  }
}

TEST(ColorMaps, DivergingArmsAreEquallyDarkAndDifferForEveryEye) {
  const ColorMap& map = *color_map("tide");
  for (const Matrix* eye : eyes) {
    for (size_t i = 4; i <= 124; i += 4) {
      EXPECT_GT(lightness(*eye, map[i]), lightness(*eye, map[i - 4]));
      EXPECT_LT(lightness(*eye, map[255 - i + 4]), lightness(*eye, map[255 - i]));
    }
    EXPECT_GT(difference(seen(*eye, linear_of(map[20])), seen(*eye, linear_of(map[235]))), 25);
  }
  EXPECT_NEAR(to_oklab(map[0]).lightness, to_oklab(map[255]).lightness, 0.02);
}

TEST(ColorMaps, ThePhaseCloses) {
  const ColorMap& map = *color_map("phase");
  EXPECT_LT(difference(linear_of(map[0]), linear_of(map[255])), 3);
  for (const Matrix* eye : eyes) EXPECT_GT(lightness(*eye, map[128]) - lightness(*eye, map[0]), 30);
}

TEST(Palette, NeighboursDifferForEveryEye) {
  for (const bool dark : {false, true}) {
    const Color page = dark ? rgb(0x15171c) : rgb(0xffffff);
    for (size_t i = 0; i < series_colors; ++i) {
      for (const Matrix* eye : eyes) {
        const Linear own = seen(*eye, linear_of(series_color(i, dark)));
        EXPECT_GT(difference(own, seen(*eye, linear_of(page))), 25) << i;
        if (i < 3) {
          EXPECT_GT(difference(own, seen(*eye, linear_of(series_color(i + 1, dark)))), 14) << i << dark;
        }
      }
    }
  }
}

TEST(Colors, ThereAndBack) {
  for (const uint32_t hex : {0x000000u, 0xffffffu, 0x0072b2u, 0xd55e00u, 0x123456u})
    EXPECT_EQ(packed(from_oklab(to_oklab(rgb(hex)))), packed(rgb(hex)));
  EXPECT_EQ(packed(*color_of("#0f8")), 0xff88ff00u);
  EXPECT_EQ(packed(*color_of("#01020380")), 0x80030201u);
  EXPECT_EQ(packed(*color_of("blue")), packed(rgb(0x0072b2)));
  for (const char* wrong : {"", "#", "#12345", "#ggg", "nothing", "Blue"}) EXPECT_FALSE(color_of(wrong)) << wrong;
  EXPECT_EQ(color_map("viridis"), nullptr);
  for (const std::string_view name : color_names()) EXPECT_TRUE(color_of(name)) << name;
}

}  // namespace
}  // namespace covec::plot
