// Compiled kernels on disk: $COVEC_CACHE, $XDG_CACHE_HOME/covec or ~/.cache/covec. A file an image, named by a hash of
// all that the image depends on, and holding that, so that a file of another text is never taken; written whole and
// renamed, so that processes may share the folder. A cache that cannot be read or written is none.
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
