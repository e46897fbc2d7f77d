#include "stdlib/display/display.hpp"

#include <algorithm>

#include "stdlib/canvas/cairo.hpp"
#include "stdlib/canvas/svg.hpp"
#include "stdlib/display/html.hpp"
#include "stdlib/files/file.hpp"
#include "stdlib/plot/page.hpp"
#include "stdlib/plot/read.hpp"
#include "stdlib/plot/table.hpp"
#include "stdlib/plot/terminal.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::display {

namespace {

constexpr int least_columns = 20;  // characters of a table's line on a narrow terminal

class Forms {
 public:
  Forms(const Value& value, ops::Context& context, const Options& options)
      : value_(value), context_(context), options_(options) {}

  Display made() const {
    if (plot::is_figure(value_)) {
      if (std::optional<Display> figure = of_figure()) return std::move(*figure);
    }
    Display display;
    const bool is_table = is_shown_table();
    if (options_.text) display.text = is_table && options_.screen.columns > 0 ? table_text() : plain_text();
    if (options_.html) display.html = is_table ? html_of_table(value_) : html_of_tensor(value_);
    return display;
  }

 private:
  // Nothing for a record that somebody has changed so that it is no figure any more: it is shown as a record.
  std::optional<Display> of_figure() const {
    try {
      Display display;
      if (options_.text) display.text = options_.screen.columns > 0 ? figure_text() : plain_text();
      if (options_.svg) display.svg = drawn(true);
      if (options_.png) display.png = png_of_figure();
      return display;
    } catch (const OpError& error) {
      if (ends_all(error.kind)) throw;
      return std::nullopt;
    }
  }

  std::string figure_text() const {
    plot::Figure figure = plot::read_figure(value_);
    plot::TextOptions options = plot::options_for(options_.screen);
    options.context = &context_;
    return plot::draw_text(figure, options);
  }

  std::string drawn(bool is_svg) const {
    plot::Figure figure = plot::read_figure(value_);
    const plot::Canvas canvas = plot::draw_page(figure, plot::page_options(is_svg, plot::usual_scale, context_));
    files::TextSink sink;
    is_svg ? plot::write_svg(sink, context_, canvas) : plot::write_png(sink, context_, canvas);
    return std::move(sink.text);
  }

  std::optional<std::string> png_of_figure() const {
    try {
      return drawn(false);
    } catch (const OpError& error) {
      if (ends_all(error.kind)) throw;
      return std::nullopt;
    }
  }

  bool is_shown_table() const { return plot::is_table(value_) && (options_.all_tables || plot::has_words(value_)); }
  std::string table_text() const {
    return plot::table_text(value_, plot::usual_rows, std::max(options_.screen.columns, least_columns));
  }

  std::string plain_text() const {
    if (!value_.is(ObjectKind::string)) return abridged_repr_of(value_);
    const std::string& text = value_.string().text;
    if (text.find('\n') == std::string::npos) return repr_of(value_);
    return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
  }

  const Value& value_;
  ops::Context& context_;
  const Options& options_;
};

}  // namespace

Display display_of(const Value& value, ops::Context& context, const Options& options) {
  const Value* plain = &value;
  while (plain->is_traced()) plain = &plain->traced().primal;
  return Forms(*plain, context, options).made();
}

}  // namespace covec::display
