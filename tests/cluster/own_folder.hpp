// A folder of the test's own, in which it works: what programs write there is gone with it, and tests that run side by
// side write no file of each other.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace covec::testing {

class OwnFolder {
 public:
  OwnFolder() : before_(std::filesystem::current_path()) {
    std::string name = (std::filesystem::temp_directory_path() / "covec-cluster-XXXXXX").string();
    path_ = mkdtemp(name.data());
    std::filesystem::current_path(path_);
  }
  ~OwnFolder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

 private:
  const std::filesystem::path before_;
  std::filesystem::path path_;
};

}  // namespace covec::testing
