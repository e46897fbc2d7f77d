#include "jit/passes/control_rewriter.hpp"

#include "jit/passes/rewriter.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::passes {

using namespace ir;

namespace {

bool is_bool(const Value& value) { return value.tag() == Tag::boolean; }

bool is_parameter(const Value& value, Id parameter) { return is_symbol(value) && id_of(value) == parameter; }

}  // namespace

// --- branches ---

void ControlRewriter::replace_result(Operation& operation, size_t result, Value by) {
  values_.replace(operation.results[result], std::move(by));
}

void ControlRewriter::branch(Operation& operation) {
  if (is_bool(operation.args[0])) return take_branch(operation);
  if (const Operation* negated = values_.maker(operation.args[0], ops::entry_of<ops::LogicalNot>())) {
    operation.args[0] = negated->args[0];
    std::swap(operation.regions[0], operation.regions[1]);
  }
  path(operation, 0);
  path(operation, 1);
  join_results(operation);
}

void ControlRewriter::take_branch(Operation& operation) {
  Region& taken = operation.regions[operation.args[0].boolean() ? 0 : 1];
  walk_.body(taken);
  for (size_t k = 0; k < operation.results.size(); ++k) replace_result(operation, k, taken.results[k]);
  operation.results.clear();
  edits_.splice(operation, taken);
}

void ControlRewriter::path(Operation& operation, unsigned which) {
  const Value condition = operation.args[0];
  if (!is_symbol(condition)) return walk_.region(operation.regions[which]);
  const Id id = id_of(condition);
  const Value before = values_.exchange(id, Value(which == 0));
  walk_.region(operation.regions[which]);
  values_.exchange(id, before);
}

void ControlRewriter::join_results(Operation& operation) {
  for (size_t k = 0; k < operation.results.size(); ++k) {
    const Value same = joined(operation, k);
    if (!same.is_unbound()) {
      replace_result(operation, k, same);
      continue;
    }
    join_extents(operation, k);
    values_.define(operation.results[k], &operation);
  }
}

// An extent that both paths give is the result's.
void ControlRewriter::join_extents(const Operation& operation, size_t k) {
  const Id id = operation.results[k];
  ValueInfo& info = graph_.values[id];
  if (info.boxed || info.type.shape.empty()) return;
  const Shape a = values_.type(operation.regions[0].results[k]).shape;
  const Shape b = values_.type(operation.regions[1].results[k]).shape;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    if (values_.extents().is_own(info.type.shape[axis], id, axis) && values_.extents().same(a[axis], b[axis])) {
      info.type.shape[axis] = a[axis];
    }
  }
}

// One value for both paths, visible before the branch; unbound when there is none.
Value ControlRewriter::joined(Operation& operation, size_t k) {
  const Value a = operation.regions[0].results[k], b = operation.regions[1].results[k];
  const auto undefined = [&](const Value& value) {
    const Operation* made_by = values_.maker(value);
    return made_by != nullptr && made_by->kind == Kind::undefined;
  };
  const bool see_a = values_.visible(a), see_b = values_.visible(b);
  if (see_a && (same_operand(a, b) || undefined(b))) return a;
  if (see_b && undefined(a)) return b;
  const ValueInfo info = graph_.values[operation.results[k]];
  const bool numbers = !info.boxed && info.type.shape.empty() && values_.type(a).dtype == values_.type(b).dtype;
  if (!numbers || !see_a || !see_b) return Value::unbound();
  return walk_.insert(operation, ops::entry_of<ops::Where>(), {operation.args[0], a, b}, info.type);
}

// The operation `like` with the result of each path in the place of its operand.
Value ControlRewriter::on_paths(const Operation& made_by, Id result, const Operation& like, size_t operand) {
  size_t k = 0;
  while (k < made_by.results.size() && made_by.results[k] != result) ++k;
  if (k == made_by.results.size()) return Value::unbound();
  Operation& branch = const_cast<Operation&>(made_by);
  Value results[2];
  bool any = false;
  for (size_t path = 0; path < 2; ++path) {
    const Value& given = branch.regions[path].results[k];
    if (!given.is_scalar()) continue;
    std::vector<Value> args = like.args;
    args[operand] = given;
    const std::optional<Value> known = evaluator_.run(*like.entry, std::move(args), like.rest, like.literals);
    if (!known) return Value::unbound();
    results[path] = *known;
    any = true;
  }
  if (!any) return Value::unbound();
  const Type type = graph_.values[like.results[0]].type;
  for (size_t path = 0; path < 2; ++path) {
    Region& region = branch.regions[path];
    if (results[path].is_none()) {
      std::vector<Value> args = like.args;
      args[operand] = region.results[k];
      Operation& made = edits_.append(region, *like.entry, std::move(args), type);
      made.literals = like.literals;
      made.place = like.place;
      results[path] = graph_.symbol(made.results[0]);
    }
    region.results.push_back(results[path]);
  }
  branch.results.push_back(graph_.add(type));
  values_.grow();
  values_.define(branch.results.back(), &branch);
  edits_.note_change();
  return graph_.symbol(branch.results.back());
}

// --- loops ---

void ControlRewriter::loop(Operation& operation) {
  if (loop_goes(operation)) return;
  unchanged_values(operation);
  Region& body = operation.regions.back();
  std::vector<Shape> shapes(operation.results.size());
  if (operation.kind == Kind::while_) walk_.region(operation.regions[0]);
  walk_.region(body, [&] { unchanged_extents(operation, shapes); });
  use_extents(operation, shapes);
  if (operation.exits && is_bool(body.results.back()) && body.results.back().boolean()) {
    operation.exits = false;
    body.results.pop_back();
  }
  loop_results(operation);
}

void ControlRewriter::use_extents(Operation& operation, const std::vector<Shape>& shapes) {
  const Region& body = operation.regions.back();
  for (size_t k = 0; k < shapes.size(); ++k) {
    if (shapes[k].empty()) continue;
    graph_.values[operation.results[k]].type.shape = shapes[k];
    graph_.values[body.parameters[k + leading(operation)]].type.shape = shapes[k];
    if (operation.kind == Kind::while_) graph_.values[operation.regions[0].parameters[k]].type.shape = shapes[k];
  }
}

void ControlRewriter::loop_results(Operation& operation) {
  const Region& body = operation.regions.back();
  for (size_t k = 0; k < operation.results.size(); ++k) {
    const Value entry = operation.args[k + leading(operation)];
    const bool kept = is_parameter(body.results[k], body.parameters[k + leading(operation)]) ||
                      (same_operand(entry, body.results[k]) && values_.visible(entry));
    if (kept) {
      replace_result(operation, k, entry);
      continue;
    }
    Value given = given_by_any_iteration(operation, k);
    if (given.is_unbound()) given = counted(operation, k);
    given.is_unbound() ? values_.define(operation.results[k], &operation) : replace_result(operation, k, given);
  }
}

// Each iteration of a counted loop gives the same literal: what stands after the loop, if there is an iteration, also
// where iterations read what the last one has given. (What nothing else in the loop reads, licm takes out of it.)
Value ControlRewriter::given_by_any_iteration(Operation& operation, size_t k) {
  const Value given = operation.regions.back().results[k], entry = operation.args[k + leading(operation)];
  const ValueInfo info = graph_.values[operation.results[k]];
  if (info.boxed || !info.type.shape.empty() || operation.kind != Kind::for_ || operation.exits)
    return Value::unbound();
  if (!given.is_scalar() || !values_.visible(entry)) return Value::unbound();
  const Value any = walk_.insert(operation, ops::entry_of<ops::Less>(), {Value(int64_t{0}), operation.args[0]},
                                 Type{Dtype::boolean, {}});
  return walk_.insert(operation, ops::entry_of<ops::Where>(), {any, given, entry}, info.type);
}

// Each of a known number of iterations adds the same to a number that is known before the loop. Integers wrap.
Value ControlRewriter::counted(const Operation& operation, size_t k) {
  if (operation.kind != Kind::for_ || operation.exits) return Value::unbound();
  const Value &count = operation.args[0], &entry = operation.args[k + 1];
  if (count.tag() != Tag::i64 || entry.tag() != Tag::i64) return Value::unbound();
  const Region& body = operation.regions[0];
  const Operation* const sum = values_.maker(body.results[k], ops::entry_of<ops::Add>());
  if (sum == nullptr) return Value::unbound();
  for (size_t i = 0; i < 2; ++i) {
    if (!is_parameter(sum->args[i], body.parameters[k + 1]) || sum->args[1 - i].tag() != Tag::i64) continue;
    const auto start = static_cast<uint64_t>(entry.i64()), times = static_cast<uint64_t>(count.i64());
    return Value(static_cast<int64_t>(start + times * static_cast<uint64_t>(sum->args[1 - i].i64())));
  }
  return Value::unbound();
}

// A count of 0 or 1, a condition that is false from the start.
bool ControlRewriter::loop_goes(Operation& operation) {
  Region& first = operation.regions[0];
  const std::vector<Value> entry(operation.args.begin() + static_cast<std::ptrdiff_t>(leading(operation)),
                                 operation.args.end());
  if (operation.kind == Kind::while_) {
    if (!is_bool(first.results[0]) || first.results[0].boolean()) return false;
    splice(operation, first, first.parameters);
    for (size_t k = 0; k < operation.results.size(); ++k) replace_result(operation, k, entry[k]);
  } else {
    if (operation.args[0].tag() != Tag::i64 || operation.args[0].i64() > 1) return false;
    const bool once = operation.args[0].i64() == 1;
    if (once) {
      values_.exchange(first.parameters[0], Value(int64_t{0}));
      splice(operation, first, {first.parameters.begin() + 1, first.parameters.end()});
    }
    for (size_t k = 0; k < operation.results.size(); ++k)
      replace_result(operation, k, once ? first.results[k] : entry[k]);
    if (!once) return edits_.bury(operation), true;
  }
  operation.results.clear();
  return true;
}

// The region's operations stand in the loop's place.
void ControlRewriter::splice(Operation& operation, Region& region, const std::vector<Id>& parameters) {
  for (size_t k = 0; k < parameters.size(); ++k)
    values_.exchange(parameters[k], operation.args[k + leading(operation)]);
  walk_.body(region);
  edits_.splice(operation, region);
}

// A carried tensor that comes in with some extents and leaves every iteration with the same ones has them throughout.
// (Asked at the end of an iteration, where that iteration has not failed.)
void ControlRewriter::unchanged_extents(Operation& operation, std::vector<Shape>& shapes) {
  const Region& body = operation.regions.back();
  for (size_t k = 0; k < operation.results.size(); ++k) {
    const Id parameter = body.parameters[k + leading(operation)];
    if (graph_.values[parameter].boxed || graph_.values[parameter].type.shape.empty()) continue;
    Shape shape = graph_.values[parameter].type.shape;
    const Shape entry = values_.type(operation.args[k + leading(operation)]).shape,
                left = values_.type(body.results[k]).shape;
    bool better = false;
    for (unsigned axis = 0; axis < shape.rank(); ++axis) {
      if (!values_.extents().is_own(shape[axis], parameter, axis)) continue;
      if (!values_.extents().same(entry[axis], left[axis]) && !values_.extents().same(shape[axis], left[axis]))
        continue;
      shape[axis] = entry[axis];
      better = true;
    }
    if (better) shapes[k] = shape;
  }
  for (size_t k = 0; k < shapes.size(); ++k) {  // an axis that stays its own is each value's own
    if (shapes[k].empty()) continue;
    const Id parameter = body.parameters[k + leading(operation)];
    for (unsigned axis = 0; axis < shapes[k].rank(); ++axis) {
      if (values_.extents().is_own(shapes[k][axis], parameter, axis)) shapes[k] = Shape();
      if (shapes[k].empty()) break;
    }
  }
}

void ControlRewriter::unchanged_values(Operation& operation) {
  const Region& body = operation.regions.back();
  for (size_t k = 0; k < operation.results.size(); ++k) {
    const size_t argument = k + leading(operation);
    const Id parameter = body.parameters[argument];
    const Value& entry = operation.args[argument];
    if (!is_parameter(body.results[k], parameter) && !same_operand(body.results[k], entry)) continue;
    values_.exchange(parameter, entry);
    if (operation.kind == Kind::while_) values_.exchange(operation.regions[0].parameters[k], entry);
  }
}

}  // namespace covec::passes
