// What a value looks like: its text and, where it has such forms, HTML, SVG and PNG. The prompt, notebooks and hosts
// show values by display_of; plot.show and table.show hand theirs to ops::Output::display.
#pragma once

#include <optional>
#include <string>

#include "stdlib/value/context.hpp"

namespace covec::display {

// Of a notebook, for texts: a figure has the 24 lines that plot.text writes where there is no terminal.
inline constexpr ops::Screen notebook{80, 26};

struct Options {
  ops::Screen screen = {};  // the text is for it; of 0 columns: figures and tables are records, as print writes them
  bool all_tables = false;  // a record of vectors is a table, too, as table.show has it; else one with texts or dates
  bool text = true, html = false, svg = false, png = false;  // the forms that are made, if the value has them
};

struct Display {
  std::string text;                 // without a line end
  std::optional<std::string> html;  // a table for a page, without scripts and colours
  std::optional<std::string> svg;   // a figure as a document
  std::optional<std::string> png;   // a figure as the bytes of a file; none where Cairo is missing
};

// Throws OpError: interrupted, or there is no memory for it.
Display display_of(const Value& value, ops::Context& context, const Options& options);

}  // namespace covec::display
