// Appends operations for an iteration. A new operation gets the source place of the operation that it is made for.
#pragma once

#include <utility>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/passes/analysis/index_sums.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"

namespace covec::passes {

class OperationWriter {
 public:
  OperationWriter(ir::Graph& graph, uint32_t place) : graph_(graph), place_(place) {}
  Value apply(std::vector<ir::Operation>& to, const ops::Entry& entry, std::vector<Value> args, const Type& type,
              std::vector<Value> rest = {}) const {
    ir::Operation operation;
    operation.entry = &entry;
    operation.args = std::move(args);
    operation.rest = std::move(rest);
    operation.place = place_;
    operation.results = {graph_.add(type)};
    Value result = graph_.symbol(operation.results[0]);
    to.push_back(std::move(operation));
    return result;
  }
  Value number(std::vector<ir::Operation>& to, const ops::Entry& entry, std::vector<Value> args) const {
    return apply(to, entry, std::move(args), Type{Dtype::i64, {}});
  }
  Value truth(std::vector<ir::Operation>& to, const ops::Entry& entry, std::vector<Value> args) const {
    return apply(to, entry, std::move(args), Type{Dtype::boolean, {}});
  }
  Value read(std::vector<ir::Operation>& to, const Value& tensor, const std::vector<Value>& index) const {
    return apply(to, ops::handles().index_read, {tensor, spec(index)}, Type{ir::type_in(graph_, tensor).dtype, {}},
                 index);
  }
  Value update(std::vector<ir::Operation>& to, const Value& tensor, Value number,
               const std::vector<Value>& index) const {
    return change(to, ops::handles().index_update, tensor, std::move(number), index);
  }
  // index_update or index_add of one element.
  Value change(std::vector<ir::Operation>& to, const ops::Entry& entry, const Value& tensor, Value number,
               const std::vector<Value>& index) const {
    return apply(to, entry, {tensor, std::move(number), spec(index)}, ir::type_in(graph_, tensor), index);
  }
  Value sum(std::vector<ir::Operation>& to, const IndexSum& sum) const { return write_sum(graph_, sum, place_, to); }
  Value extent(std::vector<ir::Operation>& to, const Value& tensor, size_t axis) const {
    const Dim known = ir::type_in(graph_, tensor).shape[static_cast<unsigned>(axis)];
    if (known.known()) return Value(known.number());
    ir::Operation operation;
    operation.kind = ir::Kind::dimension;
    operation.args = {tensor};
    operation.number = static_cast<int64_t>(axis);
    operation.place = place_;
    operation.results = {graph_.add(Type{Dtype::i64, {}})};
    to.push_back(operation);
    return graph_.symbol(operation.results[0]);
  }

 private:
  static Value spec(const std::vector<Value>& index) {
    ops::IndexSpec items;
    for (size_t i = 0; i < index.size(); ++i) items.push(ops::IndexSpec::Item::at);
    return Value(items.packed());
  }

  ir::Graph& graph_;
  const uint32_t place_;
};

}  // namespace covec::passes
