// Adds up the coverage of discs. A disc with opacity α that covers a share c of a pixel lets 1 − αc of the colour below
// through. Logarithms turn the product of these into a sum. So a million discs are a million small additions of
// squares, in any order.
#include "stdlib/canvas/raster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace covec::plot {

namespace {

constexpr int lanes = 4;               // pixels that are added or painted at a time: four f32 fill an SSE register
constexpr double max_opaque = 0.9999;  // opacity: 1 would have the logarithm -inf

// The share of a pixel at (x, y) that a disc of this radius around (0, 0) covers.
double coverage(double x, double y, double radius) {
  constexpr int samples = 8;        // each way in a pixel: 64 levels of coverage
  constexpr double corner = 0.708;  // of a pixel, from its middle
  const double away = std::hypot(x, y) - radius;
  if (away > corner) return 0;
  if (away < -corner) return 1;
  int inside = 0;
  for (int i = 0; i < samples; ++i) {
    for (int j = 0; j < samples; ++j) {
      const double dx = x + (i + 0.5) / samples - 0.5, dy = y + (j + 0.5) / samples - 0.5;
      inside += dx * dx + dy * dy <= radius * radius ? 1 : 0;
    }
  }
  return inside / static_cast<double>(samples * samples);
}

inline void add_lanes(float* __restrict to, const float* __restrict from) {
  for (int i = 0; i < lanes; ++i) to[i] += from[i];
}

Box whole_pixels(Box box, double scale) {
  return {std::floor(box.left * scale) / scale, std::floor(box.top * scale) / scale,
          std::ceil(box.right * scale) / scale, std::ceil(box.bottom * scale) / scale};
}

// A colour over a pixel, neither premultiplied.
inline void blend(uint32_t& pixel, uint32_t color, float share) {
  if (share <= 0) return;
  const float under = static_cast<float>(pixel >> 24) / 255, alpha = share + under * (1 - share);
  const auto part = static_cast<uint32_t>(share / alpha * 256 + 0.5f);
  const uint32_t odd = 0x00ff00ff, red_blue = ((pixel & odd) * (256 - part) + (color & odd) * part) >> 8 & odd;
  const uint32_t green = ((pixel >> 8 & 255) * (256 - part) + (color >> 8 & 255) * part) & 0xff00;
  pixel = red_blue | green | static_cast<uint32_t>(alpha * 255 + 0.5f) << 24;
}

}  // namespace

Raster::Raster(Box box, double scale) : scale_(scale), box_(whole_pixels(box, scale)) {
  columns_ = std::max(1, static_cast<int>(std::lround(box_.width() * scale)));
  rows_ = std::max(1, static_cast<int>(std::lround(box_.height() * scale)));
  stride_ = columns_ + 2 * border_;
}

// For each place of a centre within a pixel a square of shares, no larger than a disc can cover.
void Raster::make_sprites(double diameter) {
  const double radius = std::min(diameter * scale_ / 2, max_radius);
  phases_ = radius < 22 ? 8 : radius < 64 ? 4 : 1;
  reach_ = static_cast<int>(std::ceil(radius)) + 1;
  border_ = std::max(border_, 2 * reach_ + lanes);  // a centre may lie as far outside as a sprite reaches
  stride_ = columns_ + 2 * border_;
  side_ = static_cast<int>(2 * radius) + 2;
  sprite_stride_ = (side_ + lanes - 1) / lanes * lanes;
  begins_.clear();
  for (int phase = 0; phase < phases_; ++phase)
    begins_.push_back(static_cast<int>(std::floor((phase + 0.5) / phases_ - radius)));
  sprites_.assign(static_cast<size_t>(phases_ * phases_ * side_ * sprite_stride_), 0);
  float* out = sprites_.data();
  for (int py = 0; py < phases_; ++py) {
    for (int px = 0; px < phases_; ++px) {
      const double cx = (px + 0.5) / phases_ - 0.5 - begins_[static_cast<size_t>(px)],
                   cy = (py + 0.5) / phases_ - 0.5 - begins_[static_cast<size_t>(py)];
      for (int row = 0; row < side_; ++row, out += sprite_stride_) {
        for (int column = 0; column < side_; ++column)
          out[column] = static_cast<float>(coverage(column - cx, row - cy, radius));
      }
    }
  }
}

// Where the sprite of a disc begins, in the sprites and in a plane with a border; false: it lies outside.
inline bool Raster::find(Point center, ptrdiff_t& sprite, ptrdiff_t& place) const {
  const double x = (center.x - box_.left) * scale_, y = (center.y - box_.top) * scale_;
  if (!(x > -reach_ && y > -reach_ && x < columns_ + reach_ && y < rows_ + reach_)) return false;
  const double fx = std::floor(x), fy = std::floor(y);
  const int px = static_cast<int>((x - fx) * phases_), py = static_cast<int>((y - fy) * phases_);
  sprite = static_cast<ptrdiff_t>((py * phases_ + px) * side_) * sprite_stride_;
  place = static_cast<ptrdiff_t>(static_cast<int>(fy) + border_ + begins_[static_cast<size_t>(py)]) * stride_ +
          (static_cast<int>(fx) + border_ + begins_[static_cast<size_t>(px)]);
  return true;
}

void Raster::begin_discs(double diameter, double alpha) {
  make_sprites(diameter);
  plane_.assign(static_cast<size_t>(stride_) * static_cast<size_t>(rows_ + 2 * border_), 0);
  for (float& share : sprites_)
    share = static_cast<float>(-std::log1p(-std::min(alpha * static_cast<double>(share), max_opaque)));
}

void Raster::begin_density(double diameter) {
  make_sprites(diameter);
  plane_.assign(static_cast<size_t>(stride_) * static_cast<size_t>(rows_ + 2 * border_), 0);
}

// Places first, so that the memory of all of them is under way when the first is painted.
template <class Plane, class Paint>
void Raster::each_spot(std::span<const Point> centers, const Plane& plane, Paint paint) const {
  struct Spot {
    ptrdiff_t sprite, place;
    size_t number;
  };
  std::array<Spot, 64> spots;
  for (size_t from = 0; from < centers.size(); from += spots.size()) {
    size_t count = 0;
    for (size_t i = from; i < std::min(centers.size(), from + spots.size()); ++i) {
      Spot& spot = spots[count];
      spot.number = i;
      if (!find(centers[i], spot.sprite, spot.place)) continue;
      for (int row = 0; row < std::min(side_, 8); ++row)
        __builtin_prefetch(plane.data() + spot.place + static_cast<ptrdiff_t>(row) * stride_, 1);
      ++count;
    }
    for (size_t i = 0; i < count; ++i) paint(spots[i].sprite, spots[i].place, spots[i].number);
  }
}

void Raster::add_discs(std::span<const Point> centers) {
  each_spot(centers, plane_, [this](ptrdiff_t first, ptrdiff_t place, size_t) {
    const float* sprite = sprites_.data() + first;
    float* at = plane_.data() + place;
    for (int row = 0; row < side_; ++row, at += stride_, sprite += sprite_stride_) {
      for (int column = 0; column < sprite_stride_; column += lanes) add_lanes(at + column, sprite + column);
    }
  });
}

Picture Raster::picture() const {
  Picture picture;
  picture.box = box_;
  picture.columns = columns_;
  picture.rows = rows_;
  return picture;
}

Picture Raster::discs(Color color) const {
  Picture out = picture();
  out.pixels.resize(static_cast<size_t>(columns_) * static_cast<size_t>(rows_));
  const uint32_t base = packed(color.with_alpha(0));
  for (int row = 0; row < rows_; ++row) {
    const float* from = plane_.data() + static_cast<ptrdiff_t>(row + border_) * stride_ + border_;
    uint32_t* to = out.pixels.data() + static_cast<ptrdiff_t>(row) * columns_;
    for (int column = 0; column < columns_; ++column) {
      const float sum = from[column];
      to[column] = sum == 0 ? 0 : base | static_cast<uint32_t>(255 * (1 - std::exp(-sum)) + 0.5f) << 24;
    }
  }
  return out;
}

// The number that one in a thousand of those above 0 exceed: a few piles of points do not make the rest pale.
float Raster::usual_most() const {
  std::vector<float> sums;
  for (size_t i = 0; i < plane_.size(); i += 3) {
    if (plane_[i] > 0) sums.push_back(plane_[i]);
  }
  if (sums.empty()) return 1;
  const auto at = sums.begin() + static_cast<ptrdiff_t>(static_cast<double>(sums.size() - 1) * 0.999);
  std::nth_element(sums.begin(), at, sums.end());
  return *at;
}

Picture Raster::density(Color color) const {
  constexpr float lone = 0.32f;  // how opaque a single disc is
  // Shades from nothing to the largest sum: four for each of 256 opacities.
  constexpr int steps = 1024;
  Picture out = picture();
  out.pixels.resize(static_cast<size_t>(columns_) * static_cast<size_t>(rows_));
  const uint32_t base = packed(color.with_alpha(0));
  const float most = std::max(usual_most(), 4.0f);
  std::vector<uint32_t> shades(steps + 1);  // by the root of the sum, so that small sums have many steps
  for (int i = 0; i <= steps; ++i) {
    const float root = static_cast<float>(i) / steps, sum = root * root * most;
    const float alpha = sum < 1 ? lone * sum : lone + (1 - lone) * std::log(sum) / std::log(most);
    shades[static_cast<size_t>(i)] =
        base | static_cast<uint32_t>(255 * std::clamp(alpha, 0.0f, 1.0f) * color.alpha + 0.5f) << 24;
  }
  for (int row = 0; row < rows_; ++row) {
    const float* from = plane_.data() + static_cast<ptrdiff_t>(row + border_) * stride_ + border_;
    uint32_t* to = out.pixels.data() + static_cast<ptrdiff_t>(row) * columns_;
    for (int column = 0; column < columns_; ++column) {
      if (from[column] > 0)
        to[column] = shades[static_cast<size_t>(std::sqrt(std::min(from[column] / most, 1.0f)) * steps)];
    }
  }
  return out;
}

// Each share as a weight out of 256, once for each channel of a pixel.
void Raster::begin_painting(double diameter, double alpha) {
  make_sprites(diameter);
  weights_.clear();
  for (const float share : sprites_)
    weights_.insert(weights_.end(), 4,
                    static_cast<uint16_t>(256 * std::min(alpha * static_cast<double>(share), 1.0) + 0.5));
  painting_.assign(static_cast<size_t>(stride_) * static_cast<size_t>(rows_ + 2 * border_), 0);
}

namespace {

// Four pixels at once, all premultiplied.
using Bytes = uint8_t __attribute__((vector_size(4 * lanes)));
using Words = uint16_t __attribute__((vector_size(8 * lanes)));

inline void paint_lanes(uint32_t* to, const uint16_t* weights, const Words& color) {
  Bytes bytes;
  Words weight;
  std::memcpy(&bytes, to, sizeof bytes);
  std::memcpy(&weight, weights, sizeof weight);
  const Words under = __builtin_convertvector(bytes, Words);
  bytes = __builtin_convertvector((under * (256 - weight) + color * weight + 128) >> 8, Bytes);
  std::memcpy(to, &bytes, sizeof bytes);
}

// Not premultiplied.
inline uint32_t straight(uint32_t pixel) {
  const uint32_t alpha = pixel >> 24;
  if (alpha == 0 || alpha == 255) return pixel;
  const auto part = [&](int shift) {
    return std::min(255u, ((pixel >> shift & 255) * 255 + alpha / 2) / alpha) << shift;
  };
  return alpha << 24 | part(0) | part(8) | part(16);
}

}  // namespace

void Raster::paint_discs(std::span<const Point> centers, std::span<const uint32_t> colors) {
  each_spot(centers, painting_, [&](ptrdiff_t first, ptrdiff_t place, size_t number) {
    Words wide;
    for (int i = 0; i < 4 * lanes; ++i) wide[i] = static_cast<uint16_t>(colors[number] >> (8 * (i % 4)) & 255);
    const uint16_t* weights = weights_.data() + 4 * first;
    uint32_t* at = painting_.data() + place;
    for (int row = 0; row < side_; ++row, at += stride_, weights += 4 * sprite_stride_) {
      for (int column = 0; column < sprite_stride_; column += lanes)
        paint_lanes(at + column, weights + 4 * column, wide);
    }
  });
}

Picture Raster::painted() {
  Picture out = picture();
  if (painting_.empty()) {
    out.pixels = std::move(pixels_);
    return out;
  }
  out.pixels.reserve(static_cast<size_t>(columns_) * static_cast<size_t>(rows_));
  for (int row = 0; row < rows_; ++row) {
    const uint32_t* from = painting_.data() + static_cast<ptrdiff_t>(row + border_) * stride_ + border_;
    for (int column = 0; column < columns_; ++column) out.pixels.push_back(straight(from[column]));
  }
  return out;
}

void Raster::begin_areas() { pixels_.assign(static_cast<size_t>(columns_) * static_cast<size_t>(rows_), 0); }

namespace {

constexpr int lines_per_row = 4;  // lines through a row of pixels, which give its coverage

struct Crossing {
  float x;
  int turn;
};

// Where the outlines of an area cross lines through its rows of pixels, from the line `first` on.
std::vector<std::vector<Crossing>> crossings_of(const Path& path, const std::vector<Point>& points, int first,
                                                int last) {
  std::vector<std::vector<Crossing>> lines(static_cast<size_t>(last - first));
  for (size_t part = 0; part < path.starts.size(); ++part) {
    const size_t from = path.starts[part], to = path.end_of(part);
    for (size_t i = from; i < to; ++i) {
      Point a = points[i], b = points[i + 1 == to ? from : i + 1];
      const int turn = a.y < b.y ? 1 : -1;
      if (turn < 0) std::swap(a, b);
      const double slope = (b.x - a.x) / (b.y - a.y);
      const int begin = std::max(first, static_cast<int>(std::ceil(a.y * lines_per_row - 0.5)));
      const int end = std::min(last, static_cast<int>(std::ceil(b.y * lines_per_row - 0.5)));
      for (int line = begin; line < end; ++line) {
        const double y = (line + 0.5) / lines_per_row;
        lines[static_cast<size_t>(line - first)].push_back({static_cast<float>(a.x + (y - a.y) * slope), turn});
      }
    }
  }
  return lines;
}

// Adds the share of each pixel that lies between two places.
void add_span(std::vector<float>& shares, float from, float to) {
  from = std::max(from, 0.0f);
  to = std::min(to, static_cast<float>(shares.size()));
  for (int i = static_cast<int>(from); static_cast<float>(i) < to; ++i) {
    const auto left = static_cast<float>(i);
    shares[static_cast<size_t>(i)] += (std::min(to, left + 1) - std::max(from, left)) / lines_per_row;
  }
}

void add_spans(std::vector<float>& shares, std::vector<Crossing>& line, float left) {
  std::sort(line.begin(), line.end(), [](Crossing a, Crossing b) { return a.x < b.x; });
  int winding = 0;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    winding += line[i].turn;
    if (winding != 0) add_span(shares, line[i].x - left, line[i + 1].x - left);
  }
}

}  // namespace

// Each row of pixels is four lines; along a line the shares are exact.
void Raster::paint_area(const Path& path, uint32_t color) {
  std::vector<Point> points;
  Box reach{1e9, 1e9, -1e9, -1e9};
  for (const Point p : path.points) {
    points.push_back({(p.x - box_.left) * scale_, (p.y - box_.top) * scale_});
    const Point q = points.back();
    reach = {std::min(reach.left, q.x), std::min(reach.top, q.y), std::max(reach.right, q.x),
             std::max(reach.bottom, q.y)};
  }
  const int left = std::max(0, static_cast<int>(std::floor(reach.left))),
            right = std::min(columns_, static_cast<int>(std::ceil(reach.right))),
            top = std::max(0, static_cast<int>(std::floor(reach.top))),
            bottom = std::min(rows_, static_cast<int>(std::ceil(reach.bottom)));
  if (left >= right || top >= bottom) return;
  std::vector<std::vector<Crossing>> lines = crossings_of(path, points, top * lines_per_row, bottom * lines_per_row);
  const float alpha = static_cast<float>(color >> 24) / 255;
  std::vector<float> shares(static_cast<size_t>(right - left));
  for (int row = top; row < bottom; ++row) {
    std::fill(shares.begin(), shares.end(), 0.0f);
    for (int k = 0; k < lines_per_row; ++k)
      add_spans(shares, lines[static_cast<size_t>((row - top) * lines_per_row + k)], static_cast<float>(left));
    uint32_t* to = pixels_.data() + static_cast<ptrdiff_t>(row) * columns_ + left;
    for (size_t i = 0; i < shares.size(); ++i) blend(to[i], color, std::min(shares[i], 1.0f) * alpha);
  }
}

void Raster::paint_over(const Picture& picture) {
  if (picture.pixels.size() != pixels_.size()) return;
  for (size_t i = 0; i < pixels_.size(); ++i)
    blend(pixels_[i], picture.pixels[i], static_cast<float>(picture.pixels[i] >> 24) / 255);
}

// Along its longer side a segment covers, in each column or row, the pixels that its width reaches.
void Raster::add_segment(Point from, Point to, double width) {
  if (plane_.empty()) plane_.assign(static_cast<size_t>(stride_) * static_cast<size_t>(rows_ + 2 * border_), 0);
  double x0 = (from.x - box_.left) * scale_, y0 = (from.y - box_.top) * scale_;
  double x1 = (to.x - box_.left) * scale_, y1 = (to.y - box_.top) * scale_;
  const bool steep = std::abs(y1 - y0) > std::abs(x1 - x0);
  if (steep) std::swap(x0, y0), std::swap(x1, y1);
  if (x0 > x1) std::swap(x0, x1), std::swap(y0, y1);
  const int along = steep ? rows_ : columns_, across = steep ? columns_ : rows_;
  const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
  const double half = std::max(width * scale_, 1.0) / 2 * std::sqrt(1 + slope * slope);
  const double thin = std::min(width * scale_, 1.0);
  const int first = std::max(0, static_cast<int>(std::floor(x0))),
            last = std::min(along - 1, static_cast<int>(std::floor(x1)));
  for (int i = first; i <= last; ++i) {
    const double y = y0 + slope * (std::clamp(i + 0.5, x0, x1) - x0);
    const int low = std::max(0, static_cast<int>(std::floor(y - half))),
              high = std::min(across - 1, static_cast<int>(std::floor(y + half)));
    for (int j = low; j <= high; ++j) {
      const double share = std::clamp(std::min(y + half - j, j + 1 - (y - half)), 0.0, 1.0) * thin;
      const int row = steep ? i : j, column = steep ? j : i;
      float& cell = plane_[static_cast<size_t>(row + border_) * static_cast<size_t>(stride_) +
                           static_cast<size_t>(column + border_)];
      cell = std::max(cell, static_cast<float>(share));
    }
  }
}

Picture Raster::lines(Color color) const {
  Picture out = picture();
  out.pixels.resize(static_cast<size_t>(columns_) * static_cast<size_t>(rows_));
  if (plane_.empty()) return out;
  for (int row = 0; row < rows_; ++row) {
    const float* from = plane_.data() + static_cast<ptrdiff_t>(row + border_) * stride_ + border_;
    for (int column = 0; column < columns_; ++column) {
      const float share = from[column];
      if (share > 0)
        out.pixels[static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column)] =
            packed(color.with_alpha(color.alpha * share));
    }
  }
  return out;
}

}  // namespace covec::plot
