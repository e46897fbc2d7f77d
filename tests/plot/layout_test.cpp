// What holds for every page: texts lie on it and not over each other, marks lie in their plots, and the legend not over
// them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "interpreter/session/session.hpp"
#include "interpreter/session/stack.hpp"
#include "stdlib/canvas/font.hpp"
#include "stdlib/canvas/raster.hpp"
#include "stdlib/plot/histogram.hpp"
#include "stdlib/plot/isolines.hpp"
#include "stdlib/plot/page.hpp"
#include "stdlib/plot/read.hpp"

namespace covec::plot {
namespace {

std::string described(const Text& text) {
  std::ostringstream out;
  const Box b = text.box();
  out << '"' << text.text << "\" [" << b.left << ", " << b.right << "] × [" << b.top << ", " << b.bottom << "]";
  return out.str();
}

// The box of what is seen: labels may stand as near as their letters allow.
Box core(const Text& text) {
  Box b = text.box();
  const double dx = 0.1 * std::min(b.width(), b.height()), dy = 0.18 * std::min(b.width(), b.height());
  return {b.left + dx, b.top + dy, b.right - dx, b.bottom - dy};
}

void check_texts(const Canvas& canvas, const std::string& name) {
  std::vector<const Text*> texts;
  for (const Item& item : canvas.items) {
    if (const Text* text = std::get_if<Text>(&item)) texts.push_back(text);
  }
  EXPECT_FALSE(texts.empty()) << name;
  const Box page{0, 0, canvas.width, canvas.height};
  for (size_t i = 0; i < texts.size(); ++i) {
    const Box b = core(*texts[i]);
    EXPECT_TRUE(b.left >= page.left && b.right <= page.right && b.top >= page.top && b.bottom <= page.bottom)
        << name << ": " << described(*texts[i]) << " leaves the page";
    const bool slanted = texts[i]->turn != 0 && texts[i]->turn != -90;
    for (size_t k = i + 1; k < texts.size(); ++k) {
      if (slanted || (texts[k]->turn != 0 && texts[k]->turn != -90))
        continue;  // boxes around slanted lines are too large
      EXPECT_FALSE(b.overlaps(core(*texts[k])))
          << name << ": " << described(*texts[i]) << " and " << described(*texts[k]);
    }
  }
}

void check_figure_of(Session& session, const std::string& name, const std::string& program) {
  session.run_text(name, "import plot\n" + program);
  Figure figure = read_figure(*session.find_global("f"));
  const Canvas canvas = draw_page(figure, {});
  EXPECT_GT(canvas.width, 50);
  check_texts(canvas, name);
}

TEST(Layout, TextsDoNotOverlapAndStayOnThePage) {
  run_on_big_stack([] {
    for (const auto& file : std::filesystem::directory_iterator(PLOT_FIGURES)) {
      std::ifstream in(file.path());
      std::ostringstream text;
      text << in.rdbuf();
      Session session;
      check_figure_of(session, file.path().stem(), text.str());
    }
    return 0;
  });
}

// Ranges, sizes and options at random.
TEST(Layout, HoldsForOddRangesAndSizes) {
  run_on_big_stack([] {
    Session session;
    session.run_text("prelude", "seed(7)\nfn some(n) = 10.0 ^ (20 * rand() - 10) * (rand() - 0.5 + 0.2 * randn(n))\n");
    const char* programs[] = {
        "f = plot.line(some(30), title=\"A title\", xlabel=\"x\", ylabel=\"y\")",
        "f = plot.line(1.7e9 + 10.0 ^ (9 * rand()) * rand(20), rand(20), xscale=\"time\", page=(250 + 500 * rand(), "
        "200 + 300 * rand()))",
        "f = plot.line(exp(20 * randn(20)), exp(3 * randn(20)), xscale=\"log\", yscale=\"log\")",
        "f = plot.heatmap(some(12).reshape(3, 4), label=\"height\", title=\"z\")",
        "f = plot.grid([[plot.line(some(5), title=\"a\"), plot.hist(some(50), ylabel=\"count\")], "
        "[plot.scatter(some(9), some(9), color=rand(9)), plot.contour(some(20).reshape(4, 5), filled=true)]], "
        "title=\"Four\")",
        "f = plot.figure([plot.line(rand(40), label=\"first\"), plot.line(rand(40), label=\"second\"), "
        "plot.fill(arange(40), rand(40), label=\"third\")], legend=\"outside\")"};
    for (int round = 0; round < 25; ++round) {
      for (const char* program : programs) check_figure_of(session, program, program);
    }
    return 0;
  });
}

// The frame of the legend holds no point of the data.
TEST(Layout, TheLegendLiesOffTheData) {
  run_on_big_stack([] {
    Session session;
    session.run_text("prelude", "import plot\nseed(3)\n");
    for (int round = 0; round < 40; ++round) {
      session.run_text("figure",
                       "x = linspace(0, 1, 60)\nf = plot.figure([plot.scatter(rand(60), rand(60)^3, label=\"some "
                       "points\"), plot.line(x, x^(0.3 + 4 * rand()), label=\"a line\")])");
      Figure figure = read_figure(*session.find_global("f"));
      const Canvas canvas = draw_page(figure, {});
      Box legend{0, 0, 0, 0};
      for (const Item& item : canvas.items) {
        const Path* path = std::get_if<Path>(&item);
        if (path != nullptr && path->closed && path->fill.visible() && path->clip < 0)
          legend = {path->points[0].x, path->points[0].y, path->points[2].x, path->points[2].y};
      }
      if (legend.width() == 0) continue;  // outside
      for (const Item& item : canvas.items) {
        if (const Markers* markers = std::get_if<Markers>(&item); markers != nullptr && markers->clip >= 0) {
          for (const Point p : markers->at) EXPECT_FALSE(legend.contains(p)) << round;
        }
        if (const Path* path = std::get_if<Path>(&item); path != nullptr && path->clip >= 0) {
          for (const Point p : path->points) EXPECT_FALSE(legend.contains(p)) << round;
        }
      }
    }
    return 0;
  });
}

TEST(Font, WidthsAreThoseOfDejaVuSans) {
  // By FreeType: the advance of each letter in 2048ths, and of the digits of a label.
  EXPECT_DOUBLE_EQ(text_width("A", 2048), 1401);
  EXPECT_DOUBLE_EQ(text_width("é", 2048), 1260);
  EXPECT_DOUBLE_EQ(text_width("0.25", 2048), 3 * 1303 + 651);
  EXPECT_DOUBLE_EQ(text_width("−", 2048), 1716);
  EXPECT_DOUBLE_EQ(text_width("10⁻³", 2048), 1303 * 2 + 821 + 821);
  EXPECT_EQ(text_width("", 10), 0);
}

TEST(Histogram, Bins) {
  const std::vector<double> x = {0, 0.1, 0.2, 0.9, 1.0, NAN, INFINITY, -5};
  EXPECT_EQ(bin_counts(x, {0, 0.5, 1}, false), (std::vector<double>{3, 2}));
  EXPECT_EQ(bin_counts(x, {0, 0.5, 1}, true), (std::vector<double>{1.2, 0.8}));
  EXPECT_EQ(bin_counts(x, {0, 0.1, 0.2, 1}, false), (std::vector<double>{1, 1, 3}));
  EXPECT_EQ(bin_edges({}, 0), (std::vector<double>{0, 1}));
  EXPECT_EQ(bin_edges(x, 3).size(), 4u);
  EXPECT_EQ(bin_edges(std::vector<double>{2, 2}, 1), (std::vector<double>{1.5, 2.5}));
  std::vector<double> even;
  for (int i = 0; i < 1000; ++i) even.push_back(i / 999.0);
  EXPECT_EQ(bin_edges(even, 0).size() - 1, 10u);  // 2 · 0.5 / ∛1000
}

Grid grid_of(size_t rows, size_t columns, std::vector<double> cells) {
  Grid z;
  z.rows = rows;
  z.columns = columns;
  z.cells = Numbers(std::move(cells));
  return z;
}

TEST(Isolines, ACircleIsOneClosedLine) {
  std::vector<double> cells;
  constexpr int n = 41;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) cells.push_back(std::hypot(i - 20.0, j - 20.0));
  }
  const Grid z = grid_of(n, n, cells);
  const std::vector<Isoline> lines = isolines(z, 12.3);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].front().x, lines[0].back().x);
  for (const Point p : lines[0]) EXPECT_NEAR(std::hypot(p.x - 20, p.y - 20), 12.3, 0.02);
  // What is higher lies outside: the outlines are the edge of the grid and the circle, a hole.
  double area = 0;
  for (const Isoline& line : outlines(z, 12.3)) {
    for (size_t i = 1; i < line.size(); ++i) area += (line[i - 1].x * line[i].y - line[i].x * line[i - 1].y) / 2;
  }
  EXPECT_NEAR(std::abs(area), 40 * 40 - 3.14159265 * 12.3 * 12.3, 3);
}

TEST(Isolines, SaddlesAndGaps) {
  EXPECT_EQ(isolines(grid_of(2, 2, {1, 0, 0, 1}), 0.4).size(), 2u);
  EXPECT_EQ(isolines(grid_of(2, 2, {1, 0, 0, 1}), 0.6).size(), 2u);
  EXPECT_EQ(isolines(grid_of(2, 2, {1, NAN, 0, 1}), 0.5).size(), 0u);
  EXPECT_EQ(isolines(grid_of(2, 2, {1, 1, 1, 1}), 0.5).size(), 0u);
  EXPECT_EQ(outlines(grid_of(2, 2, {1, 1, 1, 1}), 0.5).size(), 1u);
}

TEST(Raster, ADiscCoversItsArea) {
  for (const double diameter : {1.0, 2.5, 6.0}) {
    Raster raster({0, 0, 20, 20}, 2);
    raster.begin_discs(diameter, 1);
    raster.add_disc({10.13, 9.87});
    const Picture picture = raster.discs(rgb(0x0000ff));
    ASSERT_EQ(picture.columns, 40);
    double area = 0;
    for (const uint32_t pixel : picture.pixels) area += (pixel >> 24) / 255.0 / 4;
    EXPECT_NEAR(area, 3.14159265 / 4 * diameter * diameter, 0.05 * diameter);
  }
}

TEST(Raster, DiscsInAnyOrderAndOffThePage) {
  Raster raster({0, 0, 10, 10}, 1);
  raster.begin_discs(3, 0.5);
  for (const Point p : {Point{NAN, 1}, Point{-1e6, 5}, Point{1e6, 1e6}, Point{5, NAN}}) raster.add_disc(p);
  for (const uint32_t pixel : raster.discs(rgb(0)).pixels) EXPECT_EQ(pixel, 0u);
  raster.add_disc({5.5, 5.5});
  raster.add_disc({5.5, 5.5});
  EXPECT_EQ(raster.discs(rgb(0)).pixels[5 * 10 + 5] >> 24, 191u);  // 1 − 0.5²
}

TEST(Raster, LinesAreAsWideAsTheyAre) {
  for (const Point to : {Point{40, 3}, Point{3, 40}, Point{40, 40}}) {
    Raster raster({0, 0, 44, 44}, 1);
    raster.add_segment({3, 3}, to, 2);
    double area = 0;
    for (const uint32_t pixel : raster.lines(rgb(0)).pixels) area += (pixel >> 24) / 255.0;
    EXPECT_NEAR(area, 2 * std::hypot(to.x - 3, to.y - 3), 5);
  }
}

}  // namespace
}  // namespace covec::plot
