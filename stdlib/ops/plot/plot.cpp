// C++ functions behind the module `plot`: they check a figure, write it to a file, and draw it as text. A figure is a
// plain value; stdlib/plot reads and draws it.
#include <algorithm>

#include "stdlib/canvas/cairo.hpp"
#include "stdlib/canvas/svg.hpp"
#include "stdlib/files/atomic.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/plot/page.hpp"
#include "stdlib/plot/read.hpp"
#include "stdlib/plot/terminal.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// A figure without what derivatives have wrapped around its numbers.
Value plain(const Call& call, const std::string& function) {
  const Value& figure = call.args[0];
  return map_leaves(figure, [&](const Value& leaf) {
    const Value* at = &leaf;
    for (; at->is_traced(); at = &at->traced().primal) {
      if (at->traced().trace == TraceKind::batch) fail(message("shared_examples"), {"plot." + function});
    }
    return *at;
  });
}

// What `plot.save`, `plot.svg`, `plot.text` and `plot.show` draw.
plot::Figure figure_argument(const Call& call, const std::string& function) {
  const Value figure = plain(call, function);
  if (!plot::is_figure(figure))
    fail(message("plot_argument"),
         {function, "figure", "a figure from plot.line or a similar function", describe(figure)});
  return plot::read_figure(figure);
}

Value check(Builder&, Call& call) {
  if (!call.args[1].is(ObjectKind::string)) fail_attribute(call, 1, "the name of a function of `plot`");
  const std::string& function = call.args[1].string().text;
  plot::read_figure(plain(call, function), function);
  return std::move(call.args[0]);
}

[[noreturn]] void refuse(const Call& call, unsigned operand, const std::string& function, std::string must_be) {
  const Value& value = call.args[operand];
  const std::string got = value.is_scalar() && value.tag() != Tag::boolean
                              ? plot::number_text(number_argument(call, operand), 6)
                              : describe(value);
  fail(message("plot_argument"), {function, std::string(operand_name(call, operand)), std::move(must_be), got});
}

// Pixels that a computer's memory, and a PNG, can hold.
double scale_argument(const Call& call, unsigned operand) {
  const bool number = call.args[operand].is_scalar();
  const double scale = number ? number_argument(call, operand) : 0;
  if (!(scale >= 0.1 && scale <= 20)) refuse(call, operand, "save", "a number from 0.1 to 20");
  return scale;
}

// The figure on a page.
plot::Canvas page_of(Builder& builder, const Call& call, const char* function, bool is_vector, double scale) {
  plot::Figure figure = figure_argument(call, function);
  return plot::draw_page(figure, plot::page_options(is_vector, scale, builder.context()));
}

Value save(Builder& builder, Call& call) {
  if (!call.args[1].is(ObjectKind::string)) refuse(call, 1, "save", "a path in a string");
  const std::string& path = call.args[1].string().text;
  const bool svg = path.ends_with(".svg");
  if (!svg && !path.ends_with(".png")) fail(message("plot_format"), {files::shown(path)});
  const plot::Canvas canvas = page_of(builder, call, "save", svg, scale_argument(call, 2));
  files::AtomicFile file(path, builder.context());
  svg ? plot::write_svg(file, builder.context(), canvas) : plot::write_png(file, builder.context(), canvas);
  file.commit();
  return Value();
}

Value svg(Builder& builder, Call& call) {
  files::TextSink sink;
  plot::write_svg(sink, builder.context(), page_of(builder, call, "svg", true, plot::usual_scale));
  return make_string(std::move(sink.text));
}

int cells_argument(const Call& call, unsigned operand, const std::string& function, int otherwise, int least) {
  if (call.args[operand].is_none()) return otherwise;
  const int64_t cells = is_integer(call.args[operand]) ? integer_of(call.args[operand]) : 0;
  if (cells < least || cells > 1000)
    refuse(call, operand, function, "an integer from " + std::to_string(least) + " to 1000");
  return static_cast<int>(cells);
}

Value text(Builder& builder, Call& call) {
  const Value& caller = call.args[4];
  if (!caller.is_none() && !caller.is(ObjectKind::string))
    fail_attribute(call, 4, "the name of a function of `plot`, or none");
  const std::string function = caller.is_none() ? "text" : caller.string().text;
  const Screen screen = builder.context().output != nullptr ? builder.context().output->screen() : Screen{};
  plot::TextOptions options = plot::options_for(screen);
  options.columns = cells_argument(call, 1, function, options.columns, 20);
  options.rows = cells_argument(call, 2, function, options.rows, 8);
  if (!call.args[3].is_none()) {
    if (call.args[3].tag() != Tag::boolean) refuse(call, 3, function, "true or false");
    options.colors = call.args[3].boolean();
  }
  options.context = &builder.context();
  plot::Figure figure = figure_argument(call, function);
  return make_string(plot::draw_text(figure, options));
}

const Entry& plot_check_entry() {
  static const Entry entry{
      .name = "plot_check",
      .doc =
          "The figure that it is given, after looking for what cannot be drawn: what `plot.line` and its kin call.\n\n"
          "An error names the function of the module `plot`, which is given, and its argument.",
      .parameters = {any_parameter("figure"), attribute("function")},
      .eager = check,
      .derivative = Derivative::none("looks at a figure"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(import plot
f = plot.line([0.0, 1.0, 4.0])
print(same(plot_check(f, "line"), f))  # expect: true)",
  };
  return entry;
}

const Entry& plot_save_entry() {
  static const Entry entry{
      .name = "plot_save",
      .doc =
          "Writes a figure to a file: `.svg`, or `.png` with `scale` pixels per unit. `plot.save` calls it.\n\n"
          "PNG needs Cairo (`libcairo2`), which is loaded when the first is written. The file is replaced as a whole, "
          "or "
          "stays as it was when anything goes wrong.",
      .parameters = {any_parameter("figure"), attribute("path"), attribute("scale", Value(plot::usual_scale))},
      .eager = save,
      .derivative = Derivative::none("writes a file"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(import plot
plot_save(plot.line([0.0, 1.0, 4.0]), "squares.svg")
print(read_text("squares.svg")[:4])  # expect: <svg)",
  };
  return entry;
}

const Entry& plot_svg_entry() {
  static const Entry entry{
      .name = "plot_svg",
      .doc = "A figure as SVG, in a string. `plot.svg` calls it.\n\nIt is what `plot_save` writes to a file.",
      .parameters = {any_parameter("figure")},
      .eager = svg,
      .derivative = Derivative::none("gives a string"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(import plot
print(plot_svg(plot.line([0.0, 1.0, 4.0]))[:4])  # expect: <svg)",
  };
  return entry;
}

const Entry& plot_text_entry() {
  static const Entry entry{
      .name = "plot_text",
      .doc =
          "A figure as text, in Braille dots and blocks. `plot.text` and `plot.show` call it.\n\n"
          "`width` and `height` count characters, `color=true` adds escapes for 24-bit colours; what is none suits the "
          "terminal, or is 80, 24 and without colours where there is none. An error names the function of the module "
          "`plot`, which is given.",
      .parameters = {any_parameter("figure"), attribute("width", Value()), attribute("height", Value()),
                     attribute("color", Value()), attribute("function", Value())},
      .eager = text,
      .derivative = Derivative::none("gives a string"),
      .effects = {.may_fail = true, .outside = true, .shared = true},
      .example = R"(import plot
print(plot_text(plot.line([0.0, 1.0, 4.0]), width=40, height=8).split("\n")[0])  # expect: …)",
  };
  return entry;
}

}  // namespace

Family plot_family() {
  static const Entry* const entries[] = {&plot_check_entry(), &plot_save_entry(), &plot_svg_entry(),
                                         &plot_text_entry()};
  return entries;
}

}  // namespace covec::ops
