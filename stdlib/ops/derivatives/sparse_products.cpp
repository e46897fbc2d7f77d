#include "stdlib/ops/derivatives/sparse_products.hpp"

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/replay.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

constexpr int64_t colors_at_once = 32;  // which bounds the memory of their intermediate values

// The part of a vector that belongs to a leaf, in its shape and dtype.
Value part_of(ops::Builder& b, const Value& vector, const Basis& basis, size_t leaf) {
  const Type& type = basis.types[leaf];
  Value part = ops::narrow(b, vector, 0, basis.offsets[leaf], Basis::elements_of(b, type.shape));
  return ops::RuleContext(b, false).cast(ops::reshape(b, std::move(part), type.shape), type.dtype);
}

// The numbers of all leaves of a tree that are not none, side by side.
Value side_by_side(ops::Builder& b, const Value& tree, std::string_view transform, const Value& plain) {
  std::vector<Value> parts;
  std::vector<Type> types;
  each_leaf(tree, [&](const Value& leaf) {
    if (leaf.is_none()) return;
    types.push_back(logical_type(leaf));
    parts.push_back(ops::flatten(b, leaf));
  });
  if (parts.empty()) {
    fail(message("jacobian_result"),
         {std::string(transform), is_operand(plain) ? logical_type(plain).text() : describe(plain)});
  }
  const Dtype dtype = dtype_side_by_side(types);
  for (Value& part : parts) part = ops::RuleContext(b, false).cast(std::move(part), dtype);
  return parts.size() == 1 ? parts[0] : ops::concat(b, parts, 0);
}

Value count_from(ops::Builder& b, const Value& first, int64_t count) {
  Value numbers = ops::call(b, ops::handles().arange, {Value(count), Value(), Value(), Value()});
  if (first.is_scalar() && first.integer() == 0) return numbers;
  return ops::RuleContext(b, false).add(std::move(numbers), first);
}

Value chosen(ops::Builder& b, const Value& colors, const Value& color) {
  return ops::call(b, ops::handles().equal, {colors, color});
}

}  // namespace

Dtype dtype_side_by_side(std::span<const Type> types) {
  const Dtype first = types.empty() ? Dtype::f64 : types[0].dtype;
  Dtype wide = Dtype::f32;
  bool alike = true;
  for (const Type& type : types) {
    alike &= type.dtype == first;
    if (type.dtype == Dtype::f64) wide = Dtype::f64;
  }
  return alike ? first : wide;
}

Value Products::along(ops::Builder& b, const Arguments& arguments, const Value& vector) const {
  Basis inputs;
  count_inputs(b, transform_, arguments, wrt_, inputs);
  Value any(false), plain;
  const auto tangent = [&](size_t leaf) { return part_of(b, vector, inputs, leaf); };
  const Value tangents = tangents_along(b, f_.function(), arguments, wrt_, tangent, any, plain, passes_rule_);
  return side_by_side(b, tangents, transform_, plain);
}

void Products::start(ops::Builder& b, TapedRun& run, const Arguments& arguments) const {
  std::vector<Value> args(arguments.all().begin(), arguments.all().end());
  run.run(b, transform_, f_, Arguments(f_.function(), args, arguments.keywords()), wrt_);
}

Value Products::swept(ops::Builder& b, TapedRun& run, const Value& vector) const {
  const NodeTree result = run.output_nodes();
  Basis outputs;
  outputs.append(b, result.types);
  expect_rows_(outputs.size);
  std::vector<Value> cotangents(run.tape.nodes() + 1);
  size_t leaf = 0;
  each_leaf(result.nodes, [&](const Value& node) {
    if (node.is_none()) return;
    const size_t at = leaf++;
    if (node.i64() == 0) return;
    Value& sum = cotangents[static_cast<size_t>(node.i64())];
    Value part = part_of(b, vector, outputs, at);
    sum = sum.is_none() ? std::move(part) : ops::RuleContext(b, false).add(std::move(sum), std::move(part));
  });
  sweep(b, run.tape, cotangents, SweepOptions{});
  std::vector<Value> found;
  for (const NodeTree& tree : run.inputs) found.push_back(cotangent_tree(b, tree, cotangents));
  return side_by_side(b, make_tuple(std::move(found)), transform_, run.result);
}

Value Products::against(ops::Builder& b, const Arguments& arguments, const Value& vector) const {
  TapedRun run(b.pool());
  start(b, run, arguments);
  return swept(b, run, vector);
}

void Products::call_plainly(ops::Builder& b, const Arguments& arguments) const {
  std::vector<Value> args(arguments.all().begin(), arguments.all().end());
  f_.function().call(b, args, arguments.keywords());
}

Value Products::some_colors(ops::Builder& b, const Value& first, int64_t count, Body body) const {
  return over_examples(b, Dim(count), BatchView{false}, transform_, [&](uint64_t level, const Value& example) {
    if (example.is_none()) return body(make_batch(level, count_from(b, first, count)));
    return body(ops::RuleContext(b, false).add(example, first));
  });
}

Value Products::one_by_one(ops::Builder& b, int64_t count, Body body) const {
  return b.each_example(Dim(count), true, transform_, body);
}

// In parts of one size; the last may have colours that no column has.
Value Products::all_colors(ops::Builder& b, int64_t count, Body body) const {
  const int64_t parts = (count + colors_at_once - 1) / colors_at_once, size = (count + parts - 1) / parts;
  if (parts == 1) return some_colors(b, Value(int64_t{0}), count, body);
  const Surroundings then(b.context());
  Value all;
  if (b.is_eager()) {
    std::vector<Value> made;
    for (int64_t part = 0; part < parts; ++part) {
      std::optional<ReplayScope> replay;
      if (part > 0) replay.emplace(b, then);
      made.push_back(some_colors(b, Value(part * size), size, body));
    }
    all = ops::concat(b, made, 0);
  } else {
    all = b.each_example(Dim(parts), true, transform_, [&](const Value& part) {
      return some_colors(b, ops::RuleContext(b, false).mul(part, Value(size)), size, body);
    });
    const Shape shape = logical_type(all).shape;
    all = ops::reshape(b, std::move(all), {Dim(parts * size), shape[2]});
  }
  return ops::narrow(b, all, 0, Dim(0), Dim(count));
}

Value Products::forward(ops::Builder& b, const Arguments& arguments, const Colored& columns) const {
  const auto body = [&](const Value& color) { return along(b, arguments, chosen(b, columns.colors, color)); };
  const auto all = [&] { return all_colors(b, columns.count, body); };
  if (!may_run_apart(b, Dim(columns.count))) return all();
  const auto plainly = [&] { call_plainly(b, arguments); };
  const auto apart = [&] { return one_by_one(b, columns.count, body); };
  return b.few_or_all(Dim(columns.count), plainly, apart, all);
}

Value Products::reverse(ops::Builder& b, const Arguments& arguments, const Colored& rows) const {
  const Surroundings then(b.context());
  TapedRun run(b.pool());
  start(b, run, arguments);
  const auto of_run = [&](const Value& color) { return swept(b, run, chosen(b, rows.colors, color)); };
  if (b.is_eager()) return all_colors(b, rows.count, of_run);
  // Of a function that is being compiled, each part of the sweeps has a run of its own.
  const auto again = [&](const Value& color) {
    const ReplayScope replay(b, then);
    return against(b, arguments, chosen(b, rows.colors, color));
  };
  const auto all = [&] {
    return rows.count <= colors_at_once ? all_colors(b, rows.count, of_run) : all_colors(b, rows.count, again);
  };
  if (!run.tape.has_composites() || !may_run_apart(b, Dim(rows.count))) return all();
  const auto plainly = [&] {
    const ReplayScope replay(b, then);
    call_plainly(b, arguments);
  };
  const auto apart = [&] { return one_by_one(b, rows.count, again); };
  return b.few_or_all(Dim(rows.count), plainly, apart, all);
}

}  // namespace covec::autodiff
