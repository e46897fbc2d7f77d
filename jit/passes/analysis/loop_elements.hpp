// Finds how a loop uses elements of tensors, for invariant_elements.cpp. It lists the elements that the loop reads and
// sets at loop-invariant indices. It also finds how the other indices of the same tensors move. Start at
// LoopElements::find.
#pragma once

#include <unordered_map>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/passes/analysis/index_sums.hpp"

namespace covec::passes {

constexpr size_t max_elements_in_registers = 6, max_steady_reads = 8;  // of a loop

class LoopElements {
 public:
  LoopElements(const ir::Graph& graph, const ir::Operation& loop)
      : graph_(graph), loop_(loop), body_(loop.regions[0]) {}
  // False: it sets none at an index that does not change.
  bool find();

  // Of a tensor that the loop carries, by its place among the carried values.
  struct Element {
    size_t tensor = 0;
    std::vector<Value> index;
    bool is_set = false;
  };
  // An index that moves by one along one axis.
  struct Moving {
    size_t tensor = 0;
    std::vector<Value> index;
    size_t axis = 0;
    IndexSum first;  // in the first iteration
    bool falls = false;
  };
  // An element of a tensor from outside, which does not change.
  struct Steady {
    Value tensor;
    std::vector<Value> index;
  };
  std::vector<Element> elements;
  std::vector<Moving> moving;
  std::vector<Steady> steady;
  std::unordered_map<const ir::Operation*, size_t> accesses, steady_reads;  // of which of them, by operation
  std::unordered_map<ir::Id, size_t> states;  // what a tensor has become: its place among the carried
  bool is_outside(const Value& value) const { return !ir::is_symbol(value) || !makers_.contains(ir::id_of(value)); }

 private:
  bool note_makers(const ir::Region& region);
  bool look(size_t k);
  bool is_state(const Value& value, size_t k) const;
  bool mentions(const Value& value, size_t k) const;
  bool mentions(const ir::Operation& operation, size_t k) const;
  bool region(const ir::Region& region, size_t k);
  bool branch(const ir::Operation& operation, size_t k);
  bool is_like_tensor(ir::Id id, size_t k) const;
  bool access(const ir::Operation& operation, size_t k);
  bool place(const ir::Operation& operation, size_t k, bool sets);
  bool moves(const ir::Operation& operation, size_t k, size_t axis);
  void find_steady(const ir::Region& region);

  const ir::Graph& graph_;
  const ir::Operation& loop_;
  const ir::Region& body_;
  Makers makers_;
  size_t operations_ = 0;
};

// Indices that are the same number, as far as is known; or written numbers, counted from the same end, that differ.
bool same_number(const Value& a, const Value& b);
bool differ_as_written(const Value& a, const Value& b);

}  // namespace covec::passes
