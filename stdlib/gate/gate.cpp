#include "stdlib/gate/gate.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "stdlib/gate/system.hpp"
#include "stdlib/value/context.hpp"

namespace covec::gate {

Descriptor open_to_read(const std::string& path, int flags) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
}

const char* environment(const char* name) { return std::getenv(name); }

}  // namespace covec::gate

namespace covec::ops {

namespace fs = std::filesystem;

namespace {

// Where a chain of links ends; there need be nothing. nullopt: it has no end (errno).
std::optional<std::string> end_of_links(const std::string& path) {
  constexpr int max_links = 40;  // one after the other; Linux's MAXSYMLINKS (path_resolution(7))
  std::string at = path;
  for (int i = 0; i < max_links; ++i) {
    char next[PATH_MAX];
    const ssize_t length = readlink(at.c_str(), next, sizeof next);
    if (length < 0) return at;
    const std::string link(next, static_cast<size_t>(length));
    at = link.starts_with('/') ? link : gate::folder_of(at) + link;
  }
  errno = ELOOP;
  return std::nullopt;
}

class OpenGate final : public Gate {
 public:
  explicit OpenGate(bool environment) : environment_(environment) {}
  bool allows(Use) const override { return true; }
  gate::Descriptor open_to_read(const std::string& path) override { return gate::open_to_read(path, O_NONBLOCK); }
  // A link is followed: its target is replaced.
  WriteTarget write_target(const std::string& path) override {
    const std::optional<std::string> target = end_of_links(path);
    if (!target || target->empty()) return {};  // of an empty name readlink has said why
    const std::string folder = gate::folder_of(*target);
    const std::string name = target->substr(folder.size());
    return {gate::Folder::at(folder), name.empty() ? "." : name};
  }
  std::string working_folder() const override {
    char folder[PATH_MAX];
    return getcwd(folder, sizeof folder) != nullptr ? folder : "";
  }

  std::optional<std::string> module_key(const std::string& path) override {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    const fs::path canonical = fs::canonical(path, error);
    return error ? path : canonical.string();
  }
  gate::Descriptor open_module(const std::string& path) override { return gate::open_to_read(path, 0); }
  std::vector<std::string> names_in(const std::string& folder) override {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator item(folder.empty() ? "." : folder, error);
    for (; !error && item != fs::directory_iterator(); item.increment(error))
      names.push_back(item->path().filename().string());
    return names;
  }

  double now(Clock clock) override { return gate::seconds_of(clock); }
  bool uses_environment() const override { return environment_; }

 private:
  const bool environment_;
};

}  // namespace

Gate& open_gate(bool environment) {
  static OpenGate with(true), without(false);
  return environment ? with : without;
}

}  // namespace covec::ops
