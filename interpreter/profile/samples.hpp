// Samples: where a program was, again and again, as a tree of counts. A path leads from the innermost place outwards,
// so that a sample is added without being turned round. The memory is there from the beginning: a signal handler adds
// samples. The trade-off: places are addresses and bytes of texts. Names are found at the end (profile.hpp), and until
// then nothing that they refer to may go.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace covec::profile {

// A place on a path.
struct Step {
  enum class Kind : uint8_t {
    call,       // of a function; what: core::Function, nullptr: a text; where: the byte of the file that runs
    code,       // compiled; what: the id of the code; where: the step (ops::Activity); file: where there is none, the
                // place of the graph that runs
    compiling,  // what: core::Function, or nullptr
    cut,        // calls outside of it are too many to be kept
  };
  Kind kind = Kind::call;
  uint32_t file = 0;
  uint32_t where = 0;
  const void* what = nullptr;
  bool operator==(const Step&) const = default;
};

class Samples {
 public:
  static constexpr size_t longest_path = 200;  // places of a sample
  Samples();
  // `path`: innermost first. Safe in a signal handler.
  void add(std::span<const Step> path);
  // The number of a path, without a sample of it; 0: it is empty, or there is no room.
  uint32_t number_of(std::span<const Step> path);
  std::vector<Step> steps_of(uint32_t number) const;  // innermost first
  uint64_t count() const { return count_; }
  uint64_t lost() const { return lost_; }

  struct Path {
    std::vector<Step> steps;  // innermost first
    uint64_t count = 0;
  };
  std::vector<Path> paths() const;

 private:
  struct Node {
    Step step;
    uint32_t outside = 0;  // the node that the path has come from
    uint32_t count = 0;    // of paths that end here
  };
  static constexpr uint32_t max_nodes = 1u << 18;  // 8 MB, touched as they are used
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  uint32_t child(uint32_t of, const Step& step);

  std::unique_ptr<Node[], Free> nodes_;       // 0: where all paths begin
  std::unique_ptr<uint32_t[], Free> places_;  // a hash table of nodes; 0: free
  uint32_t used_ = 1;
  uint64_t count_ = 0, lost_ = 0;
};

}  // namespace covec::profile
