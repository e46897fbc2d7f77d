// A page loads no libraries.
#include "stdlib/gate/gate.hpp"
#include "stdlib/gate/library.hpp"
#include "stdlib/images/images.hpp"

namespace covec::images {

namespace {

std::string lacks_libpng() { return "PNG needs libpng: " + gate::Library("libpng").missing(); }

}  // namespace

Value read_png(const files::File& file, std::span<const std::byte>) {
  file.context().gate->require(ops::Use::libraries);
  files::fail_to_read(file.path(), lacks_libpng());
}

void write_png(files::Sink&, const std::string& path, ops::Context& context, const Picture&, int) {
  context.gate->require(ops::Use::libraries);
  files::fail_to_write(path, lacks_libpng());
}

}  // namespace covec::images
