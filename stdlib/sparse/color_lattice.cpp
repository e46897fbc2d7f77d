#include "stdlib/sparse/color_lattice.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace covec::sparse {

namespace {

// Columns further apart than `near` belong to different lines of a grid, or in small grids
// than `nearest`. A lattice of more than `max_colors` is not looked for, nor one with `spare` more than the longest
// row. A candidate is tried on `window` rows first; so many entries are looked at in all, and so many candidates are
// tried on all rows.
constexpr uint32_t nearest = 2, near = 8, spare = 4, window = 64;
constexpr int32_t max_colors = 64;
constexpr int64_t max_entries = int64_t{1} << 24;
constexpr int max_full_trials = 8;

struct Lattice {
  std::array<uint32_t, 2> strides = {0, 0};  // 0: there is none
  std::array<int32_t, 2> shifts = {0, 0};
  int32_t colors = 1;

  int32_t color(uint32_t column) const {
    uint64_t sum = column;
    for (size_t i = 0; i < strides.size(); ++i) {
      if (strides[i] != 0) sum += static_cast<uint64_t>(shifts[i]) * (column / strides[i]);
    }
    return static_cast<int32_t>(sum % static_cast<uint64_t>(colors));
  }
};

// How far the columns of a row lie from that in its middle, one distance for each group of near ones.
std::vector<uint32_t> strides_of(std::span<const uint32_t> row, uint32_t apart) {
  std::vector<uint32_t> distances, groups;
  const uint32_t middle = row[row.size() / 2];
  for (const uint32_t column : row) {
    const uint32_t distance = column > middle ? column - middle : middle - column;
    if (distance > apart) distances.push_back(distance);
  }
  std::ranges::sort(distances);
  for (size_t begin = 0, end = 0; begin < distances.size(); begin = end) {
    while (end < distances.size() && distances[end] - distances[end == begin ? begin : end - 1] <= apart) ++end;
    groups.push_back(distances[begin] + (distances[end - 1] - distances[begin]) / 2);
  }
  return groups;
}

// No strides, one, or two of which the first divides the second.
std::vector<std::array<uint32_t, 2>> choices_of(const std::vector<uint32_t>& strides) {
  std::vector<std::array<uint32_t, 2>> choices;
  if (strides.empty()) return {{0, 0}};
  for (size_t i = 1; i < strides.size(); ++i) {
    if (strides[i] % strides[0] == 0) choices.push_back({strides[0], strides[i]});
  }
  choices.push_back({strides[0], 0});
  return choices;
}

class Trials {
 public:
  Trials(Steps& steps, const Graph& by_row) : steps_(steps), by_row_(by_row) {}

  bool fits(const Lattice& lattice) {
    const uint32_t middle = by_row_.rows / 2, end = std::min(by_row_.rows, middle + window);
    if (!fits_rows(lattice, middle, end)) return false;
    ++full_trials_;
    return fits_rows(lattice, 0, by_row_.rows);
  }
  bool over() const { return entries_ > max_entries || full_trials_ >= max_full_trials; }

 private:
  bool fits_rows(const Lattice& lattice, uint32_t begin, uint32_t end) {
    std::array<uint32_t, max_colors> taken;  // by colour: the last row that has it, + 1
    taken.fill(0);
    int64_t entries = 0;
    for (uint32_t r = begin; r < end; ++r) {
      for (const uint32_t column : by_row_.row(r)) {
        uint32_t& last = taken[static_cast<size_t>(lattice.color(column))];
        ++entries;
        if (last == r + 1) return count(entries, end - begin), false;
        last = r + 1;
      }
    }
    return count(entries, end - begin), true;
  }
  // Only the short trials are limited by entries.
  void count(int64_t entries, uint32_t rows) {
    steps_.done(entries);
    if (rows <= window) entries_ += entries;
  }

  Steps& steps_;
  const Graph& by_row_;
  int64_t entries_ = 0;
  int full_trials_ = 0;
};

std::optional<Lattice> find_lattice(Steps& steps, const Graph& by_row) {
  const auto longest = static_cast<int32_t>(by_row.longest_row());
  if (longest == 0 || longest > max_colors) return {};
  uint32_t middle = by_row.rows / 2;  // the next one of the longest rows is inside of a grid
  while (by_row.length(middle) != static_cast<uint32_t>(longest)) middle = (middle + 1) % by_row.rows;
  std::vector<std::array<uint32_t, 2>> choices = choices_of(strides_of(by_row.row(middle), near));
  std::ranges::copy(choices_of(strides_of(by_row.row(middle), nearest)), std::back_inserter(choices));
  Trials trials(steps, by_row);
  const int32_t last = std::min(max_colors, longest + static_cast<int32_t>(spare));
  for (int32_t colors = longest; colors <= last; ++colors) {
    for (const auto& strides : choices) {
      const int32_t first_shifts = strides[0] == 0 ? 1 : colors, second_shifts = strides[1] == 0 ? 1 : colors;
      for (int32_t s = 0; s < first_shifts; ++s) {
        for (int32_t t = 0; t < second_shifts && !trials.over(); ++t) {
          const Lattice lattice{strides, {s, t}, colors};
          if (trials.fits(lattice)) return lattice;
        }
      }
    }
  }
  return {};
}

}  // namespace

std::optional<Colors> color_lattice(Steps& steps, const Graph& by_row) {
  const std::optional<Lattice> lattice = find_lattice(steps, by_row);
  if (!lattice) return {};
  Colors colors{std::vector<int32_t>(by_row.columns), std::min(lattice->colors, static_cast<int32_t>(by_row.columns))};
  for (uint32_t column = 0; column < by_row.columns; ++column) colors.of[column] = lattice->color(column);
  return colors;
}

}  // namespace covec::sparse
