// Allocations: which places of a program took memory, and how much of it was held when the session held most. It is
// told of each block and charge. The trade-off: it keeps an entry for each block that is held. Start at taken().
#pragma once

#include <unordered_map>
#include <vector>

#include "interpreter/profile/paths.hpp"
#include "interpreter/profile/samples.hpp"
#include "stdlib/value/memory.hpp"

namespace covec::profile {

// Bytes, but for `blocks`.
struct Bytes {
  uint64_t at_peak = 0;
  uint64_t allocated = 0;  // ever
  uint64_t blocks = 0;     // allocated
  Bytes& operator+=(const Bytes& more) {
    at_peak += more.at_peak;
    allocated += more.allocated;
    blocks += more.blocks;
    return *this;
  }
};

class Allocations final : public MemoryWatch {
 public:
  Allocations(const Paths& paths, Memory& memory);
  ~Allocations() { stop(); }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;
  void stop();
  void taken(const void* what, uint64_t bytes) noexcept override;
  void changed(const void* what, uint64_t from, uint64_t to) noexcept override;
  void given_back(const void* what, uint64_t bytes) noexcept override;

  // After stop().
  struct Path {
    std::vector<Step> steps;  // innermost first; none: outside of the program's statements
    Bytes bytes;
  };
  std::vector<Path> paths() const;
  uint64_t peak() const { return peak_; }
  uint64_t lost() const { return lost_; }  // bytes for which there was no memory

 private:
  struct Holder {
    Bytes bytes;
    uint64_t held = 0;
    bool has_changed = false;  // since the last peak was noted
  };
  struct Portion {
    uint32_t holder = 0;
    uint64_t bytes = 0;
  };
  static constexpr uint32_t outside = 0;  // holds what was there before, and what no statement takes
  uint32_t holder_now();
  void add(const void* what, uint64_t bytes, bool is_new) noexcept;
  void take_away(const void* what, uint64_t bytes) noexcept;
  void hold(uint32_t holder, uint64_t more);
  void note_peak();

  const Paths& paths_;
  Memory& memory_;
  bool watches_ = true;
  Samples samples_;  // its numbers of paths are those of holders
  std::vector<Holder> holders_{1};
  std::vector<uint32_t> changed_;  // holders
  // A block has several where it has grown in other places.
  std::unordered_multimap<const void*, Portion> portions_;
  uint64_t held_ = 0, peak_ = 0, lost_ = 0;
  bool is_peak_ = false;  // now is the peak, and that is not noted
};

}  // namespace covec::profile
