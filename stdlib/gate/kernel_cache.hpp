// Caches compiled kernels on disk in $COVEC_CACHE, $XDG_CACHE_HOME/covec or ~/.cache/covec. Each image has a file,
// named by a hash of everything that the image depends on. The file also contains these inputs, so a hash collision
// never gives a wrong image. A file is written whole and renamed, so processes may share the folder. A cache that
// cannot be read or written is ignored. Tests keep the libraries of the C99 oracle in the same way, in a folder of
// their own (c_library.cpp).
#pragma once

#include <string>

namespace covec::gate {

// 16 digits that tell texts apart.
std::string digest_of(const std::string& text);
// In a folder; "": there is no cache. The kernel is "" where it is not there.
std::string cached_kernel(const std::string& folder, const std::string& key, const std::string& text);
void cache_kernel(const std::string& folder, const std::string& key, const std::string& text, const std::string& image);
// Removes what is there: how many files.
size_t clear_kernel_cache();
// "" where the environment names no place.
std::string kernel_cache_folder();
// "" where COVEC_CACHE names none.
std::string named_kernel_cache_folder();

}  // namespace covec::gate
