// Reads and writes pictures in files: PNG by libpng and JPEG by libjpeg. The libraries are loaded at the first picture,
// so starting Covec is not slower. In memory a picture is f32[rows, columns, channels] with numbers from 0 to 1.
// Channels are grey; grey and opacity; red, green, blue; or these and opacity. Numbers are those of the file: its
// gamma, colour profile and camera orientation are ignored.
#pragma once

#include <span>

#include "stdlib/files/file.hpp"
#include "stdlib/value/value.hpp"

namespace covec::images {

// What a format's library reads and writes.
struct Size {
  int64_t rows, columns;
  int channels;
};

enum class Format : uint8_t { png, jpeg, unknown };
Format format_of_bytes(std::span<const std::byte> start);  // by the file's first bytes

// The picture of a file. What is damaged, cut off or of another format is an error, and so is a part of it.
Value read_picture(const files::File& file);

// Rows of numbers from 0 to 1 with those of a picture in the order of memory.
struct Picture {
  const float* data;
  Size size;
};
void write_png(files::Sink& to, const std::string& path, ops::Context& context, const Picture& picture, int depth);
void write_jpeg(files::Sink& to, const std::string& path, ops::Context& context, const Picture& picture, int quality);

// Each of the formats' own part of read_picture.
Value read_png(const files::File& file, std::span<const std::byte> bytes);
Value read_jpeg(const files::File& file, std::span<const std::byte> bytes);

}  // namespace covec::images
