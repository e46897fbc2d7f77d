#include "stdlib/device/library.hpp"

#include "stdlib/gate/system.hpp"

namespace covec::device {

gate::Library open_library(std::span<const char* const> names, const std::vector<std::string>& folders) {
  std::vector<std::string> paths(names.begin(), names.end());
  for (const std::string& folder : folders) {
    for (const char* name : names) paths.push_back(folder + "/" + name);
  }
  return gate::Library(paths);
}

std::vector<std::string> cuda_folders(bool use_environment) {
  std::vector<std::string> folders;
  for (const char* variable : {"COVEC_CUDA", "CUDA_HOME", "CUDA_PATH"}) {
    const char* folder = use_environment ? gate::environment(variable) : nullptr;
    if (folder == nullptr || *folder == '\0') continue;
    for (const char* part : {"/lib64", "/lib", ""}) folders.push_back(folder + std::string(part));
  }
  folders.insert(folders.end(),
                 {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/opt/cuda/lib64"});
  return folders;
}

}  // namespace covec::device
