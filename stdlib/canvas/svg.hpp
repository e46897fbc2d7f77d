// Writes a canvas as SVG. Texts stay texts; pictures are embedded as PNG.
#pragma once

#include "stdlib/canvas/canvas.hpp"
#include "stdlib/files/file.hpp"

namespace covec::plot {

void write_svg(files::Sink& to, ops::Context& context, const Canvas& canvas);

}  // namespace covec::plot
