// Finds the values that hold no −0, because they began as zeros and only grow by sums, as gradients do. Adding a zero
// of either sign changes no bit of these: x + y is −0 only if x and y are.
#pragma once

#include <set>
#include <vector>

#include "jit/ir/graph.hpp"

namespace covec::passes {

class SumsOfZeros {
 public:
  explicit SumsOfZeros(const ir::Graph& graph);
  bool contains(ir::Id id) const { return found_.contains(id); }

 private:
  // A value is one if all of these are, or `any` of them.
  struct Rule {
    ir::Id value = 0;
    std::vector<Value> from;
    bool any = false;
  };
  void add_rules(const ir::Region& region);
  void add_rule(const ir::Operation& operation);
  void add_rules_of_regions(const ir::Operation& operation);
  bool holds(const Value& value) const;
  bool holds(const Rule& rule) const;

  std::vector<Rule> rules_;
  std::set<ir::Id> found_;
};

}  // namespace covec::passes
