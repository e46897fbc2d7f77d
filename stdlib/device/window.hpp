// Windows: addresses on the host for elements that lie on a device. They get memory when the elements are fetched.
#pragma once

#include <cstddef>

namespace covec::device {

std::byte* reserve_window(size_t bytes);  // nullptr: there are no addresses
void release_window(std::byte* window, size_t bytes);
bool open_window(std::byte* window, size_t bytes);   // false: there is no memory
void close_window(std::byte* window, size_t bytes);  // its memory goes back

}  // namespace covec::device
