// Writes a canvas as SVG. Texts stay texts; pictures are embedded as PNG.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/canvas/canvas.hpp"
#include "stdlib/files/file.hpp"

namespace covec::plot {

// A text without what XML may not hold as it is; control characters may not be there at all, and become blanks.
std::string xml_escaped(std::string_view text);
std::string base64(std::string_view bytes);

void write_svg(files::Sink& to, ops::Context& context, const Canvas& canvas);

}  // namespace covec::plot
