// Loads Cairo's functions by name from libcairo.so.2. The command is not linked with Cairo, starts without it, and
// needs it only for PNG. Enumerations are numbers of its ABI.
#include "stdlib/canvas/cairo.hpp"

#include <cmath>
#include <memory>
#include <numbers>

#include "stdlib/files/png.hpp"
#include "stdlib/gate/gate.hpp"
#include "stdlib/gate/library.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::plot {

namespace {

struct cairo_t;
struct cairo_surface_t;
struct cairo_pattern_t;
struct cairo_font_options_t;

struct Extents {
  double x_bearing, y_bearing, width, height, x_advance, y_advance;
};

struct Library {
  cairo_surface_t* (*image_surface_create_for_data)(unsigned char*, int, int, int, int);
  int (*surface_status)(cairo_surface_t*);
  void (*surface_flush)(cairo_surface_t*);
  void (*surface_destroy)(cairo_surface_t*);
  cairo_t* (*create)(cairo_surface_t*);
  int (*status)(cairo_t*);
  const char* (*status_to_string)(int);
  void (*destroy)(cairo_t*);
  void (*save)(cairo_t*);
  void (*restore)(cairo_t*);
  void (*scale)(cairo_t*, double, double);
  void (*translate)(cairo_t*, double, double);
  void (*rotate)(cairo_t*, double);
  void (*set_source_rgba)(cairo_t*, double, double, double, double);
  void (*set_source_surface)(cairo_t*, cairo_surface_t*, double, double);
  cairo_pattern_t* (*get_source)(cairo_t*);
  void (*pattern_set_filter)(cairo_pattern_t*, int);
  void (*new_path)(cairo_t*);
  void (*move_to)(cairo_t*, double, double);
  void (*line_to)(cairo_t*, double, double);
  void (*close_path)(cairo_t*);
  void (*arc)(cairo_t*, double, double, double, double, double);
  void (*rectangle)(cairo_t*, double, double, double, double);
  void (*clip)(cairo_t*);
  void (*fill)(cairo_t*);
  void (*fill_preserve)(cairo_t*);
  void (*stroke)(cairo_t*);
  void (*paint)(cairo_t*);
  void (*push_group)(cairo_t*);
  void (*pop_group_to_source)(cairo_t*);
  void (*paint_with_alpha)(cairo_t*, double);
  void (*set_line_width)(cairo_t*, double);
  void (*set_line_join)(cairo_t*, int);
  void (*set_line_cap)(cairo_t*, int);
  void (*set_dash)(cairo_t*, const double*, int, double);
  void (*select_font_face)(cairo_t*, const char*, int, int);
  void (*set_font_size)(cairo_t*, double);
  void (*text_extents)(cairo_t*, const char*, Extents*);
  void (*show_text)(cairo_t*, const char*);
  cairo_font_options_t* (*font_options_create)();
  void (*font_options_set_hint_style)(cairo_font_options_t*, int);
  void (*font_options_set_hint_metrics)(cairo_font_options_t*, int);
  void (*font_options_set_antialias)(cairo_font_options_t*, int);
  void (*set_font_options)(cairo_t*, const cairo_font_options_t*);
  void (*font_options_destroy)(cairo_font_options_t*);
  std::string missing;  // why it cannot be used
};

// Enumerators of cairo.h: formats, filters, line joins and caps, hints, antialiasing.
constexpr int argb32 = 0, filter_nearest = 3, round_join = 1, butt_cap = 0, round_cap = 1, hint_none = 1, gray = 2;

Library load() {
  Library c{};
  gate::Library library("libcairo.so.2");
#define COVEC_FIND(name) library.find("cairo_" #name, c.name)
  COVEC_FIND(image_surface_create_for_data);
  COVEC_FIND(surface_status);
  COVEC_FIND(surface_flush);
  COVEC_FIND(surface_destroy);
  COVEC_FIND(create);
  COVEC_FIND(status);
  COVEC_FIND(status_to_string);
  COVEC_FIND(destroy);
  COVEC_FIND(save);
  COVEC_FIND(restore);
  COVEC_FIND(scale);
  COVEC_FIND(translate);
  COVEC_FIND(rotate);
  COVEC_FIND(set_source_rgba);
  COVEC_FIND(set_source_surface);
  COVEC_FIND(get_source);
  COVEC_FIND(pattern_set_filter);
  COVEC_FIND(new_path);
  COVEC_FIND(move_to);
  COVEC_FIND(line_to);
  COVEC_FIND(close_path);
  COVEC_FIND(arc);
  COVEC_FIND(rectangle);
  COVEC_FIND(clip);
  COVEC_FIND(fill);
  COVEC_FIND(fill_preserve);
  COVEC_FIND(stroke);
  COVEC_FIND(paint);
  COVEC_FIND(push_group);
  COVEC_FIND(pop_group_to_source);
  COVEC_FIND(paint_with_alpha);
  COVEC_FIND(set_line_width);
  COVEC_FIND(set_line_join);
  COVEC_FIND(set_line_cap);
  COVEC_FIND(set_dash);
  COVEC_FIND(select_font_face);
  COVEC_FIND(set_font_size);
  COVEC_FIND(text_extents);
  COVEC_FIND(show_text);
  COVEC_FIND(font_options_create);
  COVEC_FIND(font_options_set_hint_style);
  COVEC_FIND(font_options_set_hint_metrics);
  COVEC_FIND(font_options_set_antialias);
  COVEC_FIND(set_font_options);
  COVEC_FIND(font_options_destroy);
#undef COVEC_FIND
  c.missing = library.missing();
  return c;
}

const Library& cairo() {
  static const Library library = load();
  if (!library.missing.empty())
    fail(message("plot_cairo"), {library.missing}, {},
         "install Cairo (Debian: libcairo2 fonts-dejavu-core); a name that ends in .svg needs none");
  return library;
}

// Cairo's pixels are premultiplied, with blue first.
uint32_t premultiplied(uint32_t pixel) {
  const uint32_t alpha = pixel >> 24;
  const auto part = [&](int shift) { return ((pixel >> shift & 255) * alpha + 127) / 255; };
  return alpha << 24 | part(0) << 16 | part(8) << 8 | part(16);
}

class Painter {
 public:
  Painter(const Library& library, const Canvas& canvas, int columns, int rows)
      : c_(library), canvas_(canvas), pixels_(static_cast<size_t>(columns) * static_cast<size_t>(rows)) {
    surface_.reset(c_.image_surface_create_for_data(reinterpret_cast<unsigned char*>(pixels_.data()), argb32, columns,
                                                    rows, 4 * columns));
    context_.reset(c_.create(surface_.get()));
    cr_ = context_.get();
    cairo_font_options_t* options = c_.font_options_create();
    c_.font_options_set_hint_style(options, hint_none);
    c_.font_options_set_hint_metrics(options, 1);
    c_.font_options_set_antialias(options, gray);
    c_.set_font_options(cr_, options);
    c_.font_options_destroy(options);
    c_.scale(cr_, canvas.scale, canvas.scale);
    c_.set_line_join(cr_, round_join);
  }

  // Bytes R, G, B, A.
  std::vector<uint32_t> paint() {
    ink(canvas_.background);
    c_.paint(cr_);
    for (const Item& item : canvas_.items) {
      canvas_.look();
      std::visit([this](const auto& one) { put(one); }, item);
    }
    c_.surface_flush(surface_.get());
    const int status = c_.status(cr_);
    if (status != 0) fail(message("plot_cairo"), {c_.status_to_string(status)});
    for (uint32_t& pixel : pixels_) pixel = (pixel & 0xff00ff00) | (pixel >> 16 & 255) | (pixel & 255) << 16;
    return std::move(pixels_);
  }

 private:
  struct Release {
    const Library* library;
    void operator()(cairo_surface_t* s) const { library->surface_destroy(s); }
    void operator()(cairo_t* c) const { library->destroy(c); }
  };

  void ink(Color c) {
    c_.set_source_rgba(cr_, static_cast<double>(c.red), static_cast<double>(c.green), static_cast<double>(c.blue),
                       static_cast<double>(c.alpha));
  }

  class Clipped {
   public:
    Clipped(Painter& painter, int clip) : painter_(painter) {
      painter.c_.save(painter.cr_);
      if (clip < 0) return;
      const Box& box = painter.canvas_.clips[static_cast<size_t>(clip)];
      painter.c_.new_path(painter.cr_);
      painter.c_.rectangle(painter.cr_, box.left, box.top, box.width(), box.height());
      painter.c_.clip(painter.cr_);
    }
    Clipped(const Clipped&) = delete;
    Clipped& operator=(const Clipped&) = delete;
    ~Clipped() { painter_.c_.restore(painter_.cr_); }

   private:
    Painter& painter_;
  };

  void use(const Stroke& s) {
    ink(s.color);
    c_.set_line_width(cr_, s.width);
    std::vector<double> dashes = dashes_of(s.dash);
    for (double& d : dashes) d *= s.width;
    c_.set_dash(cr_, dashes.data(), static_cast<int>(dashes.size()), 0);
    c_.set_line_cap(cr_, dashes.empty() ? butt_cap : round_cap);
  }

  void put(const Path& path) {
    if (path.points.empty()) return;
    const Clipped clipped(*this, path.clip);
    c_.new_path(cr_);
    for (size_t part = 0; part < path.starts.size(); ++part) {
      const size_t from = path.starts[part];
      for (size_t i = from; i < path.end_of(part); ++i) {
        const Point p = path.points[i];
        if (i == from)
          c_.move_to(cr_, p.x, p.y);
        else
          c_.line_to(cr_, p.x, p.y);
      }
      if (path.closed) c_.close_path(cr_);
    }
    if (path.fill.visible()) {
      ink(path.fill);
      c_.fill_preserve(cr_);
    }
    if (path.stroke.visible()) {
      use(path.stroke);
      c_.stroke(cr_);
    }
  }

  void put(const Markers& markers) {
    const Clipped clipped(*this, markers.clip);
    const std::vector<std::vector<Point>> outline = outline_of(markers.shape);
    for (size_t i = 0; i < markers.at.size(); ++i) {
      if (i % 4096 == 0) canvas_.look();
      const Point p = markers.at[i];
      const double size = markers.size(i);
      c_.new_path(cr_);
      if (outline.empty()) c_.arc(cr_, p.x, p.y, size / 2, 0, 2 * std::numbers::pi);
      for (const std::vector<Point>& part : outline) {
        for (size_t k = 0; k < part.size(); ++k)
          (k == 0 ? c_.move_to : c_.line_to)(cr_, p.x + size * part[k].x, p.y + size * part[k].y);
        if (!is_open(markers.shape)) c_.close_path(cr_);
      }
      if (is_open(markers.shape)) {
        use({markers.fill(i), open_marker_width});
        c_.set_line_cap(cr_, round_cap);
        c_.stroke(cr_);
        continue;
      }
      ink(markers.fill(i));
      c_.fill_preserve(cr_);
      if (!markers.edge.visible()) continue;
      use(markers.edge);
      c_.stroke(cr_);
    }
  }

  void put(const Text& text) {
    const Clipped clipped(*this, -1);
    c_.select_font_face(cr_, "DejaVu Sans", 0, text.bold ? 1 : 0);
    c_.set_font_size(cr_, text.size);
    Extents extents{};
    if (text.anchor != Anchor::start) c_.text_extents(cr_, text.text.c_str(), &extents);
    c_.translate(cr_, text.at.x, text.at.y);
    c_.rotate(cr_, text.turn * std::numbers::pi / 180);
    const double back = text.anchor == Anchor::start    ? 0
                        : text.anchor == Anchor::middle ? extents.x_advance / 2
                                                        : extents.x_advance;
    c_.move_to(cr_, -back, 0);
    ink(text.color);
    c_.show_text(cr_, text.text.c_str());
  }

  void put(const TransparencyGroup& transparency) {
    if (transparency.begins) {
      group_alphas_.push_back(transparency.alpha);
      return c_.push_group(cr_);
    }
    c_.pop_group_to_source(cr_);
    c_.paint_with_alpha(cr_, group_alphas_.back());
    group_alphas_.pop_back();
  }

  void put(const Picture& picture) {
    if (picture.pixels.empty()) return;
    const Clipped clipped(*this, picture.clip);
    std::vector<uint32_t> pixels(picture.pixels.size());
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = premultiplied(picture.pixels[i]);
    const std::unique_ptr<cairo_surface_t, Release> image(
        c_.image_surface_create_for_data(reinterpret_cast<unsigned char*>(pixels.data()), argb32, picture.columns,
                                         picture.rows, 4 * picture.columns),
        Release{&c_});
    c_.translate(cr_, picture.box.left, picture.box.top);
    c_.scale(cr_, picture.box.width() / picture.columns, picture.box.height() / picture.rows);
    c_.set_source_surface(cr_, image.get(), 0, 0);
    c_.pattern_set_filter(c_.get_source(cr_), filter_nearest);
    c_.new_path(cr_);
    // No further than the picture: a nearest pixel beyond its edge would be transparent.
    c_.rectangle(cr_, 0, 0, picture.columns, picture.rows);
    c_.fill(cr_);
  }

  const Library& c_;
  const Canvas& canvas_;
  std::vector<uint32_t> pixels_;
  std::unique_ptr<cairo_surface_t, Release> surface_{nullptr, Release{&c_}};
  std::unique_ptr<cairo_t, Release> context_{nullptr, Release{&c_}};
  cairo_t* cr_ = nullptr;
  std::vector<double> group_alphas_;  // that are open
};

}  // namespace

void write_png(files::Sink& to, ops::Context& context, const Canvas& canvas) {
  const int columns = static_cast<int>(std::lround(canvas.width * canvas.scale)),
            rows = static_cast<int>(std::lround(canvas.height * canvas.scale));
  context.gate->require(ops::Use::libraries);
  const std::vector<uint32_t> pixels = Painter(cairo(), canvas, columns, rows).paint();
  files::write_png(to, context, {pixels.data(), columns, rows, false});
}

}  // namespace covec::plot
