// Paints many marks as pixels, faster than any painter of paths and with all that a page can show of them. Coverages
// are added up in one plane of numbers, which becomes colour at the end.
#pragma once

#include <span>

#include "stdlib/canvas/canvas.hpp"

namespace covec::plot {

class Raster {
 public:
  // Covers a box of a page, at so many pixels per unit.
  Raster(Box box, double scale);
  // Whether discs of that diameter can be painted here: what is much larger is a job for a painter of paths.
  bool takes_discs(double diameter) const { return diameter * scale_ / 2 <= max_radius; }
  // Discs of one diameter and colour: where they lie over each other they are as opaque as if painted one by one.
  void begin_discs(double diameter, double alpha);
  void add_discs(std::span<const Point> centers);
  void add_disc(Point center) { add_discs({&center, 1}); }
  Picture discs(Color color) const;
  // Discs that are counted: the shade says how many lie over each other, on a logarithmic scale from a lone one to the
  // most.
  void begin_density(double diameter);
  Picture density(Color color) const;
  // Discs of colours of their own, painted one after the other.
  void begin_painting(double diameter, double alpha);
  void paint_discs(std::span<const Point> centers, std::span<const uint32_t> colors);
  void paint_disc(Point center, uint32_t color) { paint_discs({&center, 1}, {&color, 1}); }
  // A line through points; where it crosses itself it stays as opaque as it is.
  void add_segment(Point from, Point to, double width);
  Picture lines(Color color) const;
  // Areas, painted one after the other; by the rule of non-zero winding.
  void begin_areas();
  void paint_area(const Path& path, uint32_t color);
  // A picture of the same size on top.
  void paint_over(const Picture& picture);
  // What discs or areas were painted.
  Picture painted();

 private:
  static constexpr double max_radius = 256;  // in pixels
  void make_sprites(double diameter);
  template <class Plane, class Paint>
  void each_spot(std::span<const Point> centers, const Plane& plane, Paint paint) const;
  bool find(Point center, ptrdiff_t& sprite, ptrdiff_t& place) const;
  Picture picture() const;
  float usual_most() const;
  double scale_;
  Box box_;  // of whole pixels
  int columns_, rows_, stride_, reach_ = 0, side_ = 0;
  int phases_ = 8;  // of a pixel, each way
  int border_ = 24;
  std::vector<float> plane_;        // with a border on each side, that sprites may reach into
  std::vector<float> sprites_;      // phases_ × phases_ of them, each side_ rows of sprite_stride_ numbers
  int sprite_stride_ = 0;           // side_, rounded up to whole vectors
  std::vector<int> begins_;         // of a sprite, from the pixel of its centre, by phase
  std::vector<uint16_t> weights_;   // the sprites as weights of colours
  std::vector<uint32_t> painting_;  // as plane_
  std::vector<uint32_t> pixels_;    // of areas, without a border
};

}  // namespace covec::plot
