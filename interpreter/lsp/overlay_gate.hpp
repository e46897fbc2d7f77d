// The gate of the server's session: modules are the texts that are open in the editor, where they are, else files. It
// notes what was looked at, so that a change of it is noticed.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "stdlib/gate/gate.hpp"

namespace covec::lsp {

class OverlayGate : public ops::Gate {
 public:
  // A text that is open, by the path of its file; it stays where it is until it is closed.
  void open(const std::string& path, const std::string& text) { texts_[path] = {&text, ++changes_}; }
  void close(const std::string& path) { texts_.erase(path); }
  const std::string* find(const std::string& path) const;

  // Paths that were looked at, each with what tells its state from another.
  using Seen = std::map<std::string, std::string>;
  void forget_seen() { seen_.clear(); }
  const Seen& seen() const { return seen_; }
  bool is_as(const Seen& seen) const;

  bool allows(ops::Use use) const override { return use == ops::Use::imports; }
  gate::Descriptor open_to_read(const std::string& path) override { return inner_.open_to_read(path); }
  WriteTarget write_target(const std::string& path) override { return inner_.write_target(path); }
  std::string working_folder() const override { return inner_.working_folder(); }
  std::optional<std::string> module_key(const std::string& path) override;
  gate::Descriptor open_module(const std::string& path) override;
  std::vector<std::string> names_in(const std::string& folder) override { return inner_.names_in(folder); }
  double now(ops::Clock clock) override { return inner_.now(clock); }
  bool uses_environment() const override { return inner_.uses_environment(); }

 private:
  struct Text {
    const std::string* text;
    unsigned long version;
  };
  std::string state_of(const std::string& path) const;

  ops::Gate& inner_ = ops::open_gate(true);
  std::unordered_map<std::string, Text> texts_;
  unsigned long changes_ = 0;
  Seen seen_;
};

// A file in memory that is read from its beginning; it is not open where there is no memory.
gate::Descriptor in_memory(const std::string& text);

// The path without links and dots, also where there is no such file.
std::string canonical_path(const std::string& path);

}  // namespace covec::lsp
