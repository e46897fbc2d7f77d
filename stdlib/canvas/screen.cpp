// Paints on a terminal. Lines and markers become Braille dots, whose character is U+2800 plus a bit for each dot. Areas
// become half blocks; small or transparent ones become dots as well. Without colours, areas are shades.
#include "stdlib/canvas/screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "stdlib/files/file.hpp"

namespace covec::plot {

namespace {

std::string encoded(uint32_t code) {
  return {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
          static_cast<char>(0x80 | (code & 63))};
}

// The next character of a text, taken off it.
std::string_view next_of(std::string_view& text) {
  const size_t length = std::max<size_t>(1, files::sequence_length(text));
  const std::string_view character = text.substr(0, length);
  text.remove_prefix(length);
  return character;
}

bool takes_no_cell(std::string_view character) {
  return character.size() == 2 &&
         ((character[0] == '\xcc') || (character[0] == '\xcd' && static_cast<unsigned char>(character[1]) < 0xb0));
}
bool takes_two(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return (character.size() == 3 && first >= 0xe3 && first <= 0xed) || character.size() == 4;
}

void escape(std::string& to, int kind, uint32_t color) {
  to += "\x1b[" + std::to_string(kind) + ";2;" + std::to_string(color & 255) + ";" + std::to_string(color >> 8 & 255) +
        ";" + std::to_string(color >> 16 & 255) + "m";
}

}  // namespace

int cells_of(std::string_view text) {
  int count = 0;
  while (!text.empty()) {
    const std::string_view character = next_of(text);
    count += takes_no_cell(character) ? 0 : takes_two(character) ? 2 : 1;
  }
  return count;
}

std::string_view area_shade(size_t number) {
  static constexpr std::array<std::string_view, 4> shades = {"█", "▓", "▒", "░"};
  return shades[number % shades.size()];
}

std::string first_cells(std::string_view text, int cells) {
  std::string_view left = text;
  while (!left.empty()) {
    std::string_view rest = left;
    cells -= cells_of(next_of(rest));
    if (cells < 0) break;
    left = rest;
  }
  return std::string(text.substr(0, text.size() - left.size()));
}

void Screen::set(int column, int row, std::string character, Color front, Color back) {
  if (column < 0 || row < 0 || column >= columns_ || row >= rows_) return;
  Cell& cell = cells_[static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column)];
  cell.character = std::move(character);
  cell.front = front.visible() ? packed(front.with_alpha(1)) : 0;
  cell.back = back.visible() ? packed(back.with_alpha(1)) : 0;
}

void Screen::write(int column, int row, std::string_view text, Color color) {
  while (!text.empty()) {
    const std::string_view character = next_of(text);
    if (takes_no_cell(character)) continue;
    const bool control = character.size() == 1 && static_cast<unsigned char>(character[0]) < 0x20;
    const bool wide = takes_two(character);
    if (wide && column + 1 >= columns_) return;
    set(column++, row, control ? " " : std::string(character), color, {});
    if (wide) set(column++, row, "", {}, {});
  }
}

std::string Screen::text(bool colors) const {
  std::string out;
  for (int row = 0; row < rows_; ++row) {
    const Cell* cells = cells_.data() + static_cast<ptrdiff_t>(row) * columns_;
    int end = columns_;
    while (end > 0 && cells[end - 1].character == " " && (!colors || cells[end - 1].back == 0)) --end;
    uint32_t front = 0, back = 0;
    for (int i = 0; i < end; ++i) {
      const Cell& cell = cells[i];
      const bool front_gone = front != 0 && cell.front == 0 && cell.character != " ",
                 back_gone = back != 0 && cell.back == 0;
      if (colors && (front_gone || back_gone)) out += "\x1b[0m", front = back = 0;
      if (colors && cell.back != 0 && cell.back != back) escape(out, 48, back = cell.back);
      if (colors && cell.front != 0 && cell.front != front) escape(out, 38, front = cell.front);
      out += cell.character;
    }
    if (front != 0 || back != 0) out += "\x1b[0m";
    if (row + 1 < rows_) out += '\n';
  }
  return out;
}

namespace {

class Dots {
 public:
  explicit Dots(const Canvas& canvas)
      : canvas_(canvas),
        columns_(static_cast<int>(canvas.width)),
        rows_(static_cast<int>(canvas.height)),
        dots_(static_cast<size_t>(columns_) * static_cast<size_t>(rows_)),
        halves_(static_cast<size_t>(columns_ / 2) * static_cast<size_t>(rows_ / 2)) {
    for (const Item& item : canvas.items) std::visit([this](const auto& one) { put(one); }, item);
  }

  void show(Screen& screen, int left, int top, bool colors) const {
    const bool shaded = !colors && canvas_.shades;
    for (int row = 0; row < rows_ / 4; ++row) {
      for (int column = 0; column < columns_ / 2; ++column) show_cell(screen, left, top, column, row, colors, shaded);
    }
  }

 private:
  uint32_t dot(int x, int y) const {
    return dots_[static_cast<size_t>(y) * static_cast<size_t>(columns_) + static_cast<size_t>(x)];
  }
  uint32_t half(int column, int row) const {
    return halves_[static_cast<size_t>(row) * static_cast<size_t>(columns_ / 2) + static_cast<size_t>(column)];
  }

  void set(double x, double y, Color color) {
    const int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
    if (column < 0 || row < 0 || column >= columns_ || row >= rows_ || !color.visible()) return;
    dots_[static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column)] =
        packed(color.with_alpha(1));
  }
  void fill_half(int column, int row, Color color) {
    if (column < 0 || row < 0 || column >= columns_ / 2 || row >= rows_ / 2) return;
    halves_[static_cast<size_t>(row) * static_cast<size_t>(columns_ / 2) + static_cast<size_t>(column)] =
        hue(packed(composed(color.with_alpha(static_cast<double>(color.alpha) * group_alpha_), canvas_.background)));
    for (const int dy : {0, 1}) {  // what lies below is gone
      for (const int dx : {0, 1})
        dots_[static_cast<size_t>(2 * row + dy) * static_cast<size_t>(columns_) +
              static_cast<size_t>(2 * column + dx)] = 0;
    }
  }

  uint32_t hue(uint32_t color) {
    if (!canvas_.shades && hues_.size() < 16 && hue_of(color) == hues_.size()) hues_.push_back(color);
    return color;
  }

  void walk(Point a, Point b, const Stroke& stroke) {
    const double length = std::max(std::abs(b.x - a.x), std::abs(b.y - a.y));
    if (!(length < 1e5)) return;
    const int steps = std::max(1, static_cast<int>(std::ceil(length)));
    for (int i = 0; i <= steps; ++i) {
      const bool gap = stroke.dash == Dash::dashed ? walked_ % 6 >= 4
                       : stroke.dash == Dash::dotted
                           ? walked_ % 3 != 0
                           : stroke.dash == Dash::dashdot && (walked_ % 8 == 4 || walked_ % 8 >= 6);
      if (i < steps) ++walked_;
      if (!gap) set(a.x + (b.x - a.x) * i / steps, a.y + (b.y - a.y) * i / steps, stroke.color);
    }
  }

  void put(const Path& path) {
    if (path.fill.visible()) fill(path);
    for (size_t part = 0; part < path.starts.size() && path.stroke.visible(); ++part) {
      const size_t from = path.starts[part], to = path.end_of(part);
      walked_ = 0;
      for (size_t i = from; i + 1 < to; ++i) walk(path.points[i], path.points[i + 1], path.stroke);
      if (path.closed && to > from) walk(path.points[to - 1], path.points[from], path.stroke);
    }
  }

  void fill(const Path& path) {
    if (path.fill.alpha < 0.6f)
      return scan(path, 1, 1, [&](int column, int row) {
        if ((column + row) % 2 == 0) set(column, row, path.fill);
      });
    bool small = false;
    for (size_t part = 0; part < path.starts.size(); ++part) small |= is_small(path, part);
    if (canvas_.solid) return scan(path, 1, 1, [&](int column, int row) { fill_half(column / 2, row / 2, path.fill); });
    if (!small) return scan(path, 2, 2, [&](int column, int row) { fill_half(column, row, path.fill); });
    scan(path, 1, 1, [&](int column, int row) { set(column, row, path.fill); });
    for (size_t part = 0; part < path.starts.size(); ++part) {
      for (size_t i = path.starts[part]; i + 1 < path.end_of(part); ++i)
        walk(path.points[i], path.points[i + 1], {path.fill, 1});
    }
  }

  struct Extent {
    double low = 1e300, high = -1e300;
    void add(double v) { low = std::min(low, v), high = std::max(high, v); }
  };

  // Narrower than a cell, or thin across.
  static bool is_small(const Path& path, size_t part) {
    Extent x, y;
    double area = 0;
    const size_t from = path.starts[part], to = path.end_of(part);
    for (size_t i = from; i < to; ++i) {
      const Point a = path.points[i], b = path.points[i + 1 == to ? from : i + 1];
      x.add(a.x), y.add(a.y);
      area += (a.x * b.y - b.x * a.y) / 2;
    }
    return x.high - x.low < 3 || (to - from > 4 && std::abs(area) < 0.4 * (x.high - x.low) * (y.high - y.low) &&
                                  y.high - y.low < 24 && x.high - x.low < 24);
  }

  // Calls for each square of so many dots whose middle lies inside (by the even-odd rule over all parts).
  template <class F>
  void scan(const Path& path, int wide, int high, F&& inside) {
    const int last_row = rows_ / high, last_column = columns_ / wide;
    for (int row = 0; row < last_row; ++row) {
      const double y = (row + 0.5) * high;
      std::vector<double> crossings;
      for (size_t part = 0; part < path.starts.size(); ++part) {
        const size_t from = path.starts[part], to = path.end_of(part);
        for (size_t i = from; i < to; ++i) {
          const Point a = path.points[i], b = path.points[i + 1 == to ? from : i + 1];
          if ((a.y <= y) != (b.y <= y)) crossings.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
        }
      }
      std::sort(crossings.begin(), crossings.end());
      for (size_t i = 0; i + 1 < crossings.size(); i += 2) {
        const int begin = std::max(0, static_cast<int>(std::ceil(std::clamp(crossings[i] / wide - 0.5, -1.0, 1e6))));
        const int end = std::min(last_column - 1,
                                 static_cast<int>(std::floor(std::clamp(crossings[i + 1] / wide - 0.5, -1.0, 1e6))));
        for (int column = begin; column <= end; ++column) inside(column, row);
      }
    }
  }

  void put(const Markers& markers) {
    const bool few = markers.at.size() <= 60;
    for (size_t i = 0; i < markers.at.size(); ++i) {
      const Point p = markers.at[i];
      set(p.x, p.y, markers.fill(i));
      if (!few) continue;  // two dots by two are seen as a point
      for (const auto& [dx, dy] : {std::pair(1, 0), std::pair(0, 1), std::pair(1, 1)})
        set(std::floor(p.x) + dx, std::floor(p.y) + dy, markers.fill(i));
    }
  }
  void put(const Text&) {}
  void put(const TransparencyGroup& transparency) { group_alpha_ = transparency.begins ? transparency.alpha : 1; }
  void put(const Picture& picture) {
    const auto cell = [](double p, double from, double size, int n) {
      return static_cast<int>(std::floor((p - from) / size * n));
    };
    const Box& box = picture.box;
    for (int row = 0; row < rows_ / 2; ++row) {
      for (int column = 0; column < columns_ / 2; ++column) {
        const int r = cell(2 * row + 1, box.top, box.height(), picture.rows),
                  c = cell(2 * column + 1, box.left, box.width(), picture.columns);
        if (r < 0 || c < 0 || r >= picture.rows || c >= picture.columns) continue;
        const Color color = unpacked(
            picture.pixels[static_cast<size_t>(r) * static_cast<size_t>(picture.columns) + static_cast<size_t>(c)]);
        if (color.alpha > 0.02f) fill_half(column, row, color);
      }
    }
  }

  static Color color_of(uint32_t pixel) { return pixel == 0 ? Color{} : unpacked(pixel).with_alpha(1); }

  void show_cell(Screen& screen, int left, int top, int column, int row, bool colors, bool shaded) const {
    static constexpr std::array<std::array<uint32_t, 2>, 4> bits = {
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    uint32_t code = 0, front = 0;
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 2; ++x) {
        const uint32_t d = dot(2 * column + x, 4 * row + y);
        if (d != 0) code |= bits[static_cast<size_t>(y)][static_cast<size_t>(x)], front = d;
      }
    }
    const uint32_t upper = half(column, 2 * row), lower = half(column, 2 * row + 1);
    if (code != 0) {
      const uint32_t back = upper != 0 ? upper : lower;
      screen.set(left + column, top + row, encoded(0x2800 + code), color_of(front), color_of(back));
    } else if (upper != 0 || lower != 0) {
      show_halves(screen, left + column, top + row, upper, lower, colors, shaded);
    }
  }

  // Which of the colours of areas it is, in the order in which they were painted.
  size_t hue_of(uint32_t color) const {
    return static_cast<size_t>(std::find(hues_.begin(), hues_.end(), color) - hues_.begin());
  }

  void show_halves(Screen& screen, int column, int row, uint32_t upper, uint32_t lower, bool colors,
                   bool shaded) const {
    const std::string_view own = colors ? area_shade(0) : area_shade(hue_of(upper != 0 ? upper : lower));
    if (shaded) {
      static constexpr std::array<std::string_view, 5> shades = {" ", "░", "▒", "▓", "█"};
      const double light = (to_oklab(unpacked(upper)).lightness + to_oklab(unpacked(lower)).lightness) / 2;
      screen.set(column, row, std::string(shades[static_cast<size_t>(std::clamp(light * 5, 0.0, 4.0))]), {}, {});
    } else if (upper == lower || (!colors && ((upper != 0 && lower != 0) || own != area_shade(0)))) {
      screen.set(column, row, std::string(own), color_of(upper), {});
    } else if (lower == 0) {
      screen.set(column, row, "▀", color_of(upper), {});
    } else if (upper == 0) {
      screen.set(column, row, "▄", color_of(lower), {});
    } else {
      screen.set(column, row, "▀", color_of(upper), color_of(lower));
    }
  }

  const Canvas& canvas_;
  int columns_, rows_, walked_ = 0;
  double group_alpha_ = 1;
  std::vector<uint32_t> dots_, halves_, hues_;
};

}  // namespace

void paint(const Canvas& canvas, Screen& screen, int column, int row, bool colors) {
  Dots(canvas).show(screen, column, row, colors);
}

}  // namespace covec::plot
