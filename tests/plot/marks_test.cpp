// Where marks lie on a page and how they are painted, of odd data: zoomed far, on logarithmic axes, with gaps, names
// that come twice, numbers at the ends of f64.
#include <gtest/gtest.h>

#include "interpreter/session/session.hpp"
#include "interpreter/session/stack.hpp"
#include "stdlib/canvas/clip.hpp"
#include "stdlib/canvas/raster.hpp"
#include "stdlib/plot/flatten.hpp"
#include "stdlib/plot/histogram.hpp"
#include "stdlib/plot/page.hpp"
#include "stdlib/plot/panel.hpp"
#include "stdlib/plot/read.hpp"
#include "stdlib/value/error.hpp"

namespace covec::plot {
namespace {

// Calls `look` with the figure `f` of a program.
template <class F>
void with_figure(const std::string& program, F look) {
  run_on_big_stack([&] {
    Session session;
    try {
      session.run_text("figure", "import plot\n" + program);
    } catch (const CovecError& error) {
      ADD_FAILURE() << program << ": " << error.diagnostics[0].message;
      return 1;
    }
    Figure figure = read_figure(*session.find_global("f"));
    look(figure);
    return 0;
  });
}

template <class F>
void with_page(const std::string& program, F look, PageOptions options = {}) {
  with_figure(program, [&](Figure& figure) { look(draw_page(figure, options)); });
}

template <class F>
void with_panel(const std::string& program, F look) {
  with_figure(program, [&](Figure& figure) {
    Panel panel(figure.rows[0][0]);
    prepare(panel);
    look(panel);
  });
}

template <class T>
std::vector<const T*> all_of(const Canvas& canvas, bool clipped = true) {
  std::vector<const T*> found;
  for (const Item& item : canvas.items) {
    const T* one = std::get_if<T>(&item);
    if (one != nullptr && (!clipped || one->clip >= 0)) found.push_back(one);
  }
  return found;
}

std::vector<double> listed(const Numbers& numbers) { return {numbers.all().begin(), numbers.all().end()}; }

TEST(Zoom, LinesKeepTheirSlope) {
  for (const char* far : {"1e3", "1e9", "1e15", "1e300"}) {
    with_page("f = plot.line([0.0, " + std::string(far) + "], [0.0, 2 * " + far + "], xlim=(-10, 10), ylim=(-10, 10))",
              [&](const Canvas& canvas) {
                const std::vector<const Path*> lines = all_of<Path>(canvas);
                ASSERT_EQ(lines.size(), 1u) << far;
                const Box box = canvas.clips[0];
                const Point a = lines[0]->points.front(), b = lines[0]->points.back();
                EXPECT_NEAR(a.x, (box.left + box.right) / 2, 1e-6) << far;
                const double slope = (a.y - b.y) / box.height() / ((b.x - a.x) / box.width());
                EXPECT_NEAR(slope, 2, 1e-6) << far;
                EXPECT_LT(b.x, 1000) << far;
              });
  }
}

TEST(Zoom, AlmostVerticalLinesCross) {
  with_page("f = plot.line([0.0, 1.0], [-1e300, 1e300], xlim=(0, 1), ylim=(0, 1))", [](const Canvas& canvas) {
    const std::vector<const Path*> lines = all_of<Path>(canvas);
    ASSERT_EQ(lines.size(), 1u);
    const Box box = canvas.clips[0];
    for (const Point p : lines[0]->points) EXPECT_NEAR(p.x, (box.left + box.right) / 2, 1e-6);
    EXPECT_GT(lines[0]->points.front().y, box.bottom);
    EXPECT_LT(lines[0]->points.back().y, box.top);
  });
}

TEST(Zoom, AreasAndArrowsKeepTheirEdges) {
  with_page("f = plot.fill([0.0, 1e9], [0.0, 1e9], [0.0, 5e8], xlim=(0, 10), ylim=(0, 10))", [](const Canvas& canvas) {
    const std::vector<const Path*> areas = all_of<Path>(canvas);
    ASSERT_EQ(areas.size(), 1u);
    const Box box = canvas.clips[0];
    const auto slope = [&](Point p) { return (box.bottom - p.y) / box.height() / ((p.x - box.left) / box.width()); };
    for (const Point p : areas[0]->points) {
      EXPECT_LT(std::abs(p.x) + std::abs(p.y), 4000);
      if (p.x > box.left + 10 && p.y < box.bottom - 10) {
        EXPECT_GT(slope(p), 0.5 - 1e-6);
        EXPECT_LT(slope(p), 1 + 1e-6);
      }
    }
  });
}

TEST(Zoom, CellsStayWhereTheyAre) {
  with_page("f = plot.heatmap([[0.0, 1.0]], x=[-5e8, 5e8], y=[0.0], xlim=(-1, 3), ylim=(-1, 1), map=\"grey\")",
            [](const Canvas& canvas) {
              const std::vector<const Picture*> pictures = all_of<Picture>(canvas);
              ASSERT_EQ(pictures.size(), 1u);
              const Picture& p = *pictures[0];
              EXPECT_LT(p.box.width(), 1000);
              const uint32_t* row = p.pixels.data() + static_cast<ptrdiff_t>(p.rows / 2) * p.columns;
              int edge = 0;
              while (edge + 1 < p.columns && row[edge + 1] == row[0]) ++edge;
              EXPECT_NEAR(edge / static_cast<double>(p.columns), 0.25, 0.01);  // at 0
            });
}

TEST(Clip, SegmentsAndAreas) {
  const Box box{0, 0, 10, 10};
  Point a{-5, 5}, b{15, 5};
  EXPECT_TRUE(clip_segment(a, b, box));
  EXPECT_EQ(a.x, 0);
  EXPECT_EQ(b.x, 10);
  Point c{-5, -1}, d{15, -1};
  EXPECT_FALSE(clip_segment(c, d, box));
  Path triangle;
  triangle.closed = true;
  triangle.begin();
  for (const Point p : {Point{5, -1e9}, Point{1e9, 1e9}, Point{-1e9, 1e9}}) triangle.add(p);
  const Path cut = clipped(triangle, box);
  double area = 0;
  for (size_t i = 0; i < cut.points.size(); ++i) {
    const Point p = cut.points[i], q = cut.points[(i + 1) % cut.points.size()];
    area += (p.x * q.y - q.x * p.y) / 2;
  }
  EXPECT_NEAR(std::abs(area), 100, 1e-6);
}

TEST(Cells, EdgesOnLogarithmicAxes) {
  const std::vector<double> edges = cell_edges(Numbers({1, 10, 100}), Scale::log);
  const double root = std::sqrt(10.0);
  ASSERT_EQ(edges.size(), 4u);
  EXPECT_NEAR(edges[0], 1 / root, 1e-12);
  EXPECT_NEAR(edges[1], root, 1e-12);
  EXPECT_NEAR(edges[3], 100 * root, 1e-9);
  const std::vector<double> from_zero = cell_edges(Numbers({0, 1, 4}), Scale::log);
  ASSERT_EQ(from_zero.size(), 4u);
  EXPECT_EQ(from_zero[0], from_zero[1]);  // 0 has no place
  EXPECT_NEAR(from_zero[2], 2, 1e-12);
  EXPECT_TRUE(cell_edges(Numbers({-1, 0}), Scale::log).empty());
  EXPECT_EQ(cell_edges(Numbers({0, 1}), Scale::linear), (std::vector<double>{-0.5, 0.5, 1.5}));
}

TEST(Names, CellsOfOtherMarksComeToTheirNames) {
  with_panel(
      "f = plot.figure([plot.heatmap([[1.0, 2.0]], x=[\"a\", \"b\"], y=[\"u\"]), plot.heatmap([[3.0, 4.0]], x=[\"c\", "
      "\"a\"], "
      "y=[\"v\"])])",
      [](const Panel& panel) {
        EXPECT_EQ(panel.x_names, (std::vector<std::string>{"a", "b", "c"}));
        const Mark& second = panel.axes->marks[1];
        EXPECT_EQ(listed(second.x), (std::vector<double>{0, 1, 2}));
        EXPECT_EQ(second.z.at(0, 0), 4);
        EXPECT_TRUE(std::isnan(second.z.at(0, 1)));
        EXPECT_EQ(second.z.at(0, 2), 3);
        EXPECT_EQ(listed(second.y), (std::vector<double>{1}));
        // Both stand for the same colours.
        EXPECT_EQ(panel.axes->marks[0].coloring.range.high, 4);
        EXPECT_EQ(second.coloring.range.low, 1);
      });
}

TEST(Names, ThatComeTwiceHaveTwoPlacesWithBarsAndCells) {
  with_panel("f = plot.bar([\"a\", \"b\", \"a\"], [1.0, 2.0, 3.0])", [](const Panel& panel) {
    EXPECT_EQ(listed(panel.axes->marks[0].x), (std::vector<double>{0, 1, 2}));
    EXPECT_EQ(panel.x_names, (std::vector<std::string>{"a", "b", "a"}));
  });
  with_panel("f = plot.heatmap(ones(2, 3), x=[\"a\", \"a\", \"b\"], y=[\"u\", \"u\"])", [](const Panel& panel) {
    EXPECT_EQ(panel.x_names.size(), 3u);
    EXPECT_EQ(panel.y_names.size(), 2u);
  });
  with_panel("f = plot.scatter([\"a\", \"b\", \"a\"], [1.0, 2.0, 3.0])", [](const Panel& panel) {
    EXPECT_EQ(listed(panel.axes->marks[0].x), (std::vector<double>{0, 1, 0}));
  });
  // 20,000 of them take no longer than they should.
  with_panel("f = plot.bar(list(f\"name {k}\" for k in range(20_000)), arange(20_000.0))",
             [](const Panel& panel) { EXPECT_EQ(panel.x_names.size(), 20000u); });
}

TEST(Names, FourDigitsAloneAreNames) {
  with_panel("f = plot.bar([\"2022\", \"2023\"], [1.0, 2.0])", [](const Panel& panel) {
    EXPECT_EQ(panel.x.scale, Scale::category);
    EXPECT_EQ(panel.x_names, (std::vector<std::string>{"2022", "2023"}));
  });
  with_panel("f = plot.bar([\"2022\", \"2023-07\"], [1.0, 2.0], xlim=(\"2021\", \"2024\"))",
             [](const Panel& panel) { EXPECT_EQ(panel.x.scale, Scale::time); });
}

TEST(Bars, StackOnTheirBaseAndHangBelowIt) {
  with_figure("f = plot.bar([\"a\"], [[1.0, -2.0, 3.0, -1.0]], stacked=true, base=10.0)", [](Figure& figure) {
    std::vector<double> bases;
    for (const Mark& mark : figure.rows[0][0].marks) bases.push_back(mark.base[0]);
    EXPECT_EQ(bases, (std::vector<double>{10, 10, 11, 8}));
  });
}

TEST(Bars, OfDaysHaveTheirTicksBelowThem) {
  with_panel("f = plot.bar([\"2024-03-30\", \"2024-03-31\", \"2024-04-01\"], [1.0, 2.0, 3.0])", [](Panel& panel) {
    place_ticks(panel, 500, 300);
    std::vector<std::string> texts, below;
    for (const Tick& tick : panel.x_ticks.major) texts.push_back(tick.text), below.push_back(tick.below);
    EXPECT_EQ(texts, (std::vector<std::string>{"30", "31", "1"}));
    EXPECT_EQ(below, (std::vector<std::string>{"Mar 2024", "", "Apr 2024"}));
  });
  with_panel("f = plot.bar([\"2023-12-01\", \"2024-01-01\", \"2024-02-01\"], [1.0, 2.0, 3.0], horizontal=true)",
             [](Panel& panel) {
               place_ticks(panel, 500, 300);
               ASSERT_EQ(panel.y_ticks.major.size(), 3u);
               EXPECT_EQ(panel.y_ticks.major[0].text, "Dec");
               EXPECT_EQ(panel.y_ticks.major[1].below, "2024");
             });
  with_panel("f = plot.bar(86400.0 * arange(400), arange(400.0), xscale=\"time\")", [](Panel& panel) {
    place_ticks(panel, 500, 300);
    EXPECT_LE(panel.x_ticks.major.size(), 10u);
  });
}

TEST(Contours, TransparentBandsAreOneLayer) {
  with_page("g = linspace(-1, 1, 20)\nf = plot.contour([[x * y for y in g] for x in g], filled=true, alpha=0.5)",
            [](const Canvas& canvas) {
              const std::vector<const Path*> paths = all_of<Path>(canvas);
              size_t boundaries = 0;
              for (const Item& item : canvas.items)
                boundaries += std::holds_alternative<TransparencyGroup>(item) ? 1 : 0;
              EXPECT_EQ(boundaries, 2u);
              for (const Path* path : paths) {
                EXPECT_TRUE(!path->fill.visible() || path->fill.alpha == 1);
              }
            });
}

TEST(Colors, AroundACentreOnALogarithmicScale) {
  with_panel("f = plot.heatmap([[0.1, 1.0], [10.0, 100.0]], log=true, center=1.0)", [](const Panel& panel) {
    const Coloring& c = panel.axes->marks[0].coloring;
    EXPECT_NEAR(c.range.low, 0.01, 1e-12);
    EXPECT_NEAR(c.range.high, 100, 1e-9);
    EXPECT_NEAR(c.share(1), 0.5, 1e-12);
  });
}

TEST(Points, AreAsTransparentAsTheyAreSaidToBe) {
  const auto strongest = [](const std::string& options) {
    uint32_t most = 0;
    with_page("f = plot.scatter(linspace(0, 1, 300), linspace(0, 1, 300)^2, " + options + ")",
              [&](const Canvas& canvas) {
                for (const Picture* p : all_of<Picture>(canvas)) {
                  for (const uint32_t pixel : p->pixels) most = std::max(most, pixel >> 24);
                }
              },
              {.max_marks = 100});
    return most;
  };
  EXPECT_EQ(strongest("alpha=0.0"), 0u);  // not the shade of how many lie there
  EXPECT_LE(strongest("alpha=0.1, size=0.5"), 128u);
  EXPECT_EQ(strongest("color=\"#0000ff00\""), 0u);
  EXPECT_GT(strongest("color=\"#0000ff40\", size=0.5"), 30u);
  EXPECT_EQ(strongest("color=linspace(0, 1, 300), alpha=0.0"), 0u);
  EXPECT_EQ(strongest("color=linspace(0, 1, 300), alpha=1.0"), 255u);
}

TEST(Points, OfAnySizeAreThatLarge) {
  for (const double diameter : {30.0, 90.0, 200.0}) {
    Raster raster({0, 0, 300, 300}, 2);
    ASSERT_TRUE(raster.takes_discs(diameter));
    raster.begin_discs(diameter, 1);
    raster.add_disc({150, 150});
    double area = 0;
    for (const uint32_t pixel : raster.discs(rgb(0)).pixels) area += (pixel >> 24) / 255.0 / 4;
    EXPECT_NEAR(area, 3.14159265 / 4 * diameter * diameter, 0.01 * diameter * diameter);
  }
  EXPECT_FALSE(Raster({0, 0, 300, 300}, 2).takes_discs(1000));  // a painter of paths draws them
}

TEST(Points, PaintedOneByOneCoverEachOther) {
  Raster raster({0, 0, 10, 10}, 1);
  raster.begin_painting(6, 1);
  raster.paint_disc({5, 5}, packed(rgb(0xff0000)));
  raster.paint_disc({5, 5}, packed(rgb(0x00ff00)));
  raster.paint_disc({NAN, 5}, packed(rgb(0x0000ff)));
  raster.paint_disc({1e300, -1e300}, packed(rgb(0x0000ff)));
  const Picture picture = raster.painted();
  EXPECT_EQ(picture.pixels[5 * 10 + 5], packed(rgb(0x00ff00)));
  EXPECT_EQ(picture.pixels[0], 0u);
}

TEST(Lines, PointsBetweenGapsAreSeen) {
  const auto lonely = [](const std::string& program, PageOptions options = {}) {
    std::pair<size_t, size_t> found;
    with_page(
        program,
        [&](const Canvas& canvas) {
          for (const Markers* m : all_of<Markers>(canvas)) found.first += m->at.size();
          found.second = all_of<Picture>(canvas).size();
        },
        options);
    return found;
  };
  EXPECT_EQ(lonely("f = plot.line([1.0, nan, 2.0, inf, 3.0, 4.0])").first, 2u);
  EXPECT_EQ(lonely("f = plot.line([1.0, -1.0, 2.0, 0.0, 3.0], yscale=\"log\")").first, 3u);
  const auto many = lonely("f = plot.line([1.0 if k % 2 == 0 else nan for k in range(2000)])", {.max_marks = 500});
  EXPECT_EQ(many, (std::pair<size_t, size_t>(0, 1)));  // more than there may be: a picture
}

TEST(Ranges, UpToTheEndsOfF64) {
  for (const char* program :
       {"f = plot.line([-1.7e308, 0.0, 1.7e308])", "f = plot.scatter([-1.7e308, 1.7e308], [1e308, -1e308])",
        "f = plot.hist([-1.7e308, 0.0, 1e308, 1.7e308])", "f = plot.bar([1.7e308, -1.7e308])",
        "f = plot.heatmap([[-1.7e308, 1.7e308]])"}) {
    with_page(program, [&](const Canvas& canvas) {
      size_t texts = 0;
      for (const Item& item : canvas.items) {
        const Text* text = std::get_if<Text>(&item);
        texts += text != nullptr ? 1 : 0;
        EXPECT_TRUE(text == nullptr || text->text.find("nan") == std::string::npos) << program;
      }
      EXPECT_GT(texts, 4u) << program;
    });
  }
  const Ticks ticks = linear_ticks(-1.7e308, 1.7e308, 6);
  ASSERT_GE(ticks.major.size(), 5u);
  EXPECT_EQ(ticks.suffix, "×10³⁰⁸");
  const std::vector<double> x = {-1.7e308, 0, 1e308, 1.7e308}, edges = bin_edges(x, 4);
  for (size_t i = 1; i < edges.size(); ++i) EXPECT_LT(edges[i - 1], edges[i]);
  EXPECT_EQ(bin_counts(x, edges, false), (std::vector<double>{1, 0, 1, 2}));
  EXPECT_LE(bin_edges(x, 0).size(), 501u);
}

TEST(Ranges, OfAFewRoundingErrorsAreNotFlat) {
  with_page("f = plot.line(1.0 + 1e-14 * arange(11.0))", [](const Canvas& canvas) {
    const std::vector<const Path*> lines = all_of<Path>(canvas);
    ASSERT_EQ(lines.size(), 1u);
    const Box box = canvas.clips[0];
    EXPECT_GT(lines[0]->points.front().y - lines[0]->points.back().y, 0.8 * box.height());
  });
}

TEST(Arrows, FollowTheirAxis) {
  const auto downwards = [](const std::string& program) {
    bool down = false;
    with_page(program, [&](const Canvas& canvas) {
      for (const Path* path : all_of<Path>(canvas))
        down = path->points[3].y > path->points[0].y;  // the tip is the fourth
    });
    return down;
  };
  EXPECT_FALSE(downwards("f = plot.quiver([5.0], [5.0], [0.0], [1.0])"));
  EXPECT_TRUE(downwards("f = plot.figure([plot.image(ones(9, 9)), plot.quiver([5.0], [5.0], [0.0], [1.0])])"));
  EXPECT_TRUE(downwards("f = plot.figure([plot.image(ones(9, 9)), plot.quiver([5.0], [5.0], [0.0], [1.0], scale=2)])"));
}

TEST(Arrows, StayOnThePage) {
  with_page("x = linspace(0, 1, 10)\nf = plot.quiver(x, 1 - x, ones(10), ones(10))", [](const Canvas& canvas) {
    for (const Path* path : all_of<Path>(canvas)) {
      for (const Point p : path->points) EXPECT_TRUE(canvas.clips[0].contains(p));
    }
  });
}

TEST(Equal, OfUnlikeRangesKeepsRoom) {
  for (const char* program :
       {"f = plot.line([0.0, 1000.0], [0.0, 1.0], equal=true)", "f = plot.line([0.0, 1.0], [0.0, 1000.0], equal=true)",
        "f = plot.line([0.0, 1e9], [0.0, 1.0], equal=true, page=(400, 300))"}) {
    with_page(program, [&](const Canvas& canvas) {
      EXPECT_GT(canvas.clips[0].width(), 59) << program;
      EXPECT_GT(canvas.clips[0].height(), 59) << program;
    });
  }
  // A decade is as long as a decade.
  with_page(
      "f = plot.line([1.0, 1e4], [1.0, 1e2], xscale=\"log\", yscale=\"log\", equal=true, xlim=(1, 10000), ylim=(1, "
      "100))",
      [](const Canvas& canvas) { EXPECT_NEAR(canvas.clips[0].width() / canvas.clips[0].height(), 2, 0.02); });
}

TEST(Order, AreasLieBelowLines) {
  with_page("f = plot.figure([plot.line([1.0, 2.0]), plot.fill([0.0, 1.0], [1.0, 2.0]), plot.heatmap(ones(2, 2))])",
            [](const Canvas& canvas) {
              std::vector<char> order;
              for (const Item& item : canvas.items) {
                const Path* path = std::get_if<Path>(&item);
                if (std::holds_alternative<Picture>(item) && std::get<Picture>(item).clip >= 0) order.push_back('c');
                if (path != nullptr && path->clip >= 0) order.push_back(path->closed ? 'a' : 'l');
              }
              EXPECT_EQ(order, (std::vector<char>{'c', 'a', 'l'}));
            });
}

TEST(Order, LinesOfTheGridLieOnCellsWhereTheyAreAskedFor) {
  const auto lines = [](const std::string& program) {
    size_t count = 0;
    with_page(program, [&](const Canvas& canvas) {
      for (const Path* path : all_of<Path>(canvas, false)) count += path->stroke.width == 0.8 && !path->closed ? 1 : 0;
    });
    return count;
  };
  EXPECT_EQ(lines("f = plot.heatmap(ones(3, 3))"), 0u);
  EXPECT_GT(lines("f = plot.heatmap(ones(3, 3), grid=true)"), 3u);
}

TEST(Histograms, AreEvenOnTheirAxis) {
  with_panel("f = plot.hist([1.0, 10.0, 100.0, 1000.0, -5.0], bins=3, xscale=\"log\")", [](const Panel& panel) {
    const Mark& mark = panel.axes->marks[0];
    ASSERT_EQ(mark.edges.size(), 4u);
    EXPECT_NEAR(mark.edges[1], 10, 1e-9);
    EXPECT_NEAR(mark.edges[2], 100, 1e-9);
    EXPECT_EQ(mark.y[0] + mark.y[1] + mark.y[2], 4);
  });
  with_panel("f = plot.hist([-1.0, 0.0], xscale=\"log\")", [](const Panel& panel) { EXPECT_GT(panel.x.low, 0); });
  // A count of 1 is seen on a logarithmic axis.
  with_panel("f = plot.hist([1.0, 2.0, 2.0], bins=2, yscale=\"log\")",
             [](const Panel& panel) { EXPECT_LT(panel.y.low, 0.9); });
}

TEST(Many, MarksOfEveryKindBecomeAPicture) {
  const PageOptions options{.max_marks = 100, .max_items = 100};
  for (const char* program :
       {"f = plot.scatter(rand(200), rand(200), marker=\"star\")",
        "f = plot.scatter(rand(200), rand(200), marker=\"plus\")",
        "f = plot.scatter(rand(200), rand(200), size=1 + 9 * rand(200), color=rand(200))", "f = plot.bar(rand(200))",
        "f = plot.errorbar(rand(200), rand(200), error=0.1)",
        "f = plot.quiver(rand(200), rand(200), rand(200), rand(200))",
        "f = plot.quiver(rand(200), rand(200), rand(200), rand(200), color=rand(200))",
        "f = plot.contour(rand(60, 60))", "f = plot.contour(rand(60, 60), filled=true, alpha=0.5)",
        "f = plot.line(rand(200), marker=\"cross\")"}) {
    with_page(
        program,
        [&](const Canvas& canvas) {
          EXPECT_GE(all_of<Picture>(canvas).size(), 1u) << program;
          EXPECT_EQ(all_of<Markers>(canvas).size(), 0u) << program;
          for (const Path* path : all_of<Path>(canvas)) EXPECT_LT(path->starts.size(), 100u) << program;
        },
        options);
  }
}

TEST(Many, AreasInAPictureCoverWhatTheyCover) {
  Raster raster({0, 0, 20, 20}, 2);
  raster.begin_areas();
  Path triangle;
  triangle.begin();
  for (const Point p : {Point{2.3, 1.1}, Point{17.8, 4.2}, Point{6.4, 18.9}}) triangle.add(p);
  raster.paint_area(triangle, packed(rgb(0x123456)));
  double area = 0;
  for (const uint32_t pixel : raster.painted().pixels) area += (pixel >> 24) / 255.0 / 4;
  EXPECT_NEAR(area, 0.5 * std::abs(15.5 * 17.8 - 4.1 * 3.1), 0.5);
}

TEST(Interrupt, StopsADrawing) {
  std::atomic<bool> flag = true;
  ops::Context context;
  context.interrupt = &flag;
  for (const char* program :
       {"f = plot.line(rand(1000))", "f = plot.contour(rand(20, 20))", "f = plot.heatmap(rand(20, 20))"}) {
    with_figure(program, [&](Figure& figure) {
      PageOptions options;
      options.context = &context;
      EXPECT_THROW(draw_page(figure, options), OpError) << program;
    });
  }
}

TEST(Texts, TooLongAreCut) {
  with_page(
      "long = \"a title that is longer than any page and goes on and on and on and on and on and on and on\"\n"
      "f = plot.line([1.0, 2.0], title=long, xlabel=long, ylabel=long, label=long, page=(300, 200))",
      [](const Canvas& canvas) {
        size_t cut = 0;
        for (const Item& item : canvas.items) {
          const Text* text = std::get_if<Text>(&item);
          cut += text != nullptr && text->text.ends_with("…") ? 1 : 0;
        }
        EXPECT_EQ(cut, 4u);
      });
  // More series than rows of the page.
  with_page("parts = list(plot.line([0.0, 1.0 * k], label=f\"series {k}\") for k in range(60))\nf = plot.figure(parts)",
            [](const Canvas& canvas) {
              bool more = false;
              for (const Item& item : canvas.items) {
                const Text* text = std::get_if<Text>(&item);
                if (text == nullptr) continue;
                EXPECT_LT(text->at.y, canvas.height);
                more |= text->text.ends_with(" more");
              }
              EXPECT_TRUE(more);
            });
}

}  // namespace
}  // namespace covec::plot
