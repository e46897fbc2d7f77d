// Writes PNG: 8 bits a channel, with or without transparency. Figures do not go through libpng, which pictures do
// (images/png.cpp): all threads compress bands of a figure, where libpng has one stream on one thread. An SVG file with
// a picture inside is written where only zlib is installed.
#pragma once

#include "stdlib/files/file.hpp"

namespace covec::files {

struct Pixels {
  const uint32_t* data;  // bytes R, G, B, A; not premultiplied
  int columns, rows;
  bool transparent;  // else the last byte of each is left out
};

// The same pixels give the same bytes, however many threads compress them.
void write_png(Sink& to, ops::Context& context, const Pixels& pixels);

}  // namespace covec::files
