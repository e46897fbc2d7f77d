#include "stdlib/canvas/svg.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "stdlib/files/png.hpp"

namespace covec::plot {

namespace {

// Two digits after the point: a hundredth of a unit is seen by nobody.
void append(std::string& to, double v) {
  const double rounded = std::round(v * 100) / 100;
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded == 0 ? 0.0 : rounded,
                                 std::chars_format::fixed, 2);
  std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  while (text.ends_with('0')) text.remove_suffix(1);
  if (text.ends_with('.')) text.remove_suffix(1);
  to += text;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n':
      case '\t': out += c; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    const size_t whole = std::min<size_t>(3, bytes.size() - i) + 1;
    for (size_t k = 0; k < 4; ++k) out += k < whole ? digits[(group >> (18 - 6 * k)) & 63] : '=';
  }
  return out;
}

namespace {

class Writer {
 public:
  Writer(files::Sink& to, ops::Context& context, const Canvas& canvas) : to_(to), context_(context), canvas_(canvas) {}

  void write() {
    open();
    std::set<std::string> clips;
    for (const Box& clip : canvas_.clips) {
      if (!clips.insert(name_of(clip)).second) continue;
      text_ += "<clipPath id=\"" + name_of(clip) + "\"><rect";
      rectangle(clip);
      text_ += "/></clipPath>\n";
    }
    for (const Item& item : canvas_.items) {
      std::visit([this](const auto& one) { put(one); }, item);
      if (text_.size() > (1u << 16)) flush();
    }
    close_group();
    text_ += "</svg>\n";
    flush();
  }

 private:
  void flush() {
    canvas_.look();
    to_.write(text_);
    text_.clear();
  }
  void attribute(std::string_view name, double v) {
    text_ += ' ';
    text_ += name;
    text_ += "=\"";
    append(text_, v);
    text_ += '"';
  }
  void rectangle(const Box& box) {
    attribute("x", box.left), attribute("y", box.top), attribute("width", box.width()),
        attribute("height", box.height());
  }
  void paint(std::string_view name, Color c) {
    std::array<char, 8> hex{};
    const uint32_t p = packed(c);
    std::snprintf(hex.data(), hex.size(), "#%02x%02x%02x", p & 255, p >> 8 & 255, p >> 16 & 255);
    text_ += " " + std::string(name) + "=\"" + (c.visible() ? hex.data() : "none") + "\"";
    if (c.visible() && c.alpha < 1) attribute(std::string(name) + "-opacity", static_cast<double>(c.alpha));
  }
  void stroke(const Stroke& s) {
    if (!s.visible()) return;
    paint("stroke", s.color);
    attribute("stroke-width", s.width);
    const std::vector<double> dashes = dashes_of(s.dash);
    if (dashes.empty()) return;
    text_ += " stroke-dasharray=\"";
    for (size_t i = 0; i < dashes.size(); ++i) {
      if (i > 0) text_ += ' ';
      append(text_, dashes[i] * s.width);
    }
    text_ += '"';
  }

  void open() {
    text_ += "<svg xmlns=\"http://www.w3.org/2000/svg\"";
    attribute("width", canvas_.width), attribute("height", canvas_.height);
    text_ += " viewBox=\"0 0 ";
    append(text_, canvas_.width);
    text_ += ' ';
    append(text_, canvas_.height);
    text_ += "\" font-family=\"DejaVu Sans, Verdana, sans-serif\" stroke-linejoin=\"round\">\n<rect";
    attribute("width", canvas_.width), attribute("height", canvas_.height);
    paint("fill", canvas_.background);
    text_ += "/>\n";
  }

  // It tells the rectangle: of several figures in one page, what has the same name clips in the same way.
  static std::string name_of(const Box& clip) {
    std::string name = "clip";
    for (const double number : {clip.left, clip.top, clip.width(), clip.height()}) {
      name += '_';
      append(name, number);
    }
    return name;
  }

  // Items with one clip after another share a group.
  void enter(int clip) {
    if (clip == clip_) return;
    close_group();
    clip_ = clip;
    if (clip >= 0) text_ += "<g clip-path=\"url(#" + name_of(canvas_.clips[static_cast<size_t>(clip)]) + ")\">\n";
  }
  void close_group() {
    if (clip_ >= 0) text_ += "</g>\n";
    clip_ = -1;
  }

  void put(const Path& path) {
    if (path.points.empty()) return;
    enter(path.clip);
    text_ += "<path d=\"";
    for (size_t part = 0; part < path.starts.size(); ++part) {
      for (size_t i = path.starts[part]; i < path.end_of(part); ++i) {
        text_ += i == path.starts[part] ? 'M' : i == path.starts[part] + 1 ? 'L' : ' ';
        append(text_, path.points[i].x);
        text_ += ' ';
        append(text_, path.points[i].y);
      }
      if (path.closed) text_ += 'Z';
    }
    text_ += '"';
    paint("fill", path.fill);
    stroke(path.stroke);
    if (path.stroke.visible() && path.stroke.dash != Dash::solid) text_ += " stroke-linecap=\"round\"";
    text_ += "/>\n";
  }

  void put(const Markers& markers) {
    enter(markers.clip);
    const std::vector<std::vector<Point>> outline = outline_of(markers.shape);
    const bool one_color = markers.fills.size() == 1;
    text_ += "<g";
    if (one_color) ink(markers, 0);
    if (!is_open(markers.shape)) stroke(markers.edge);
    text_ += ">\n";
    for (size_t i = 0; i < markers.at.size(); ++i) {
      if (text_.size() > (1u << 16)) flush();
      if (outline.empty()) {
        text_ += "<circle";
        attribute("cx", markers.at[i].x), attribute("cy", markers.at[i].y), attribute("r", markers.size(i) / 2);
      } else {
        shape(outline, markers.at[i], markers.size(i), !is_open(markers.shape));
      }
      if (!one_color) ink(markers, i);
      text_ += "/>\n";
    }
    text_ += "</g>\n";
  }
  void ink(const Markers& markers, size_t i) {
    if (!is_open(markers.shape)) return paint("fill", markers.fill(i));
    text_ += " fill=\"none\" stroke-linecap=\"round\"";
    stroke({markers.fill(i), open_marker_width});
  }
  void shape(const std::vector<std::vector<Point>>& outline, Point at, double size, bool closed) {
    text_ += "<path d=\"";
    for (const std::vector<Point>& part : outline) {
      for (size_t k = 0; k < part.size(); ++k) {
        text_ += k == 0 ? 'M' : k == 1 ? 'L' : ' ';
        append(text_, at.x + size * part[k].x);
        text_ += ' ';
        append(text_, at.y + size * part[k].y);
      }
      if (closed) text_ += 'Z';
    }
    text_ += '"';
  }

  void put(const Text& text) {
    enter(-1);
    text_ += "<text";
    attribute("x", text.at.x), attribute("y", text.at.y), attribute("font-size", text.size);
    paint("fill", text.color);
    if (text.anchor != Anchor::start)
      text_ += text.anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
    if (text.bold) text_ += " font-weight=\"bold\"";
    if (text.turn != 0) {
      text_ += " transform=\"rotate(";
      append(text_, text.turn);
      text_ += ' ';
      append(text_, text.at.x);
      text_ += ' ';
      append(text_, text.at.y);
      text_ += ")\"";
    }
    text_ += ">" + xml_escaped(text.text) + "</text>\n";
  }

  // Cells that are large enough to be seen by themselves, and not too many, are rectangles: not every reader of SVG
  // keeps the edges of stretched pixels sharp.
  bool has_cells(const Picture& picture) const {
    return static_cast<size_t>(picture.columns) * static_cast<size_t>(picture.rows) <= canvas_.max_marks &&
           picture.box.width() >= picture.columns && picture.box.height() >= picture.rows;
  }

  // Those of one colour are one path; side by side they are one rectangle.
  void put_cells(const Picture& picture) {
    std::map<uint32_t, std::string> paths;
    const double wide = picture.box.width() / picture.columns, high = picture.box.height() / picture.rows;
    for (int row = 0; row < picture.rows; ++row) {
      const uint32_t* pixels = picture.pixels.data() + static_cast<ptrdiff_t>(row) * picture.columns;
      for (int first = 0, end; first < picture.columns; first = end) {
        for (end = first + 1; end < picture.columns && pixels[end] == pixels[first];) ++end;
        if (pixels[first] >> 24 == 0) continue;
        std::string& path = paths[pixels[first]];
        path += 'M';
        append(path, picture.box.left + first * wide);
        path += ' ';
        append(path, picture.box.top + row * high);
        path += 'H';
        append(path, picture.box.left + end * wide);
        path += 'V';
        append(path, picture.box.top + (row + 1) * high);
        path += 'H';
        append(path, picture.box.left + first * wide);
        path += 'Z';
      }
    }
    text_ += "<g shape-rendering=\"crispEdges\">\n";
    for (const auto& [color, path] : paths) {
      text_ += "<path d=\"" + path + "\"";
      paint("fill", unpacked(color));
      text_ += "/>\n";
    }
    text_ += "</g>\n";
  }

  void put(const Picture& picture) {
    enter(picture.clip);
    if (has_cells(picture)) return put_cells(picture);
    files::TextSink png;
    files::write_png(png, context_, {picture.pixels.data(), picture.columns, picture.rows, true});
    text_ += "<image";
    rectangle(picture.box);
    text_ +=
        " preserveAspectRatio=\"none\" style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\" "
        "href=\"data:image/png;base64," +
        base64(png.text) + "\"/>\n";
  }

  void put(const TransparencyGroup& transparency) {
    close_group();
    text_ += transparency.begins ? "<g" : "</g>\n";
    if (!transparency.begins) return;
    attribute("opacity", transparency.alpha);
    text_ += ">\n";
  }

  files::Sink& to_;
  ops::Context& context_;
  const Canvas& canvas_;
  std::string text_;
  int clip_ = -1;
};

}  // namespace

void write_svg(files::Sink& to, ops::Context& context, const Canvas& canvas) { Writer(to, context, canvas).write(); }

}  // namespace covec::plot
