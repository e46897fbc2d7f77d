// Graphs made by hand, and walked eagerly.
#include <algorithm>
#include <stdexcept>

#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/jit_runtime/machine.hpp"

namespace covec::test {

using ir::id_of;
using ir::is_symbol;

GraphMaker::GraphMaker(std::string name) : graph_(std::make_shared<ir::Graph>()) {
  graph_->name = std::move(name);
  graph_->places.emplace_back();
  open_.push_back(&graph_->body);
}

Dim GraphMaker::dim() {
  graph_->dims.emplace_back();
  return Dim::symbol(static_cast<uint32_t>(graph_->dims.size() - 1));
}

Value GraphMaker::parameter(const Type& type) {
  const ir::Id id = graph_->add(type);
  graph_->body.parameters.push_back(id);
  return graph_->symbol(id);
}

Value GraphMaker::boxed_parameter() {
  const ir::Id id = graph_->add_boxed();
  graph_->body.parameters.push_back(id);
  return graph_->symbol(id);
}

const Type& GraphMaker::type(const Value& value) const { return graph_->values[id_of(value)].type; }

Type GraphMaker::type_of_value(const Value& value) const { return is_symbol(value) ? type(value) : type_of(value); }

ir::Operation& GraphMaker::append(ir::Kind kind) {
  ir::Operation& operation = open_.back()->operations.emplace_back();
  operation.kind = kind;
  operation.place = static_cast<uint32_t>(graph_->places.size());
  graph_->places.emplace_back();
  return operation;
}

Value GraphMaker::result_of(ir::Operation& operation, const Type& type) {
  operation.results.push_back(graph_->add(type));
  return graph_->symbol(operation.results.back());
}

Value GraphMaker::boxed_result_of(ir::Operation& operation) {
  operation.results.push_back(graph_->add_boxed());
  return graph_->symbol(operation.results.back());
}

namespace {

// What the lowering will find: the same dimension, the one that is not 1, or a new one.
Dim joint(GraphMaker& maker, Dim a, Dim b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (a.known() || b.known()) return a.known() ? a : b;
  return maker.dim();
}

Shape joint(GraphMaker& maker, const Shape& a, const Shape& b) {
  Shape result = a.rank() >= b.rank() ? a : b;
  for (unsigned axis = 1; axis <= std::min(a.rank(), b.rank()); ++axis) {
    result[result.rank() - axis] = joint(maker, a[a.rank() - axis], b[b.rank() - axis]);
  }
  return result;
}

}  // namespace

Value GraphMaker::apply(std::string_view name, std::vector<Value> args, uint32_t literals) {
  const ops::Entry& entry = *ops::find_entry(name);
  const ops::Call call{entry, args, {}, literals};
  const unsigned count = entry.pointwise->info.arity - (entry.pointwise->info.parameter ? 1u : 0u);
  Shape shape;
  for (unsigned i = 0; i < count; ++i) shape = joint(*this, shape, type_of_value(args[i]).shape);
  const Value result = apply_as({ops::pointwise_typing(call).result, shape}, entry, args);
  open_.back()->operations.back().literals = literals;
  return result;
}

Value GraphMaker::apply_as(const Type& type, const ops::Entry& entry, std::vector<Value> args,
                           std::vector<Value> rest) {
  ir::Operation& operation = append(ir::Kind::apply);
  operation.entry = &entry;
  operation.args = std::move(args);
  operation.rest = std::move(rest);
  return result_of(operation, type);
}

Value GraphMaker::apply_as(const Type& type, std::string_view entry, std::vector<Value> args, std::vector<Value> rest) {
  return apply_as(type, *ops::find_entry(entry), std::move(args), std::move(rest));
}

Value GraphMaker::reduce(std::string_view name, Value x, Value axis, bool keepdims) {
  const ops::Entry& entry = *ops::find_entry(name);
  std::vector<Value> args = {x, axis, Value(keepdims)};
  const ops::Call call{entry, args, {}, 0};
  const Type from = type(x);
  const Shape shape = ops::reduced_shape(from.shape, ops::reduce_arguments(call, from.shape.rank()));
  return apply_as({entry.reduce->result(from.dtype), shape}, entry, args);
}

namespace {

Value spec_of_numbers(size_t count) {
  ops::IndexSpec spec;
  for (size_t i = 0; i < count; ++i) spec.push(ops::IndexSpec::Item::at);
  return Value(spec.packed());
}

}  // namespace

Value GraphMaker::read(const Type& type, Value x, std::vector<Value> items) {
  const Value spec = spec_of_numbers(items.size());
  return apply_as(type, ops::index_read_entry(), {x, spec}, std::move(items));
}

Value GraphMaker::write(Value x, Value value, std::vector<Value> items, bool adds) {
  const Value spec = spec_of_numbers(items.size());
  return apply_as(type(x), adds ? ops::index_add_entry() : ops::index_update_entry(), {x, value, spec},
                  std::move(items));
}

std::vector<Value> GraphMaker::if_(Value condition, const std::vector<Type>& types,
                                   const std::function<std::vector<Value>()>& then,
                                   const std::function<std::vector<Value>()>& other) {
  ir::Operation operation;
  operation.regions.resize(2);
  for (int i = 0; i < 2; ++i) {
    open_.push_back(&operation.regions[static_cast<size_t>(i)]);
    operation.regions[static_cast<size_t>(i)].results = i == 0 ? then() : other();
    open_.pop_back();
  }
  ir::Operation& made = append(ir::Kind::if_);
  made.args = {condition};
  made.regions = std::move(operation.regions);
  std::vector<Value> results;
  for (const Type& type : types) results.push_back(result_of(made, type));
  return results;
}

std::vector<Value> GraphMaker::parameters_like(ir::Region& region, const std::vector<Value>& values) {
  std::vector<Value> result;
  for (const Value& value : values) {
    const bool boxed = is_symbol(value) && graph_->values[id_of(value)].boxed;
    region.parameters.push_back(boxed ? graph_->add_boxed() : graph_->add(type_of_value(value)));
    result.push_back(graph_->symbol(region.parameters.back()));
  }
  return result;
}

std::vector<Value> GraphMaker::for_(Value count, std::vector<Value> carried,
                                    const std::function<std::vector<Value>(Value, std::vector<Value>)>& body,
                                    bool exits) {
  std::vector<ir::Region> regions(1);
  regions[0].parameters.push_back(graph_->add({Dtype::i64, {}}));
  const Value index = graph_->symbol(regions[0].parameters[0]);
  const std::vector<Value> parameters = parameters_like(regions[0], carried);
  open_.push_back(&regions[0]);
  regions[0].results = body(index, parameters);
  open_.pop_back();
  ir::Operation& made = append(ir::Kind::for_);
  made.args = {count};
  made.args.insert(made.args.end(), carried.begin(), carried.end());
  made.regions = std::move(regions);
  made.exits = exits;
  std::vector<Value> results;
  for (const Value& parameter : parameters) {
    const ir::ValueInfo info = graph_->values[id_of(parameter)];
    results.push_back(info.boxed ? boxed_result_of(made) : result_of(made, info.type));
  }
  return results;
}

std::vector<Value> GraphMaker::while_(std::vector<Value> carried,
                                      const std::function<Value(std::vector<Value>)>& condition,
                                      const std::function<std::vector<Value>(std::vector<Value>)>& body, bool exits) {
  std::vector<ir::Region> regions(2);
  const std::vector<Value> asked = parameters_like(regions[0], carried);
  open_.push_back(&regions[0]);
  regions[0].results = {condition(asked)};
  open_.back() = &regions[1];
  const std::vector<Value> parameters = parameters_like(regions[1], carried);
  regions[1].results = body(parameters);
  open_.pop_back();
  ir::Operation& made = append(ir::Kind::while_);
  made.args = carried;
  made.regions = std::move(regions);
  made.exits = exits;
  std::vector<Value> results;
  for (const Value& parameter : parameters) results.push_back(result_of(made, type(parameter)));
  return results;
}

Value GraphMaker::dimension(Value x, unsigned axis) {
  ir::Operation& operation = append(ir::Kind::dimension);
  operation.args = {x};
  operation.number = axis;
  return result_of(operation, {Dtype::i64, {}});
}

Value GraphMaker::box(Value tree) {
  ir::Operation& operation = append(ir::Kind::box);
  operation.args = {tree};
  return boxed_result_of(operation);
}

Value GraphMaker::unbox(Value boxed, const Type& type) {
  ir::Operation& operation = append(ir::Kind::unbox);
  operation.args = {boxed};
  return result_of(operation, type);
}

void GraphMaker::push(uint32_t stack, Value value) {
  ir::Operation& operation = append(ir::Kind::push);
  operation.args = {value};
  operation.number = stack;
}

Value GraphMaker::pop(uint32_t stack, const Type& type) {
  ir::Operation& operation = append(ir::Kind::pop);
  operation.number = stack;
  return result_of(operation, type);
}

std::shared_ptr<const ir::Graph> GraphMaker::finish(Value result) {
  graph_->body.results = {result};
  return graph_;
}

// --- eagerly ---

namespace {

class Walker {
 public:
  Walker(Machine& machine, const ir::Graph& graph)
      : machine_(machine), graph_(graph), values_(graph.values.size()), stacks_(graph.stacks) {}

  Value run(const std::vector<Value>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) values_[graph_.body.parameters[i]] = inputs[i];
    return region(graph_.body)[0];
  }

 private:
  Value value(const Value& v) {
    return ir::replace_symbols(v, [&](const Value& symbol) { return values_[id_of(symbol)]; });
  }
  std::vector<Value> values(const std::vector<Value>& list) {
    std::vector<Value> result;
    for (const Value& v : list) result.push_back(value(v));
    return result;
  }

  std::vector<Value> region(const ir::Region& region) {
    for (const ir::Operation& operation : region.operations) run(operation);
    return values(region.results);
  }

  void bind(const std::vector<ir::Id>& ids, size_t first, const std::vector<Value>& values) {
    for (size_t i = 0; i < values.size() && first + i < ids.size(); ++i) values_[ids[first + i]] = values[i];
  }

  void run(const ir::Operation& op) {
    std::vector<Value> args = values(op.args);
    std::vector<Value> rest = values(op.rest);
    switch (op.kind) {
      case ir::Kind::apply: return apply(op, args, rest);
      case ir::Kind::dimension:
        return bind(op.results, 0, {Value(args[0].tensor().dim(static_cast<unsigned>(op.number)))});
      case ir::Kind::undefined: return;
      case ir::Kind::box:
      case ir::Kind::unbox: return bind(op.results, 0, args);
      case ir::Kind::if_: return bind(op.results, 0, region(op.regions[args[0].boolean() ? 0 : 1]));
      case ir::Kind::for_: return loop_for(op, args);
      case ir::Kind::while_: return loop_while(op, args);
      case ir::Kind::interpret: return interpret(op, args);
      case ir::Kind::recursion:
      case ir::Kind::invoke: throw std::logic_error("functions that call themselves are not interpreted");
      case ir::Kind::itself: return bind(op.results, 0, {Walker(machine_, graph_).run(args)});
      case ir::Kind::call: {
        const Value function = args[0];
        return bind(op.results, 0, {machine_.call(function, std::span(args).subspan(1), graph_, op.place)});
      }
      case ir::Kind::push: return stacks_[static_cast<size_t>(op.number)].push_back(args[0]);
      case ir::Kind::pop: {
        std::vector<Value>& stack = stacks_[static_cast<size_t>(op.number)];
        bind(op.results, 0, {stack.back()});
        return stack.pop_back();
      }
      case ir::Kind::pause: throw std::logic_error("no graph made here pauses");
    }
  }

  void apply(const ir::Operation& op, std::vector<Value>& args, std::vector<Value>& rest) {
    try {
      bind(op.results, 0, {ops::call(machine_.eager(), *op.entry, args, rest, op.literals)});
    } catch (const OpError& error) {
      machine_.raise(error, graph_, op.place);
    }
  }

  void interpret(const ir::Operation& op, std::vector<Value>& args) {
    std::vector<Value> results(op.results.size() - (op.exits ? 1 : 0), Value::unbound());
    const int64_t ended = machine_.interpret(op, graph_, args, results);
    if (op.exits) results.emplace_back(ended);
    bind(op.results, 0, results);
  }

  void loop_for(const ir::Operation& op, std::vector<Value> args) {
    const int64_t count = args[0].i64();
    std::vector<Value> carried(args.begin() + 1, args.end());
    for (int64_t i = 0; i < count; ++i) {
      bind(op.regions[0].parameters, 0, {Value(i)});
      bind(op.regions[0].parameters, 1, carried);
      carried = region(op.regions[0]);
      if (op.exits && !carried.back().boolean()) break;
    }
    bind(op.results, 0, carried);
  }

  void loop_while(const ir::Operation& op, std::vector<Value> carried) {
    for (;;) {
      bind(op.regions[0].parameters, 0, carried);
      if (!region(op.regions[0])[0].boolean()) break;
      bind(op.regions[1].parameters, 0, carried);
      carried = region(op.regions[1]);
      if (op.exits && !carried.back().boolean()) break;
    }
    bind(op.results, 0, carried);
  }

  Machine& machine_;
  const ir::Graph& graph_;
  std::vector<Value> values_;
  std::vector<std::vector<Value>> stacks_;
};

}  // namespace

Outcome run_eagerly(Machine& machine, const ir::Graph& graph, const std::vector<Value>& inputs) {
  Outcome outcome;
  machine.printed.clear();
  try {
    outcome.value = Walker(machine, graph).run(inputs);
  } catch (const Located& error) {
    outcome.error = error;
  }
  outcome.printed = machine.printed;
  return outcome;
}

}  // namespace covec::test
