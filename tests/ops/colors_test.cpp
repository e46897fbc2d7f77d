// Colours for compressed derivatives: a matrix is recovered from its products, few colours on bands and grids, and
// close to the fewest that a search finds on small random patterns.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "stdlib/sparse/color.hpp"

namespace covec::test {
namespace {

using sparse::Coloring;
using sparse::ColorKind;
using sparse::Graph;

using Row = std::set<uint32_t>;

Graph graph(uint32_t rows, uint32_t columns, const std::function<void(uint32_t row, Row&)>& fill) {
  Graph made{rows, columns, {0}, {}};
  for (uint32_t r = 0; r < rows; ++r) {
    Row row;
    fill(r, row);
    made.indices.insert(made.indices.end(), row.begin(), row.end());
    made.starts.push_back(static_cast<uint32_t>(made.indices.size()));
  }
  return made;
}

Graph band(uint32_t n, int64_t half_width) {
  return graph(n, n, [&](uint32_t r, Row& row) {
    for (int64_t c = r - half_width; c <= r + half_width; ++c) {
      if (c >= 0 && c < n) row.insert(static_cast<uint32_t>(c));
    }
  });
}

// The points of a grid of `dimensions` axes; neighbours differ in one of them, or in any number (`corners`).
Graph grid(int64_t side, int dimensions, bool corners) {
  const int64_t planes = dimensions == 3 ? side : 1;
  const auto n = static_cast<uint32_t>(side * side * planes);
  return graph(n, n, [&](uint32_t r, Row& row) {
    const int64_t x = r % side, y = r / side % side, z = r / (side * side);
    for (int64_t step = 0; step < 27; ++step) {
      const int64_t dx = step % 3 - 1, dy = step / 3 % 3 - 1, dz = step / 9 - 1;
      if (!corners && std::abs(dx) + std::abs(dy) + std::abs(dz) > 1) continue;
      const auto inside = [](int64_t at, int64_t size) { return at >= 0 && at < size; };
      if (!inside(x + dx, side) || !inside(y + dy, side) || !inside(z + dz, planes)) continue;
      row.insert(static_cast<uint32_t>(((z + dz) * side + y + dy) * side + x + dx));
    }
  });
}

Graph arrow(uint32_t n) {
  return graph(n, n, [&](uint32_t r, Row& row) {
    row = {0, r};
    for (uint32_t c = 0; c < n && r == 0; ++c) row.insert(c);
  });
}

Graph random_graph(std::mt19937& random, uint32_t rows, uint32_t columns, uint32_t twelfths) {
  return graph(rows, columns, [&](uint32_t, Row& row) {
    for (uint32_t c = 0; c < columns; ++c) {
      if (random() % 12 < twelfths) row.insert(c);
    }
  });
}

Graph symmetric(const Graph& half) {
  const Graph mirror = sparse::transposed(half);
  return graph(half.rows, half.columns, [&](uint32_t r, Row& row) {
    for (const uint32_t c : half.row(r)) row.insert(c);
    for (const uint32_t c : mirror.row(r)) row.insert(c);
  });
}

// The definition: of a matrix of random integers, symmetric where the colouring says so, the products with the colours'
// vectors have each entry alone at its place.
bool recovers(const Graph& pattern, const Coloring& colors) {
  std::mt19937_64 random(1);
  std::map<std::pair<uint32_t, uint32_t>, int64_t> numbers;
  const size_t rows = pattern.rows, columns = pattern.columns;
  const size_t before = static_cast<size_t>(colors.columns.count) * rows;
  std::vector<int64_t> products(before + static_cast<size_t>(colors.rows.count) * columns, 0), entries;
  for (uint32_t r = 0; r < rows; ++r) {
    for (const uint32_t c : pattern.row(r)) {
      auto place = std::pair(r, c);
      if (colors.kind == ColorKind::symmetric) place = std::minmax(r, c);
      int64_t& number = numbers[place];
      if (number == 0) number = 1 + static_cast<int64_t>(random() >> 12);
      entries.push_back(number);
      const int32_t column = colors.columns.count == 0 ? -1 : colors.columns.of[c];
      const int32_t row = colors.rows.count == 0 ? -1 : colors.rows.of[r];
      if (column >= 0) products[static_cast<size_t>(column) * rows + r] += number;
      if (row >= 0) products[before + static_cast<size_t>(row) * columns + c] += number;
    }
  }
  if (colors.places.size() != entries.size()) return false;
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto place = static_cast<size_t>(colors.places[i]);
    if (place >= products.size() || products[place] != entries[i]) return false;
  }
  return true;
}

struct Counts {
  int32_t columns, rows;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.columns << " + " << counts.rows;
}

Counts counts(const Graph& pattern, ColorKind kind = ColorKind::automatic) {
  const Coloring colors = sparse::color(ops::Context(), pattern, kind);
  EXPECT_TRUE(recovers(pattern, colors));
  return {colors.columns.count, colors.rows.count};
}

TEST(Colors, BandsNeedTheirWidth) {
  for (int32_t half = 0; half < 8; ++half) {
    for (const uint32_t n : {1u, 2u, 9u, 1000u}) {
      const int32_t widest = std::min(2 * half + 1, static_cast<int32_t>(n));
      EXPECT_EQ(counts(band(n, half)), (Counts{widest, 0})) << half << " " << n;
      EXPECT_LE(counts(band(n, half), ColorKind::symmetric).columns, widest) << half << " " << n;
    }
  }
  EXPECT_EQ(counts(band(1000, 1), ColorKind::symmetric), (Counts{3, 0}));
}

TEST(Colors, GridsNeedOneColorForEachNeighbor) {
  for (const int64_t side : {6, 9, 20, 31, 32}) {
    EXPECT_EQ(counts(grid(side, 2, false)), (Counts{5, 0})) << side;
    EXPECT_EQ(counts(grid(side, 2, true)), (Counts{9, 0})) << side;
    EXPECT_EQ(counts(grid(side, 3, false)), (Counts{7, 0})) << side;
    EXPECT_EQ(counts(grid(side, 3, true)), (Counts{27, 0})) << side;
    EXPECT_EQ(counts(grid(side, 2, false), ColorKind::symmetric), (Counts{5, 0})) << side;
  }
}

TEST(Colors, DenseRowsAndColumnsAreReadApart) {
  for (const uint32_t n : {5u, 50u, 2000u}) {
    EXPECT_EQ(counts(arrow(n)), (Counts{2, 1})) << n;
    EXPECT_EQ(counts(arrow(n), ColorKind::symmetric), (Counts{2, 0})) << n;
    EXPECT_EQ(counts(arrow(n), ColorKind::forward), (Counts{static_cast<int32_t>(n), 0})) << n;
    EXPECT_EQ(counts(arrow(n), ColorKind::reverse), (Counts{0, static_cast<int32_t>(n)})) << n;
  }
  const auto dense = [](uint32_t, Row& row) {
    for (uint32_t c = 0; c < 300; ++c) row.insert(c);
  };
  EXPECT_EQ(counts(graph(1, 300, dense)), (Counts{0, 1}));
  EXPECT_EQ(counts(graph(100, 300, dense)), (Counts{0, 100}));
  // More than there is time for: each column of a dense row has a colour of its own.
  EXPECT_EQ(counts(arrow(30000), ColorKind::symmetric), (Counts{2, 0}));
  EXPECT_EQ(sparse::color(ops::Context(), arrow(30000), ColorKind::forward).columns.count, 30000);
}

TEST(Colors, BlocksNeedTheirSize) {
  const Graph blocks = graph(60, 60, [](uint32_t r, Row& row) {
    for (uint32_t c = 0; c < 4; ++c) row.insert(r / 4 * 4 + c);
  });
  EXPECT_EQ(counts(blocks), (Counts{4, 0}));
  EXPECT_EQ(counts(blocks, ColorKind::symmetric), (Counts{4, 0}));
}

TEST(Colors, NothingNeedsNone) {
  const auto none = [](uint32_t, Row&) {};
  for (const auto& [rows, columns] : {std::pair(0u, 0u), {0u, 3u}, {3u, 0u}, {3u, 4u}, {4u, 4u}}) {
    for (const ColorKind kind : {ColorKind::automatic, ColorKind::forward, ColorKind::reverse}) {
      EXPECT_EQ(counts(graph(rows, columns, none), kind), (Counts{0, 0}));
    }
    if (rows != columns) continue;
    EXPECT_EQ(counts(graph(rows, columns, none), ColorKind::symmetric), (Counts{0, 0}));
  }
  // Columns without entries have no colour.
  const Graph gaps = graph(4, 9, [](uint32_t r, Row& row) {
    if (r != 2) row = {2 * r};
  });
  const Coloring colors = sparse::color(ops::Context(), gaps, ColorKind::forward);
  EXPECT_EQ(colors.columns.count, 1);
  EXPECT_EQ(colors.columns.of, (std::vector<int32_t>{0, -1, 0, -1, -1, -1, 0, -1, -1}));
}

// Tries all colours of one vertex after the other, a new one last. `fits`: whether the last of the colours that are
// there may stand beside the others.
class Search {
 public:
  using Colors = std::vector<int32_t>;
  Search(uint32_t vertices, std::function<bool(const Colors&)> fits) : vertices_(vertices), fits_(std::move(fits)) {}

  int32_t fewest() {
    for (int32_t most = 1;; ++most) {
      colors_.clear();
      if (finds(0, most)) return most;
    }
  }

 private:
  bool finds(int32_t used, int32_t most) {
    if (colors_.size() == vertices_) return true;
    for (int32_t color = 0; color <= std::min(used, most - 1); ++color) {
      colors_.push_back(color);
      if (fits_(colors_) && finds(std::max(used, color + 1), most)) return true;
      colors_.pop_back();
    }
    return false;
  }

  const size_t vertices_;
  const std::function<bool(const Colors&)> fits_;
  Colors colors_;
};

bool has(const Graph& pattern, size_t row, size_t column) {
  return std::ranges::binary_search(pattern.row(static_cast<uint32_t>(row)), static_cast<uint32_t>(column));
}

int32_t min_columns(const Graph& pattern) {
  return Search(pattern.columns,
                [&](const Search::Colors& colors) {
                  const size_t last = colors.size() - 1;
                  for (size_t other = 0; other < last; ++other) {
                    for (size_t r = 0; colors[other] == colors[last] && r < pattern.rows; ++r) {
                      if (has(pattern, r, other) && has(pattern, r, last)) return false;
                    }
                  }
                  return true;
                })
      .fewest();
}

// Adjacent vertices differ, and no path of four vertices has two colours.
int32_t min_stars(const Graph& pattern) {
  const auto adjacent = [&](size_t a, size_t b) { return a != b && has(pattern, a, b); };
  return Search(pattern.columns,
                [&](const Search::Colors& colors) {
                  const size_t n = colors.size();
                  for (size_t b = 0; b < n; ++b) {
                    for (size_t c = 0; c < n; ++c) {
                      if (!adjacent(b, c)) continue;
                      if (colors[b] == colors[c]) return false;
                      for (size_t a = 0; a < n; ++a) {
                        if (a == c || !adjacent(a, b) || colors[a] != colors[c]) continue;
                        for (size_t d = 0; d < n; ++d) {
                          if (d != a && d != b && adjacent(c, d) && colors[d] == colors[b]) return false;
                        }
                      }
                    }
                  }
                  return true;
                })
      .fewest();
}

TEST(Colors, AreWithinTwoOfTheFewest) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 400; ++trial) {
    const auto rows = static_cast<uint32_t>(1 + random() % 12), columns = static_cast<uint32_t>(1 + random() % 12);
    const Graph pattern = random_graph(random, rows, columns, 1 + random() % 4);
    EXPECT_LE(counts(pattern, ColorKind::forward).columns, min_columns(pattern) + 2);
    const Graph mirror = sparse::transposed(pattern);
    EXPECT_LE(counts(pattern, ColorKind::reverse).rows, min_columns(mirror) + 2);
    const Graph square = symmetric(random_graph(random, columns, columns, 1 + random() % 4));
    EXPECT_LE(counts(square, ColorKind::symmetric).columns, min_stars(square) + 2);
  }
}

TEST(Colors, RecoverRandomPatterns) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto rows = static_cast<uint32_t>(random() % 40), columns = static_cast<uint32_t>(random() % 40);
    Graph pattern = random_graph(random, rows, columns, random() % 7);
    if (rows > 3 && trial % 2 == 0) {  // with a dense row
      const uint32_t dense = static_cast<uint32_t>(random() % rows);
      pattern = graph(rows, columns, [&, before = pattern](uint32_t r, Row& row) {
        for (uint32_t c = 0; c < columns; ++c) {
          if (r == dense || has(before, r, c)) row.insert(c);
        }
      });
    }
    for (const ColorKind kind : {ColorKind::automatic, ColorKind::forward, ColorKind::reverse}) counts(pattern, kind);
    counts(symmetric(random_graph(random, columns, columns, random() % 7)), ColorKind::symmetric);
  }
}

}  // namespace
}  // namespace covec::test
