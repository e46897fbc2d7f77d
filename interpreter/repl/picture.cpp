#include "interpreter/repl/picture.hpp"

#include <algorithm>

#include "stdlib/plot/read.hpp"
#include "stdlib/plot/table.hpp"
#include "stdlib/plot/terminal.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

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

}  // namespace covec
