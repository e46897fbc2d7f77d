// A gate for programs that are not trusted: it passes what its Permissions name, and nothing else. Folders are opened
// when they are named, and stay the same folders if others take their names later. A program's path is normalized to
// the form /a/b/c by its text alone and compared with the folders' names. A path outside all of them is refused in one
// sentence before the system is asked, so a program cannot learn what exists there. Inside a folder,
// Folder::open_beneath keeps the path in it. Start at LimitedGate.
#pragma once

#include "stdlib/gate/gate.hpp"

namespace covec::ops {

struct Permissions {
  std::vector<std::string> read, write;  // folders
  bool clock = false, sleep = false, input = false, devices = false, libraries = false;
  bool imports = false;      // of files in folders that may be read
  bool ranks = false;        // communication with them
  bool environment = false;  // the COVEC_… variables choose engines
};

class LimitedGate final : public Gate {
 public:
  // std::system_error where a folder cannot be opened. by_kernel: see Folder::open_beneath.
  explicit LimitedGate(const Permissions& permissions, bool by_kernel = true);

  bool allows(Use use) const override;
  gate::Descriptor open_to_read(const std::string& path) override;
  // A link of the file's name is replaced, not followed.
  WriteTarget write_target(const std::string& path) override;
  std::string working_folder() const override { return {}; }
  std::optional<std::string> module_key(const std::string& path) override;
  gate::Descriptor open_module(const std::string& path) override;
  std::vector<std::string> names_in(const std::string&) override { return {}; }
  double now(Clock clock) override;
  bool uses_environment() const override { return environment_; }

 private:
  using Path = std::vector<std::string>;  // the parts of an absolute one, without "." and ".."
  struct Root {
    Path name;
    gate::Folder folder;
  };
  struct Inside {
    const Root* root;
    std::string path;  // from there on
  };
  Path absolute(const std::string& path) const;
  std::vector<Root> open_roots(const std::vector<std::string>& folders) const;
  static std::optional<Inside> find(const std::vector<Root>& roots, const Path& path);
  gate::Descriptor open_inside(const Inside& inside, int flags) const;

  const std::string working_folder_;  // when the gate was made
  const bool by_kernel_;
  const std::vector<Root> read_, write_;
  const uint32_t uses_;
  const bool environment_;
};

}  // namespace covec::ops
