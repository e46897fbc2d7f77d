// Paints a canvas as pixels with Cairo, whose library is loaded at the first use. If the library is missing, an OpError
// says what to install.
#pragma once

#include "stdlib/canvas/canvas.hpp"
#include "stdlib/files/file.hpp"

namespace covec::plot {

void write_png(files::Sink& to, ops::Context& context, const Canvas& canvas);

}  // namespace covec::plot
