// Estimates sizes for explain: what the extents and counts of a graph were at the call that its code was made for. It
// also says what they come from: a number, or an axis of an argument. Start at FirstCall.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>

#include "jit/ir/first_values.hpp"
#include "jit/passes/analysis/evaluate.hpp"

namespace covec::jit {

class FirstCall {
 public:
  FirstCall(const ir::Graph& graph, std::span<const ir::FirstValue> values);

  // Nothing where only a run can tell.
  std::optional<int64_t> extent(Dim dim) const;
  std::optional<int64_t> elements(const Shape& shape) const;
  std::optional<Value> number(const Value& value) const;

  // What decides about a size: of these the code does not know what they are.
  struct Origins {
    std::set<std::pair<ir::Id, uint32_t>> axes;  // of parameters
    std::set<ir::Id> numbers;                    // parameters
    bool others = false;                         // something that is computed
  };
  void find_origins(Dim dim, Origins& origins) const;

 private:
  static constexpr unsigned max_depth = 32;  // steps from a size to what it comes from
  // What gives a value: an operation; or the value that a loop begins with.
  struct Maker {
    const ir::Operation* operation = nullptr;
    Value first = {};
  };
  void find_makers(const ir::Region& region);
  std::optional<int64_t> extent(Dim dim, unsigned depth) const;
  std::optional<int64_t> extent_of(const Value& value, unsigned axis, unsigned depth) const;
  std::optional<Value> number(const Value& value, unsigned depth) const;
  void find_origins(Dim dim, Origins& origins, unsigned depth) const;
  void find_origins(const Value& value, Origins& origins, unsigned depth) const;

  const ir::Graph& graph_;
  std::unordered_map<ir::Id, const ir::FirstValue*> values_;
  std::unordered_map<ir::Id, Maker> makers_;
  mutable passes::Evaluator evaluator_;
};

}  // namespace covec::jit
