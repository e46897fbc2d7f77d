// A canvas as SVG: texts stay texts, pictures are PNG within.
#pragma once

#include "stdlib/files/file.hpp"
#include "stdlib/plot/canvas.hpp"

namespace covec::plot {

void write_svg(files::Sink& to, ops::Context& context, const Canvas& canvas);

}  // namespace covec::plot
