// Values that become numbers all together or not at all (ScalarChoice). A union-find structure joins the candidates;
// gains and costs are added up at each set's leader. Start at choose().
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "jit/ir/graph.hpp"

namespace covec::passes {

class ScalarSets {
 public:
  struct Node {
    ir::Id leader = 0;
    bool candidate = false;
    bool chosen = false;
    bool pointwise = false;
    const ir::Region* kernel = nullptr;   // where a kernel reads it, which others that do so become part of
    bool conditional = false;             // no value on some path, where it is not a candidate
    const ir::Operation* loop = nullptr;  // the innermost one around where it is made
    double gain = 0, instructions = 0;    // of a leader: all that hang together
  };

  explicit ScalarSets(size_t values) : nodes_(values) {
    for (ir::Id id = 0; id < nodes_.size(); ++id) nodes_[id].leader = id;
  }
  Node& operator[](ir::Id id) { return nodes_[id]; }
  const Node& operator[](ir::Id id) const { return nodes_[id]; }
  bool chosen(ir::Id id) const { return id < nodes_.size() && nodes_[id].chosen; }

  // Candidates that are one thing; `others` may be tensors from elsewhere.
  void join(const std::vector<ir::Id>& own, const std::vector<Value>& others);
  void add(ir::Id id, double gain, double instructions = 0) { gains_.push_back({id, gain, instructions}); }
  // Elements of `value` are read for `id`: where that may have none, `id` stays a tensor.
  void read(ir::Id id, ir::Id value);
  // All candidates are known from here on.
  void link_joined();
  void link(ir::Id a, ir::Id b);
  void choose();

 private:
  struct Gain {
    ir::Id id;
    double gain, instructions;
  };
  ir::Id leader_of(ir::Id id);

  std::vector<Node> nodes_;
  std::vector<std::pair<ir::Id, ir::Id>> joined_;
  std::vector<Gain> gains_;
};

}  // namespace covec::passes
