#include "interpreter/repl/show_value.hpp"

#include <algorithm>
#include <iostream>
#include <optional>

#include "stdlib/plot/read.hpp"
#include "stdlib/plot/table.hpp"
#include "stdlib/plot/terminal.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/string.hpp"

namespace covec {

namespace {

// Nothing for what is neither a figure nor a table with words, or cannot be drawn, and where no terminal is there.
std::optional<std::string> picture_of(const Value& value, const ops::Screen& screen) {
  if (screen.columns == 0) return std::nullopt;
  if (plot::is_table(value) && plot::has_words(value)) {
    return plot::table_text(value, plot::usual_rows, std::max(screen.columns, 20));
  }
  if (!plot::is_figure(value)) return std::nullopt;
  try {
    plot::Figure figure = plot::read_figure(value);
    return plot::draw_text(figure, plot::options_for(screen));
  } catch (const OpError&) {
    return std::nullopt;  // a record that somebody changed: shown as one
  }
}

}  // namespace

void show_value(const Session& session, const Console& console, const Value& value) {
  if (value.is(ObjectKind::string) && value.string().text.find('\n') != std::string::npos) {
    const std::string& text = value.string().text;
    std::cout << text << (text.ends_with('\n') ? "" : "\n");
  } else if (const std::optional<std::string> picture = picture_of(value, console.screen())) {
    std::cout << *picture << '\n';
  } else {
    std::cout << session.repr_of(value) << '\n';
  }
}

}  // namespace covec
