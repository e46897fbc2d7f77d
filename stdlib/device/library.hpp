// Where the libraries of devices are looked for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stdlib/gate/library.hpp"

namespace covec::device {

// The first that opens: each name as the loader finds it, then in each folder.
gate::Library open_library(std::span<const char* const> names, const std::vector<std::string>& folders);
// Where toolkits of CUDA are kept: what COVEC_CUDA, CUDA_HOME and CUDA_PATH say, where the environment counts, then the
// usual places.
std::vector<std::string> cuda_folders(bool use_environment);

}  // namespace covec::device
