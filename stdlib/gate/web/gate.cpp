// The gate of a page: files lie in memory, and there is no environment.
#include "stdlib/gate/gate.hpp"

#include <cerrno>

#include "stdlib/gate/system.hpp"
#include "stdlib/gate/web/files.hpp"
#include "stdlib/value/context.hpp"

namespace covec::gate {

Descriptor open_to_read(const std::string& path, int) { return open_at(path); }

const char* environment(const char*) { return nullptr; }

}  // namespace covec::gate

namespace covec::ops {

namespace {

class WebGate final : public Gate {
 public:
  bool allows(Use) const override { return true; }
  gate::Descriptor open_to_read(const std::string& path) override { return gate::open_at(path); }
  WriteTarget write_target(const std::string& path) override {
    const std::string folder = gate::folder_of(path), name = path.substr(folder.size());
    if (path.empty()) {
      errno = ENOENT;
      return {};
    }
    return {gate::Folder::at(folder), name.empty() ? "." : name};
  }
  std::string working_folder() const override { return "/"; }

  std::optional<std::string> module_key(const std::string& path) override {
    if (gate::file_at(path) == nullptr) return std::nullopt;
    return gate::whole_path(path);
  }
  gate::Descriptor open_module(const std::string& path) override { return gate::open_at(path); }
  std::vector<std::string> names_in(const std::string& folder) override { return gate::names_in(folder); }

  double now(Clock clock) override { return gate::seconds_of(clock); }
  bool uses_environment() const override { return false; }
};

}  // namespace

Gate& open_gate(bool) {
  static WebGate gate;
  return gate;
}

}  // namespace covec::ops
