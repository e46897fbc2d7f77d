// Opens libraries at run time where they are installed; they are never linked.
#pragma once

#include <dlfcn.h>

#include <span>
#include <string>
#include <vector>

namespace covec::device {

// The first that opens: each name as the loader finds it, then in each folder. It stays loaded: drivers keep threads of
// their own. Nullptr: none.
void* open_library(std::span<const char* const> names, const std::vector<std::string>& folders);
// Where toolkits of CUDA are kept: what COVEC_CUDA, CUDA_HOME and CUDA_PATH say, where the environment counts, then the
// usual places.
std::vector<std::string> cuda_folders(bool use_environment);

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace covec::device
