// Sets of inputs as numbers. 0 is the empty set, 1 … inputs() stand for one input each, and every later number is a
// node of a graph: the union of two sets. So a union takes constant time and 16 bytes, whatever the sets hold, and
// rows() finds the members of the sets that are wanted in the end. Of a set that is reached on many paths (the steps of
// a time loop) a walk would see far more nodes than members: such a node becomes flat, a list of its members. Start at
// unite().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stdlib/value/context.hpp"
#include "stdlib/value/memory.hpp"

namespace covec::sparse {

using Set = uint32_t;

class UnionDag {
 public:
  UnionDag(const ops::Context& context, Set inputs);
  Set inputs() const { return inputs_; }
  // The set of all members of both.
  Set unite(Set a, Set b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    if (a == last_.a && b == last_.b) return last_.result;
    if (has_part(a, b)) return a;
    if (has_part(b, a)) return b;
    last_ = {a, b, make(a, b)};
    return last_.result;
  }

  // Appends the inputs that each set holds, from 0 on, rising, to those of the rows before. `ends` gets the place
  // behind each row. False where there are more than `most` in all.
  bool list(std::span<const int64_t> sets, size_t most, std::vector<Set>& inputs, int64_t* ends);

 private:
  // Inputs `first` to `last`.
  struct Run {
    Set first, last;
  };
  // The union of two sets; or flat: `right` runs in flat_, from `left` on.
  struct Node {
    Set left, right;
    uint32_t reach;  // no walk meets more nodes and runs
    uint32_t runs;   // of the set, when it was walked last; flat_mark: it is flat
  };
  static constexpr uint32_t flat_mark = UINT32_MAX;
  struct Last {
    Set a = 0, b = 0, result = 0;
  };
  const Node& node(Set set) const { return nodes_[set - inputs_ - 1]; }
  bool has_part(Set whole, Set part) const {
    if (whole <= inputs_) return false;
    const Node& at = node(whole);
    return at.runs != flat_mark && (at.left == part || at.right == part);
  }
  uint32_t reach_of(Set set) const { return set <= inputs_ ? 1 : node(set).reach; }
  uint32_t runs_of(Set set) const;
  Set make(Set a, Set b);
  void look_at(Set set);
  size_t walk(Set set);
  void visit(Set set) {
    if (stamps_[set] == stamp_) return;
    stamps_[set] = stamp_;
    waiting_.push_back(set);
  }
  void meet(Set input);
  void join_runs();
  void make_stamps(size_t least);
  void charge(size_t rows = 0);

  const ops::Context& context_;
  const Set inputs_;
  std::vector<Node> nodes_;
  std::vector<Run> flat_;
  Last last_;
  // A walk marks the nodes that it has visited with its number.
  std::vector<uint32_t> stamps_;
  uint32_t stamp_ = 0;
  std::vector<Set> waiting_;
  std::vector<Run> runs_;  // of the set that was walked last
  MemoryCharge charge_{0};
};

}  // namespace covec::sparse
