// There are no devices here.
#include "stdlib/device/window.hpp"

namespace covec::device {

std::byte* reserve_window(size_t) { return nullptr; }
void release_window(std::byte*, size_t) {}
bool open_window(std::byte*, size_t) { return false; }
void close_window(std::byte*, size_t) {}

}  // namespace covec::device
