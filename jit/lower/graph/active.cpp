#include "jit/lower/graph/active.hpp"

#include "jit/lower/graph/not_staged.hpp"
#include "stdlib/autodiff/sweep.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

ActiveWalk::ActiveWalk(ops::Builder& builder, GraphWriter& writer, ConditionalValues& conditional_values,
                       uint64_t memory)
    : builder_(builder),
      writer_(writer),
      conditional_values_(conditional_values),
      scope_(builder.context(), TraceKind::tape),
      tape_(builder.pool()) {
  scope_.open().tape = &tape_;
  tape_.bound_memory(memory);
}

Value ActiveWalk::input(Value symbol, uint32_t number) {
  if (number > inputs_.size()) inputs_.push_back({tape_.add_input(), logical_type(symbol)});
  return autodiff::make_tape(scope_.level(), std::move(symbol), inputs_[number - 1].number);
}

uint32_t ActiveWalk::node_of(const Value& leaf) {
  if (writer_.is_boxed(leaf)) not_staged("a result whose type is known only at run time");
  if (!autodiff::is_traced_at(leaf, scope_.level())) return 0;
  uint32_t number = 0;
  const uint32_t node = leaf.traced().node;
  for (const std::vector<Node>* nodes : {&inputs_, &results_}) {
    for (const Node& known : *nodes) {
      ++number;
      if (known.number == node) return number;
    }
  }
  results_.push_back({node, logical_type(leaf)});
  return number + 1;
}

void ActiveWalk::pause(const Value& given, std::vector<Value>& cotangents) {
  Operation operation;
  operation.kind = Kind::pause;
  operation.args = {given};
  const auto cotangent = [&](const Node& node) { return writer_.result_of(operation, node.type); };
  const auto conditional = [&](const Node& node) {
    const Value is_defined = writer_.result_of(operation, Type{Dtype::boolean, {}});
    cotangents[node.number] = conditional_values_.hold({cotangent(node), is_defined});
  };
  if (results_.size() == 1) {
    cotangents[results_[0].number] = cotangent(results_[0]);
  } else {
    for (const Node& node : results_) conditional(node);
  }
  for (const Node& node : inputs_) conditional(node);
  writer_.append(std::move(operation));
}

// Adds: whether there is a cotangent, and it.
void ActiveWalk::add_swept(std::vector<Value>& sums, const std::vector<Value>& cotangents, const Node& node) {
  const Value& cotangent = cotangents[node.number];
  const ConditionalValue* const conditional = conditional_values_.find(cotangent);
  const Value certain = cotangent.is_unbound() ? Value() : cotangent;
  sums.push_back(conditional != nullptr ? conditional->is_defined : Value(!certain.is_none()));
  sums.push_back(conditional != nullptr ? conditional->value : certain);
}

ActiveNodes ActiveWalk::finish(const Value& result) {
  ActiveNodes active;
  active.result = autodiff::map_deep(
      result, [&](const Value& leaf) { return autodiff::make_tape(scope_.level(), Value(), node_of(leaf)); });
  active.inputs = static_cast<uint32_t>(inputs_.size());
  active.results = static_cast<uint32_t>(results_.size());
  const Value given = autodiff::strip(result, scope_.level());
  scope_.close();
  std::vector<Value> cotangents(tape_.nodes() + 1);
  pause(given, cotangents);
  autodiff::sweep(builder_, tape_, cotangents, autodiff::SweepOptions{.consume = true});
  std::vector<Value> sums;
  for (const Node& node : inputs_) add_swept(sums, cotangents, node);
  writer_.graph().body.results = {make_tuple(std::move(sums))};
  return active;
}

}  // namespace covec::ir
