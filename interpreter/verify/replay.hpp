// Records what the program saw of the outside world while the first engine ran a statement, and replays it for the
// others. That is each reading of a clock, line of input and file, in order. A file stays as it was read, even if it is
// overwritten later: files are only ever replaced, and the descriptor keeps the old one. The output of the other
// engines is compared with the first one's, and goes nowhere. Random numbers are not recorded: the program determines
// the order in which they are drawn, and it is compared.
#pragma once

#include <string>
#include <vector>

#include "stdlib/gate/gate.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

class Recording {
 public:
  struct Recorded {
    std::string of;         // "the clock", "the file data.npy"
    std::string bytes;      // what was seen
    gate::Descriptor file;  // or
    int error = 0;          // why there is none
  };
  void add(Recorded recorded) { all_.push_back(std::move(recorded)); }
  const std::vector<Recorded>& all() const { return all_; }
  void clear() { all_.clear(); }

 private:
  std::vector<Recorded> all_;
};

// A session's gate, watched.
class WatchedGate : public ops::Gate {
 public:
  bool allows(ops::Use use) const override { return inner_.allows(use); }
  WriteTarget write_target(const std::string& path) override { return inner_.write_target(path); }
  std::string working_folder() const override { return inner_.working_folder(); }
  std::optional<std::string> module_key(const std::string& path) override { return inner_.module_key(path); }
  gate::Descriptor open_module(const std::string& path) override { return inner_.open_module(path); }
  std::vector<std::string> names_in(const std::string& folder) override { return inner_.names_in(folder); }
  double now(ops::Clock clock) override;
  bool uses_environment() const override { return inner_.uses_environment(); }

  // What `look` gives, or gave to the first who saw it. `what` says in a word or two what is looked at: "the clock".
  virtual std::string seen(const std::string& what, FunctionRef<std::string()> look) = 0;

 protected:
  ops::Gate& inner() const { return inner_; }

 private:
  ops::Gate& inner_ = ops::open_gate(true);
};

// The first engine's.
class GateRecorder : public WatchedGate {
 public:
  explicit GateRecorder(Recording& recording) : recording_(recording) {}
  std::string seen(const std::string& what, FunctionRef<std::string()> look) override;
  gate::Descriptor open_to_read(const std::string& path) override;
  bool may_replace(const std::string& path, const gate::Folder& folder, const std::string& written) override;

 private:
  Recording& recording_;
};

// Another engine's.
class Replay : public WatchedGate {
 public:
  explicit Replay(const Recording& recording) : recording_(recording) {}
  void begin() {
    next_ = 0;
    difference_.clear();
  }
  std::string end();  // where it looked elsewhere, or wrote something else; "" if it did not
  std::string seen(const std::string& what, FunctionRef<std::string()> look) override;
  gate::Descriptor open_to_read(const std::string& path) override;
  bool may_replace(const std::string& path, const gate::Folder& folder, const std::string& written) override;

 private:
  const Recording::Recorded* next(const std::string& of);
  void note(const std::string& difference);

  const Recording& recording_;
  size_t next_ = 0;
  std::string difference_;
};

// Lines of input, as part of what is seen.
class InputSeen : public ops::Input {
 public:
  InputSeen(WatchedGate& gate, ops::Input& lines) : gate_(gate), lines_(lines) {}
  bool read_line(std::string& line, const std::atomic<bool>* interrupt) override;

 private:
  WatchedGate& gate_;
  ops::Input& lines_;
};

}  // namespace covec
