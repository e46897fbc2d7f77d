// A page loads no libraries.
#include "stdlib/gate/gate.hpp"
#include "stdlib/gate/library.hpp"
#include "stdlib/images/images.hpp"

namespace covec::images {

namespace {

std::string lacks_libjpeg() { return "JPEG needs libjpeg: " + gate::Library("libjpeg").missing(); }

}  // namespace

Value read_jpeg(const files::File& file, std::span<const std::byte>) {
  file.context().gate->require(ops::Use::libraries);
  files::fail_to_read(file.path(), lacks_libjpeg());
}

void write_jpeg(files::Sink&, const std::string& path, ops::Context& context, const Picture&, int) {
  context.gate->require(ops::Use::libraries);
  files::fail_to_write(path, lacks_libjpeg());
}

}  // namespace covec::images
