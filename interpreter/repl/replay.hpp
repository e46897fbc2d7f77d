// What the program saw of the world while the first engine ran a statement, noted and shown to the others: each reading
// of a clock, line of input and file, in order. A file stays as it was read, whatever is written over it since: files
// are only ever replaced, and the descriptor keeps the old one. What the others write is compared with what the first
// one wrote, and goes nowhere. Random numbers are no part of this: the order in which they are drawn is the program's,
// and is compared.
#pragma once

#include <string>
#include <vector>

#include "stdlib/value/context.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/world.hpp"

namespace covec {

class Sights {
 public:
  Sights() = default;
  ~Sights() { clear(); }
  Sights(const Sights&) = delete;
  Sights& operator=(const Sights&) = delete;
  struct Sight {
    std::string of;       // "the clock", "the file data.npy"
    std::string bytes;    // what was seen
    int descriptor = -1;  // of a file
    int error = 0;        // why there is none
  };
  void add(Sight sight) { all_.push_back(std::move(sight)); }
  const std::vector<Sight>& all() const { return all_; }
  void clear();

 private:
  std::vector<Sight> all_;
};

// The first engine's.
class Witness : public ops::World {
 public:
  explicit Witness(Sights& sights) : sights_(sights) {}
  std::string seen(const std::string& what, FunctionRef<std::string()> look) override;
  int opened(const std::string& path, FunctionRef<int()> open) override;
  bool replaced(const std::string& path, const std::string& written) override;

 private:
  Sights& sights_;
};

// Another engine's.
class Replay : public ops::World {
 public:
  explicit Replay(const Sights& sights) : sights_(sights) {}
  void begin() {
    next_ = 0;
    difference_.clear();
  }
  std::string end();  // where it looked elsewhere, or wrote something else; "" if it did not
  std::string seen(const std::string& what, FunctionRef<std::string()> look) override;
  int opened(const std::string& path, FunctionRef<int()> open) override;
  bool replaced(const std::string& path, const std::string& written) override;

 private:
  const Sights::Sight* next(const std::string& of);
  void note(const std::string& difference);

  const Sights& sights_;
  size_t next_ = 0;
  std::string difference_;
};

// Lines of input, as part of what is seen.
class InputSeen : public ops::Input {
 public:
  InputSeen(ops::World& world, ops::Input& lines) : world_(world), lines_(lines) {}
  bool read_line(std::string& line, const std::atomic<bool>* interrupt) override;

 private:
  ops::World& world_;
  ops::Input& lines_;
};

}  // namespace covec
