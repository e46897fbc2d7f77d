// Caches compiled kernels on disk in $COVEC_CACHE, $XDG_CACHE_HOME/covec or ~/.cache/covec. Each image has a file,
// named by a hash of everything that the image depends on. The file also contains these inputs, so a hash collision
// never gives a wrong image. A file is written whole and renamed, so processes may share the folder. A cache that
// cannot be read or written is ignored.
#pragma once

#include <string>

namespace covec::gate {

// In a folder; "": there is no cache. The kernel is "" where it is not there.
std::string cached_kernel(const std::string& folder, const std::string& key, const std::string& text);
void cache_kernel(const std::string& folder, const std::string& key, const std::string& text, const std::string& image);
// Removes what is there: how many files.
size_t clear_kernel_cache();
// "" where the environment names no place.
std::string kernel_cache_folder();

}  // namespace covec::gate
