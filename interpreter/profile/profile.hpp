// Profile: what has been sampled, or what memory has been taken, with names in place of addresses, for people and other
// programs. It is taken by a ProfileRun (run.hpp). Start at Profile, then table_of().
#pragma once

#include <string>
#include <vector>

#include "frontend/source/source.hpp"
#include "interpreter/profile/allocations.hpp"
#include "interpreter/profile/samples.hpp"

namespace covec::profile {

// A place that was on a stack.
struct Entry {
  Step::Kind kind = Step::Kind::call;
  std::string function;         // empty: the text of a file
  std::string part;             // of compiled code: "kernel mul add"; empty: the code itself
  std::string file;             // empty: it has no place
  std::vector<uint32_t> lines;  // one, or those of compiled code
  std::string text;             // of the only line
  bool operator==(const Entry&) const = default;
};

struct Profile {
  enum class Of : uint8_t { time, memory };
  Of of = Of::time;
  double seconds = 0;
  uint64_t samples = 0;
  uint64_t peak = 0;  // bytes, of memory
  uint64_t lost = 0;  // samples or bytes for which there was no memory
  std::vector<Entry> entries;
  struct Stack {
    std::vector<uint32_t> entries;  // outermost first
    uint64_t count = 0;             // of samples, or of bytes that are held at the peak
    Bytes bytes = {};               // of memory
  };
  std::vector<Stack> stacks;
};

// "f  train.covec:12", "f, compiled: kernel mul add  train.covec:3, 4".
std::string label_of(const Entry& entry);
// "train.covec:3, 4"; empty: it has no place.
std::string place_of(const Entry& entry);

// Shares of time, or bytes, by line, by function and by kernel, as text.
std::string table_of(const Profile& profile);
// For a browser, and for speedscope. `name`: of the program.
std::string flame_graph_of(const Profile& profile, std::string_view name);
std::string speedscope_of(const Profile& profile, std::string_view name);

}  // namespace covec::profile
