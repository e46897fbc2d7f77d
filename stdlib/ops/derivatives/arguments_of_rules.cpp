#include "stdlib/ops/derivatives/arguments_of_rules.hpp"

#include <algorithm>

#include "stdlib/autodiff/forward.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/ops/derivatives/transformed.hpp"
#include "stdlib/ops/general/sequences.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// Forward mode through the function, by what it has captured. The tangents are a tuple, one for each of its deep
// leaves.
class FunctionTangent final : public Transformed {
 public:
  FunctionTangent(Value f, Value tangents) : Transformed("tangent", std::move(f)), tangents_(std::move(tangents)) {}
  std::vector<Value> captures() const override { return {function_, tangents_}; }
  Value with_captures(std::vector<Value> values) const override {
    return make_function<FunctionTangent>(values.at(0), values.at(1));
  }
  std::string staging_key() const override { return "tangent"; }
  bool keeps_trees() const override { return true; }

  Value apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    LevelScope scope(b.context(), TraceKind::jvp);
    const Value* next = tangents_.tuple().items.data();
    const Value moving = map_deep(function_, [&](const Value& leaf) {
      const Value& tangent = *next++;
      return tangent.is_none() ? leaf : make_jvp(scope.level(), leaf, tangent);
    });
    const Value result = moving.function().call(b, args, keywords);
    scope.close();
    return map_leaves(result, [&](const Value& leaf) { return tangent_of_leaf(b, leaf, scope.level()); });
  }

 protected:
  Value with_function(Value f) const override { return make_function<FunctionTangent>(std::move(f), tangents_); }

 private:
  static Value tangent_of_leaf(ops::Builder& b, const Value& leaf, uint64_t level) {
    if (!is_float_leaf(leaf)) return {};
    return tangent_or_zeros(b, is_traced_at(leaf, level) ? leaf.traced().tangent : Value(), logical_type(leaf));
  }
  const Value tangents_;
};

// --- sequences: what gives for each item its tangent ---

int64_t length_of(const Value& items) { return ops::Zipped({items}).length(); }
// Where an item has no derivative.
Value nothing_for_each(const Value& items) {
  return make_list(std::vector<Value>(static_cast<size_t>(length_of(items))));
}
Value make_zip(std::vector<Value> parts) { return Value::adopt(new ops::Zipped(std::move(parts))); }

Value tangents_of_items(ops::Builder& b, const Value& items, const Value*& next) {
  if (!items.is(ObjectKind::sequence) || items.sequence().only_the_run_knows()) {
    Value tangents = tangent_tree(b, items, next);
    return tangents.is_none() ? nothing_for_each(items) : tangents;
  }
  if (const auto* const zip = dynamic_cast<const ops::Zipped*>(&items.sequence())) {
    std::vector<Value> parts;
    for (const Value& part : zip->items) parts.push_back(tangents_of_items(b, part, next));
    return make_zip(std::move(parts));
  }
  if (const auto* const numbered = dynamic_cast<const ops::Enumerated*>(&items.sequence())) {
    Value tangents = tangents_of_items(b, numbered->items, next);
    ++next;  // that of the first number
    return make_zip({nothing_for_each(numbered->items), std::move(tangents)});
  }
  if (const auto* const progress = dynamic_cast<const ops::Progress*>(&items.sequence()))
    return tangents_of_items(b, progress->items, next);
  next += deep_leaves(std::span(&items, 1)).size();
  return nothing_for_each(items);
}

// Integers alone have none, as everywhere.
bool has_tangents(const Value& sequence) {
  return holds_function(sequence) || std::ranges::any_of(deep_leaves(std::span(&sequence, 1)), is_float_leaf);
}

}  // namespace

bool holds_function(const Value& tree) {
  bool found = false;
  each_leaf(tree, [&](const Value& leaf) {
    found |= leaf.is(ObjectKind::function);
    if (leaf.is(ObjectKind::sequence)) found |= std::ranges::any_of(leaf.sequence().parts(), holds_function);
  });
  return found;
}

Value tangent_tree(ops::Builder& b, const Value& argument, const Value*& next) {
  return map_leaves(argument, [&](const Value& leaf) {
    const bool is_sequence = leaf.is(ObjectKind::sequence) && !leaf.sequence().only_the_run_knows();
    if (is_sequence && has_tangents(leaf)) return tangents_of_items(b, leaf, next);
    const Value* const first = next;
    next += deep_leaves(std::span(&leaf, 1)).size();
    if (leaf.is(ObjectKind::function)) {
      return make_function<FunctionTangent>(leaf, make_tuple(std::vector<Value>(first, next)));
    }
    if (!is_float_leaf(leaf)) return Value();
    return first->is_none() ? ops::RuleContext(b, false).zeros(logical_type(leaf)) : *first;
  });
}

// --- cotangents ---

namespace {

void seed(ops::Builder& b, const TapedRun& run, const Value& given, std::vector<Value>& cotangents) {
  ops::RuleContext rules(b, false);
  const Value trees[] = {run.result, given};
  map_trees(trees, [&](std::span<const Value> leaves) {
    const uint32_t node = run.node_of(leaves[0]);
    if (node == 0) return Value();
    Value& sum = cotangents[node];
    sum = sum.is_none() ? leaves[1] : rules.add(std::move(sum), leaves[1]);
    return Value();
  });
}

// What code has of them only the run knows.
void expect_known(const Value& items) {
  if (is_run_list(items) || (items.is(ObjectKind::sequence) && items.sequence().only_the_run_knows()))
    fail_not_staged("a cotangent of a sequence");
}

size_t leaves_in(const Value& tree) { return deep_leaves(std::span(&tree, 1)).size(); }

}  // namespace

std::vector<Value> cotangents_of_call(ops::Builder& b, const std::vector<Value>& args,
                                      std::span<const std::string_view> names, bool of_all_ranks,
                                      FunctionRef<Value(const TapedRun&)> cotangent_of) {
  TapedRun run(b.pool());
  std::vector<uint32_t> inputs;
  {
    LevelScope scope(b.context(), TraceKind::tape);
    scope.open().tape = &run.tape;
    scope.open().of_all_ranks = of_all_ranks;
    run.level = scope.level();
    std::vector<Value> traced;
    for (const Value& arg : args) {
      traced.push_back(map_deep(arg, [&](const Value& leaf) {
        inputs.push_back(is_float_leaf(leaf) ? run.tape.add_input() : 0);
        return inputs.back() == 0 ? leaf : make_tape(scope.level(), leaf, inputs.back());
      }));
    }
    std::vector<Value> given(traced.begin() + 1, traced.end());
    run.result = traced[0].function().call(b, given, names);
  }
  std::vector<Value> cotangents(run.tape.nodes() + 1);
  seed(b, run, cotangent_of(run), cotangents);
  sweep(b, run.tape, cotangents, SweepOptions{.consume = true});
  std::vector<Value> found;
  for (uint32_t node : inputs) found.push_back(node == 0 ? Value() : cotangents[node]);
  return found;
}

void CotangentsOfArguments::add(const Value& argument, const Value& given, bool active) {
  const auto nothing_for = [&](const Value& part) {
    if (active && holds_function(part)) fail(message("rule_function_captures"), {rule_.name()});
    skip(leaves_in(part));
  };
  if (given.is_none()) return nothing_for(argument);
  map_with_given(argument, given, [&](const Value& part, const Value& cotangent) {
    const bool is_function = part.is(ObjectKind::function);
    if (is_function || part.is(ObjectKind::sequence)) {
      if (cotangent.is_none())
        nothing_for(part);
      else
        is_function ? add_captures(part, cotangent) : add_items(part, cotangent, active);
      return Value();
    }
    const bool wanted = is_float_leaf(part) && !cotangent.is_none();
    const std::string what = wanted ? "a cotangent of " + rule_.name() : "";
    leaves_.push_back(wanted ? fit_to(builder_, cotangent, logical_type(part), what) : Value());
    return Value();
  });
}

void CotangentsOfArguments::add_captures(const Value& f, const Value& measure) {
  if (!measure.is(ObjectKind::function)) fail(message("rule_of_function"), {rule_.name(), describe(measure)});
  const std::vector<Value> call = {measure, f};
  const std::vector<Value> found = cotangents_of_call(builder_, call, {}, of_all_ranks_, [&](const TapedRun& run) {
    const Value result = run.plain_result();
    const bool number = is_float_leaf(result) && logical_type(result).shape.rank() == 0;
    if (!number) fail(message("rule_of_function"), {rule_.name(), "one that gives " + describe(result)});
    return ops::RuleContext(builder_, false).number(1, logical_type(result).dtype);
  });
  leaves_.insert(leaves_.end(), found.begin() + static_cast<ptrdiff_t>(leaves_in(measure)), found.end());
}

// --- sequences ---

// What a sequence makes its items of. `given` is a sequence like it, or has a cotangent for each item.
void CotangentsOfArguments::add_items(const Value& items, const Value& given, bool active) {
  if (given.is_none() || !items.is(ObjectKind::sequence)) return add(items, fitted_items(items, given), active);
  expect_known(items);
  const Sequence& sequence = items.sequence();
  if (const auto* const zip = dynamic_cast<const ops::Zipped*>(&sequence)) {
    const size_t count = zip->items.size();
    for (size_t i = 0; i < count; ++i) add_items(zip->items[i], part_of_items(given, i, count), active);
  } else if (const auto* const numbered = dynamic_cast<const ops::Enumerated*>(&sequence)) {
    add_items(numbered->items, part_of_items(given, 1, 2), active);
    skip(1);  // the first number
  } else if (const auto* const progress = dynamic_cast<const ops::Progress*>(&sequence)) {
    add_items(progress->items, given, active);
  } else {
    skip(leaves_in(items));
  }
}

// Of cotangents of tuples of `count`: those of item number `place`.
Value CotangentsOfArguments::part_of_items(const Value& given, size_t place, size_t count) const {
  if (given.is_none()) return given;
  expect_known(given);
  if (given.is(ObjectKind::sequence)) {
    const Sequence& sequence = given.sequence();
    const auto* const zip = dynamic_cast<const ops::Zipped*>(&sequence);
    if (zip != nullptr && zip->items.size() == count) return zip->items[place];
    const auto* const numbered = dynamic_cast<const ops::Enumerated*>(&sequence);
    if (numbered != nullptr && count == 2) return place == 0 ? Value() : numbered->items;
    const auto* const progress = dynamic_cast<const ops::Progress*>(&sequence);
    if (progress != nullptr) return part_of_items(progress->items, place, count);
  }
  const std::string tuples = "tuples of " + std::to_string(count);
  if (!given.is(ObjectKind::list)) refuse_items(tuples, describe(given));
  std::vector<Value> parts;
  for (const Value& item : given.list().items()) {
    const bool fits = item.is(ObjectKind::tuple) && item.tuple().items.size() == count;
    if (!fits && !item.is_none()) refuse_items(tuples, "a list of " + describe(item));
    parts.push_back(fits ? item.tuple().items[place] : item);
  }
  return make_list(std::move(parts));
}

// A list with a cotangent for each item, as a cotangent of what the items are taken from, which may have more.
Value CotangentsOfArguments::fitted_items(const Value& items, const Value& given) const {
  if (given.is_none()) return given;
  expect_known(given);
  if (!given.is(ObjectKind::list)) return given;
  std::vector<Value> all = given.list().items();
  if (is_container(items)) {
    all.resize(std::max(all.size(), children(items)->size()));
    return rebuild(items, std::move(all));
  }
  if (!is_complex(items)) return is_float_leaf(items) ? fitted_rows(items, std::move(all)) : Value();
  std::vector<Value> parts[2];
  for (const Value& item : all) {
    const bool is_pair = is_complex(item);
    parts[0].push_back(is_pair ? complex_of(item).re() : item);
    parts[1].push_back(is_pair ? complex_of(item).im() : Value());
  }
  Value re = fitted_rows(complex_of(items).re(), std::move(parts[0]));
  return make_complex(std::move(re), fitted_rows(complex_of(items).im(), std::move(parts[1])));
}

// Cotangents of the rows of a tensor as one of the tensor.
Value CotangentsOfArguments::fitted_rows(const Value& rows, std::vector<Value> given) const {
  Type type = logical_type(rows);
  if (!type.shape[0].known()) fail_not_staged("a cotangent of a sequence");
  const auto length = static_cast<size_t>(type.shape[0].number());
  if (given.size() > length) refuse_items(std::to_string(length), "a list of " + std::to_string(given.size()));
  if (length == 0) return {};
  given.resize(length);
  type.shape.erase(0);
  for (Value& item : given) {
    item = fit_to(builder_, std::move(item), type, "a cotangent of " + rule_.name());
    if (item.is_none()) item = ops::RuleContext(builder_, false).zeros(type);
  }
  return ops::stack(builder_, given, 0);
}

void CotangentsOfArguments::refuse_items(const std::string& items, const std::string& given) const {
  fail(message("rule_of_sequence"), {rule_.name(), items, given});
}

}  // namespace covec::autodiff
