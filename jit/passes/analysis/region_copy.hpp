// Copies a region's operations; the copy has values and dimensions of its own.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/passes/analysis/evaluate.hpp"

namespace covec::passes {

class RegionCopy {
 public:
  // `current` tells what stands for a value by now. With an evaluator, what is computed of known numbers is a number.
  explicit RegionCopy(ir::Graph& graph, std::function<Value(const Value&)> current = nullptr,
                      Evaluator* evaluator = nullptr)
      : graph_(graph), current_(std::move(current)), evaluator_(evaluator) {}

  // In the copy another value stands for this one.
  void set(ir::Id id, Value value) { now_[id] = std::move(value); }
  void copy(const ir::Region& body, std::vector<ir::Operation>& to) {
    for (const ir::Operation& operation : body.operations) copy(operation, to);
  }
  void copy(const ir::Operation& operation, std::vector<ir::Operation>& to);
  Value value(const Value& of);
  // Another value of which the same is known: from now on it stands for that one.
  ir::Id define(ir::Id of);

 private:
  Value now(const Value& symbol) const;
  void copy_inside(ir::Region& region);
  std::optional<Value> constant(const ir::Operation& operation);
  Dim dim(Dim of);
  Dim renew(Dim of);

  ir::Graph& graph_;
  const std::function<Value(const Value&)> current_;
  Evaluator* evaluator_;
  std::unordered_map<ir::Id, Value> now_;
  std::unordered_map<uint32_t, Dim> dims_;
};

}  // namespace covec::passes
