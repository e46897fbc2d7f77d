#include "jit/passes/rows/column_loops.hpp"

#include <algorithm>
#include <set>

#include "jit/passes/analysis/operation_writer.hpp"
#include "jit/passes/analysis/scalar_recipe.hpp"
#include "jit/passes/rows/row_elements.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::passes {

using namespace ir;

namespace {

using Role = RowGroup::Role;

// Instructions of a column from which on lanes are worth loops of their own (long_iteration in lanes/find_lanes.cpp).
constexpr unsigned many_instructions = 128;

bool computes_much(const Graph& graph, const RowGroup& group) {
  unsigned instructions = 0;
  for (const RowGroup::Member& member : group.members()) {
    if (member.role == Role::compute) instructions += usual_instructions(graph, *member.operation);
  }
  return instructions >= many_instructions;
}

struct Parts {
  std::vector<std::vector<Value>> rows;
  Value from;
};
// The indices of each row that an operation on a part names, and where the row begins.
Parts parts_of(const Graph& graph, const Operation& operation) {
  const RowPart part = *row_part(graph, operation, operation.args.size() - 1);
  Parts parts{{1, part.at}, part.start ? *part.start : Value()};
  if (part.axes != 2) return parts;
  const Shape shape = type_in(graph, operation.args[0]).shape;
  parts.rows.resize(static_cast<size_t>(shape[shape.rank() - 2].number()), part.at);
  for (size_t row = 0; row < parts.rows.size(); ++row) parts.rows[row].push_back(Value(static_cast<int64_t>(row)));
  return parts;
}

}  // namespace

std::optional<int64_t> RowPack::row_of(int64_t stack_of_row) const {
  const auto found = std::ranges::find(stacks, stack_of_row);
  if (found == stacks.end()) return std::nullopt;
  return found - stacks.begin();
}

ColumnLoops::ColumnLoops(Graph& graph, const RowGroup& group, const std::vector<Id>& outputs, const Packs& packs)
    : graph_(graph),
      group_(group),
      outputs_(outputs),
      packs_(packs),
      place_(group.members()[0].operation->place),
      levels_{computes_much(graph, group)},
      tensors_(graph, place_),
      changed_(group.chains().size(), ColumnLevels::anywhere),
      read_(group.chains().size(), ColumnLevels::anywhere) {}

std::vector<Value> ColumnLoops::build(const Value& count, Operations& to) {
  tensors_.count = count;
  make_targets(to);
  for (const RowGroup::Member& member : group_.members()) plan(member);
  for (const auto& [output, target] : kept_) {
    const Nodes& rows = nodes_.at(output);
    const bool block = graph_.values[output].type.shape.rank() == 2;
    for (size_t row = 0; row < rows.size(); ++row) {
      store(rows[row], target, block ? std::vector{Value(static_cast<int64_t>(row))} : std::vector<Value>());
    }
  }
  keep_what_crosses(to);
  std::set<int> levels;
  for (const Action& action : actions_) levels.insert(action.level);
  for (const int level : levels) write_loop(level, to);
  return results();
}

// --- what there is to do ---

void ColumnLoops::plan(const RowGroup::Member& member) {
  const Operation& operation = *member.operation;
  if (member.role == Role::change) return change(operation);
  if (member.role == Role::push) return push(operation);
  if (member.role == Role::extent || member.role == Role::differs) return;
  Nodes rows;
  switch (member.role) {
    case Role::compute: rows = {compute(operation)}; break;
    case Role::read: rows = read(operation); break;
    case Role::pick: rows = {made_of(operation.args[0])[row_of_block(operation)]}; break;
    case Role::put: rows = put(operation); break;
    case Role::same: rows = nodes_of(operation.args[0]); break;
    case Role::fill: rows = fill(operation); break;
    case Role::pop: rows = {pop(operation)}; break;
    case Role::change:
    case Role::push:
    case Role::extent:
    case Role::differs: break;
  }
  nodes_[operation.results[0]] = std::move(rows);
}

size_t ColumnLoops::add(Node node) {
  all_.push_back(std::move(node));
  return all_.size() - 1;
}
size_t ColumnLoops::make(Node node) {
  const int level = node.level;
  actions_.push_back({.level = level, .node = add(std::move(node))});
  return all_.size() - 1;
}

// A number is that of each column.
ColumnLoops::Nodes ColumnLoops::nodes_of(const Value& rows) {
  const Dtype dtype = type_in(graph_, rows).dtype;
  if (is_number(graph_, rows)) return {add({.kind = Node::Kind::given, .dtype = dtype, .value = rows})};
  if (!is_symbol(rows)) return {add({.kind = Node::Kind::element, .dtype = dtype, .value = rows})};
  Nodes& known = nodes_[id_of(rows)];
  if (known.empty()) known = {add({.kind = Node::Kind::element, .dtype = dtype, .value = rows})};
  return known;
}

size_t ColumnLoops::row_of_block(const Operation& operation) const {
  const auto rows = static_cast<int64_t>(made_of(operation.args[0]).size());
  const int64_t at = operation.rest[0].i64();
  return static_cast<size_t>(at < 0 ? at + rows : at);
}
int ColumnLoops::highest(const Nodes& nodes) const {
  int level = ColumnLevels::anywhere;
  for (const size_t node : nodes) level = std::max(level, all_[node].level);
  return level;
}

size_t ColumnLoops::compute(const Operation& operation) {
  Nodes operands;
  for (const Value& arg : operation.args) {
    const bool plain = is_symbol(arg) ? !graph_.values[id_of(arg)].boxed : arg.is_tensor();
    if (plain && !type_in(graph_, arg).shape.empty()) operands.push_back(nodes_of(arg)[0]);
  }
  return make({.kind = Node::Kind::compute,
               .level = levels_.to_compute(highest(operands)),
               .dtype = graph_.values[operation.results[0]].type.dtype,
               .operation = &operation,
               .operands = operands});
}

ColumnLoops::Nodes ColumnLoops::read(const Operation& operation) {
  const Value& tensor = operation.args[0];
  const std::optional<size_t> chain = group_.chain_of(id_of(tensor));
  Node node{.kind = Node::Kind::part, .dtype = type_in(graph_, tensor).dtype, .operation = &operation, .value = tensor};
  node.chain = chain;
  if (chain) node.level = read_[*chain] = std::max(read_[*chain], levels_.to_change(changed_[*chain]));
  Nodes rows;
  const Parts parts = parts_of(graph_, operation);
  node.from = parts.from;
  for (const std::vector<Value>& index : parts.rows) {
    node.index = index;
    rows.push_back(chain ? make(node) : add(node));
  }
  return rows;
}

ColumnLoops::Nodes ColumnLoops::put(const Operation& operation) {
  Nodes rows = made_of(operation.args[0]);
  size_t& row = rows[row_of_block(operation)];
  const size_t value = nodes_of(operation.args[1])[0];
  row = operation.entry == &ops::handles().index_update ? value
                                                        : make({.kind = Node::Kind::sum,
                                                                .level = levels_.to_compute(highest({row, value})),
                                                                .dtype = all_[value].dtype,
                                                                .operation = &operation,
                                                                .operands = {row, value}});
  return rows;
}

ColumnLoops::Nodes ColumnLoops::fill(const Operation& operation) {
  const Type& type = graph_.values[operation.results[0]].type;
  const bool zeros = operation.entry == &ops::handles().zeros;
  const Value number = zeros ? ops::converted_number(Value(0.0), type.dtype) : operation.args[0];
  const auto rows = static_cast<size_t>(group_.rows_of(operation.results[0]));
  return Nodes(rows, add({.kind = Node::Kind::given, .dtype = type.dtype, .value = number}));
}

void ColumnLoops::change(const Operation& operation) {
  const size_t chain = *group_.chain_of(id_of(operation.args[0]));
  const Nodes numbers = nodes_of(operation.args[1]);
  changed_[chain] = levels_.to_change(std::max({highest(numbers), changed_[chain], read_[chain]}));
  const Parts parts = parts_of(graph_, operation);
  for (size_t row = 0; row < parts.rows.size(); ++row) {
    actions_.push_back({changed_[chain], numbers[row], &operation, chain, parts.rows[row], parts.from});
  }
}

void ColumnLoops::store(size_t node, size_t target, std::vector<Value> index) {
  const int level = all_[node].level;
  actions_.push_back({level == ColumnLevels::anywhere ? levels_.to_compute(level) : level,
                      node,
                      nullptr,
                      target,
                      std::move(index),
                      {}});
}

void ColumnLoops::push(const Operation& operation) {
  const size_t tensor = pushes_[operation.number]++;
  const size_t node = nodes_of(operation.args[0])[0];
  for (size_t i = 0; i < pushed_.size(); ++i) {
    const std::optional<int64_t> row = packs_.pushed[i].first->row_of(operation.number);
    if (row) store(node, pushed_[i][tensor], {Value(*row)});
  }
}
size_t ColumnLoops::pop(const Operation& operation) {
  const size_t tensor = pops_[operation.number]++;
  for (const auto& [pack, tensors] : packs_.popped) {
    const std::optional<int64_t> row = pack->row_of(operation.number);
    if (!row) continue;
    return add({.kind = Node::Kind::part, .dtype = pack->dtype, .value = tensors[tensor], .index = {Value(*row)}});
  }
  return 0;  // not reached: what a group pops is in a pack
}

// --- the tensors ---

size_t ColumnTensors::add(Value tensor) {
  const Type type = type_in(graph_, tensor);
  all.push_back({std::move(tensor), type});
  return all.size() - 1;
}
size_t ColumnTensors::add_zeros(Dtype dtype, int64_t rows, std::vector<Operation>& to) {
  std::vector<Value> sizes = {count};
  Type type{dtype, {}};
  if (rows > 0) {
    sizes.insert(sizes.begin(), Value(rows));
    type.shape.push_back(Dim(rows));
  }
  type.shape.push_back(dim_of_count());
  const Value cast = dtype == Dtype::f64 ? Value() : ops::function_of(ops::cast_entry(dtype));
  const OperationWriter writer(graph_, place_);
  return add(writer.apply(to, ops::handles().zeros, {Value(), cast}, type, std::move(sizes)));
}
Dim ColumnTensors::dim_of_count() {
  if (!is_symbol(count)) return Dim(count.i64());
  graph_.dims.push_back({DimExpression::Kind::number, id_of(count)});
  return Dim::symbol(static_cast<uint32_t>(graph_.dims.size() - 1));
}

void ColumnLoops::make_targets(Operations& to) {
  for (const RowGroup::Chain& chain : group_.chains()) tensors_.add(chain.base);
  for (const Id output : outputs_) {
    if (group_.rows_of(output) == 0) continue;
    const Type type = graph_.values[output].type;
    kept_[output] = tensors_.add_zeros(type.dtype, type.shape.rank() == 2 ? group_.rows_of(output) : 0, to);
  }
  for (const auto& [pack, tensors] : packs_.pushed) {
    std::vector<size_t>& made = pushed_.emplace_back();
    while (made.size() < tensors)
      made.push_back(tensors_.add_zeros(pack->dtype, static_cast<int64_t>(pack->stacks.size()), to));
  }
}

// Numbers that a loop makes and others need. Lanes do not read a tensor that they set: so there is one for all loops
// that change tensors, and one for each that computes.
void ColumnLoops::keep_what_crosses(Operations& to) {
  std::map<std::pair<int, Dtype>, std::set<size_t>> crossing;
  const auto use = [&](size_t node, int level) {
    const Node& used = all_[node];
    if (used.level == ColumnLevels::anywhere || used.level == level) return;
    crossing[{used.level % 2 == 0 ? 0 : used.level, used.dtype}].insert(node);
  };
  for (const Action& action : actions_) {
    if (action.target)
      use(action.node, action.level);
    else
      for (const size_t operand : all_[action.node].operands) use(operand, action.level);
  }
  for (const auto& [made, nodes] : crossing) {
    const size_t target = tensors_.add_zeros(made.second, static_cast<int64_t>(nodes.size()), to);
    int64_t row = 0;
    for (const size_t node : nodes) {
      store(node, target, {Value(row)});
      all_[node].kept = {target, row++};
    }
  }
}

std::vector<Value> ColumnLoops::results() const {
  std::vector<Value> results;
  for (const Id output : outputs_) {
    const auto is_one = [&](const RowGroup::Member& each) {
      return each.role == Role::differs && each.operation->results[0] == output;
    };
    if (std::ranges::any_of(group_.members(), is_one)) {
      results.push_back(Value(false));
      continue;
    }
    const auto kept = kept_.find(output);
    const std::optional<size_t> target = kept == kept_.end() ? group_.chain_of(output) : kept->second;
    results.push_back(target ? tensors_.all[*target].now : tensors_.count);
  }
  for (const std::vector<size_t>& tensors : pushed_) {
    for (const size_t target : tensors) results.push_back(tensors_.all[target].now);
  }
  return results;
}

// --- a loop ---

void ColumnLoops::write_loop(int level, Operations& to) {
  Operation loop;
  loop.kind = Kind::for_;
  loop.place = place_;
  loop.args = {tensors_.count};
  Region& body = loop.regions.emplace_back();
  body.parameters = {graph_.add(Type{Dtype::i64, {}})};
  loop_.column = graph_.symbol(body.parameters[0]);
  loop_.level = level;
  loop_.now.clear();
  std::set<size_t> carried;
  for (const Action& action : actions_) {
    if (action.level == level && action.target) carried.insert(*action.target);
  }
  for (const size_t target : carried) {
    loop.args.push_back(tensors_.all[target].now);
    body.parameters.push_back(graph_.add(tensors_.all[target].type));
    tensors_.all[target].now = graph_.symbol(body.parameters.back());
  }
  if (levels_.apart) look_at_changes(level, body.operations);
  for (const Action& action : actions_) {
    if (action.level == level) write(action, body.operations);
  }
  for (const size_t target : carried) {
    body.results.push_back(tensors_.all[target].now);
    loop.results.push_back(graph_.add(tensors_.all[target].type));
    tensors_.all[target].now = graph_.symbol(loop.results.back());
  }
  to.push_back(std::move(loop));
}

// A column's place in a tensor, where the row begins behind the tensor's own.
Value ColumnLoops::column_from(const Value& start, Operations& to) {
  if (start.is_none() || (!is_symbol(start) && start.i64() == 0)) return loop_.column;
  return OperationWriter(graph_, place_).number(to, ops::handles().add, {loop_.column, start});
}

// Lanes add to elements where nothing can fail behind the first addition. No index is out of range, but they do not
// know.
void ColumnLoops::look_at_changes(int level, Operations& to) {
  for (const Action& action : actions_) {
    if (action.level != level || action.change == nullptr) continue;
    std::vector<Value> index = action.index;
    index.push_back(column_from(action.from, to));
    OperationWriter(graph_, action.change->place).read(to, tensors_.all[*action.target].now, index);
  }
}

void ColumnLoops::write(const Action& action, Operations& to) {
  const Value number = this->number(action.node, to);
  if (!action.target) return;
  const ops::Entry& entry = action.change != nullptr ? *action.change->entry : ops::handles().index_update;
  std::vector<Value> index = action.index;
  index.push_back(column_from(action.from, to));
  const OperationWriter writer(graph_, action.change != nullptr ? action.change->place : place_);
  tensors_.all[*action.target].now = writer.change(to, entry, tensors_.all[*action.target].now, number, index);
}

Value ColumnLoops::number(size_t node, Operations& to) {
  if (const auto found = loop_.now.find(node); found != loop_.now.end()) return found->second;
  const Node of = all_[node];
  const bool here = of.level == ColumnLevels::anywhere || of.level == loop_.level;
  const Value number = here ? made(of, to)
                            : OperationWriter(graph_, place_)
                                  .read(to, tensors_.all[of.kept->first].now, {Value(of.kept->second), loop_.column});
  loop_.now[node] = number;
  return number;
}

Value ColumnLoops::made(const Node& node, Operations& to) {
  const OperationWriter writer(graph_, node.operation != nullptr ? node.operation->place : place_);
  std::vector<Value> index = node.index;
  index.push_back(column_from(node.from, to));
  switch (node.kind) {
    case Node::Kind::given: return node.value;
    case Node::Kind::element:
    case Node::Kind::part: return writer.read(to, node.chain ? tensors_.all[*node.chain].now : node.value, index);
    case Node::Kind::sum: {
      const Value first = number(node.operands[0], to), second = number(node.operands[1], to);
      return writer.apply(to, ops::handles().add, {first, second}, Type{node.dtype, {}});
    }
    case Node::Kind::compute: break;
  }
  return write_for_element(
      graph_, *node.operation, [&](const Value& row) { return number(nodes_of(row)[0], to); }, to);
}

}  // namespace covec::passes
