#include <cstring>

#include "stdlib/images/images.hpp"
#include "stdlib/tensor/scratch.hpp"

namespace covec::images {

Format format_of_bytes(std::span<const std::byte> start) {
  const auto begins = [&](std::string_view mark) {
    return start.size() >= mark.size() && std::memcmp(start.data(), mark.data(), mark.size()) == 0;
  };
  if (begins("\x89PNG\r\n\x1a\n")) return Format::png;
  return begins("\xff\xd8\xff") ? Format::jpeg : Format::unknown;
}

Value read_picture(const files::File& file) {
  const Scratch memory(file.pool(), file.size());
  file.read(0, memory.as<std::byte>(), file.size());
  const std::span<const std::byte> bytes(memory.as<std::byte>(), static_cast<size_t>(file.size()));
  switch (format_of_bytes(bytes)) {
    case Format::png: return read_png(file, bytes);
    case Format::jpeg: return read_jpeg(file, bytes);
    case Format::unknown: break;
  }
  files::fail_to_read(file.path(), "it is neither PNG nor JPEG");
}

}  // namespace covec::images
