// The gate: everything that leaves a session goes through it. A program asks for files, modules, the clock, libraries;
// the host decides. The open gate passes everything, for programs that are trusted. A limited gate
// (stdlib/gate/limited.hpp) passes what the host has named. It refuses the rest with one sentence before it asks the
// system. `covec verify` wraps a gate, records what the first engine saw, and shows the same to the others. A test
// finds calls such as open() elsewhere (tests/structure). Start at Gate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/gate/descriptor.hpp"
#include "stdlib/gate/folder.hpp"

namespace covec::ops {

enum class Use : uint8_t { clock, sleep, input, devices, libraries, imports, ranks };
std::string_view words_of(Use use);  // "read the clock"
enum class Clock : uint8_t { wall, steady };

class Gate {
 public:
  virtual ~Gate() = default;

  virtual bool allows(Use use) const = 0;
  // OpError(not_permitted) where it is not allowed.
  void require(Use use) const;

  // A file that is to be read, by the name that the program gives it. Not open: errno says why. OpError where it lies
  // outside of what may be read.
  virtual gate::Descriptor open_to_read(const std::string& path) = 0;
  // Where a file is to be written: its folder, and its name there. The folder is not open: errno says why. OpError
  // where it lies outside of what may be written.
  struct WriteTarget {
    gate::Folder folder;
    std::string name;
  };
  virtual WriteTarget write_target(const std::string& path) = 0;
  // The file is complete, under the name `written` in its folder. True: it may take its place.
  virtual bool may_replace(const std::string&, const gate::Folder&, const std::string&) { return true; }
  // The folder that relative paths begin in; "" where a message must not tell.
  virtual std::string working_folder() const = 0;

  // A module's file: what tells it from others, nullopt where there is none or it may not be read.
  virtual std::optional<std::string> module_key(const std::string& path) = 0;
  virtual gate::Descriptor open_module(const std::string& path) = 0;
  virtual std::vector<std::string> names_in(const std::string& folder) = 0;

  virtual double now(Clock clock) = 0;  // in seconds

  // Whether the environment's COVEC_… variables choose engines and folders; one of them, or nullptr.
  virtual bool uses_environment() const = 0;
  const char* variable(const char* name) const;
};

// A host that gives the texts of modules itself.
class Resolver {
 public:
  virtual ~Resolver() = default;
  virtual bool resolve(const std::string& name, std::string& text) = 0;  // false: there is no such module
};

// The one through which everything passes; `environment`: variables too.
Gate& open_gate(bool environment);
// The one through which nothing does.
Gate& closed_gate();

}  // namespace covec::ops
