// A canvas as pixels, painted by Cairo, whose library is loaded when the first one is. Where it is missing, that is an
// OpError that says what to install.
#pragma once

#include "stdlib/canvas/canvas.hpp"
#include "stdlib/files/file.hpp"

namespace covec::plot {

void write_png(files::Sink& to, ops::Context& context, const Canvas& canvas);

}  // namespace covec::plot
