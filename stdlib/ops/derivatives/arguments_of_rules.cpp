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

// Of anything that a sequence makes its items of.
Dim length_of(const Value& items) {
  if (items.is(ObjectKind::sequence)) {
    const Sequence& sequence = items.sequence();
    if (sequence.only_the_run_knows()) fail_not_staged("the number of items");
    if (const auto* const numbered = dynamic_cast<const ops::Enumerated*>(&sequence)) return length_of(numbered->items);
    if (const auto* const progress = dynamic_cast<const ops::Progress*>(&sequence)) return length_of(progress->items);
    const auto* const zip = dynamic_cast<const ops::Zipped*>(&sequence);
    if (zip == nullptr || zip->items.empty()) return sequence.length();
    Dim least = length_of(zip->items[0]);
    for (const Value& part : zip->items) {
      const Dim length = length_of(part);
      if (length == least) continue;
      if (!length.known() || !least.known()) fail_not_staged("the number of items");
      least = std::min(least.number(), length.number());
    }
    return least;
  }
  if (is_run_list(items)) fail_not_staged("the number of items");
  if (is_operand(shaped_part(items))) return logical_type(shaped_part(items)).shape[0];
  return ops::Zipped({items}).length();
}
size_t known_length(const Value& items) {
  const Dim length = length_of(items);
  if (!length.known()) fail_not_staged("the number of items");
  return static_cast<size_t>(length.number());
}
// Where the items of `whole` have no derivative.
Value nothing_for_each(const Value& whole) { return make_list(std::vector<Value>(known_length(whole))); }
Value make_zip(std::vector<Value> parts) { return Value::adopt(new ops::Zipped(std::move(parts))); }

// `items`, or what they are made of, have those of `whole`, and may have more.
Value tangents_of_items(ops::Builder& b, const Value& whole, const Value& items, const Value*& next) {
  if (!items.is(ObjectKind::sequence) || items.sequence().only_the_run_knows()) {
    Value tangents = tangent_tree(b, items, next);
    return tangents.is_none() ? nothing_for_each(whole) : tangents;
  }
  if (const auto* const zip = dynamic_cast<const ops::Zipped*>(&items.sequence())) {
    std::vector<Value> parts;
    for (const Value& part : zip->items) parts.push_back(tangents_of_items(b, whole, part, next));
    return make_zip(std::move(parts));
  }
  if (const auto* const numbered = dynamic_cast<const ops::Enumerated*>(&items.sequence())) {
    Value tangents = tangents_of_items(b, whole, numbered->items, next);
    ++next;  // that of the first number
    return make_zip({nothing_for_each(whole), std::move(tangents)});
  }
  if (const auto* const progress = dynamic_cast<const ops::Progress*>(&items.sequence()))
    return tangents_of_items(b, whole, progress->items, next);
  next += deep_leaves(std::span(&items, 1)).size();
  return nothing_for_each(whole);
}

// A range has no tangent, as integers have none.
bool has_tangents(const Value& leaf) {
  if (!leaf.is(ObjectKind::sequence)) return false;
  const Sequence* const sequence = &leaf.sequence();
  return dynamic_cast<const ops::Zipped*>(sequence) != nullptr ||
         dynamic_cast<const ops::Enumerated*>(sequence) != nullptr ||
         dynamic_cast<const ops::Progress*>(sequence) != nullptr;
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
    if (has_tangents(leaf)) return tangents_of_items(b, leaf, leaf, next);
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

bool has_items(const Value& given) {
  const Value& shaped = shaped_part(given);
  return given.is(ObjectKind::sequence) || given.is(ObjectKind::list) || given.is(ObjectKind::tuple) ||
         (is_operand(shaped) && !logical_type(shaped).shape.empty());
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
        is_function ? add_captures(part, cotangent) : add_sequence(part, cotangent, active);
      return Value();
    }
    const std::string what = cotangent.is_none() ? "" : "a cotangent of " + rule_.name();
    const bool wanted = is_float_leaf(part);
    if (!wanted) expect_none_of_rule(cotangent, part, what);
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

// `given` is a sequence like it, or has a cotangent for each item.
void CotangentsOfArguments::add_sequence(const Value& sequence, const Value& given, bool active) {
  expect_known(sequence);
  expect_known(given);
  if (!has_tangents(sequence)) {
    expect_nothing(sequence, given);
    return skip(leaves_in(sequence));
  }
  const Dim length = length_of(sequence);
  if (has_items(given)) {
    const Dim found = length_of(given);
    if (found != length) {
      if (!found.known() || !length.known()) fail_not_staged("a cotangent of a sequence");
      const std::string what = given.is(ObjectKind::list) ? "a list" : describe(given);
      const std::string count = is_operand(shaped_part(given)) ? "" : " of " + std::to_string(found.number());
      refuse_items(std::to_string(length.number()), what + count);
    }
  }
  add_items(sequence, given, active, length);
}

// What a sequence of `length` makes its items of, and what gives their cotangents. Either may have more.
void CotangentsOfArguments::add_items(const Value& items, const Value& given, bool active, Dim length) {
  if (given.is_none() || !items.is(ObjectKind::sequence)) return add(items, fitted_items(items, given, length), active);
  const Sequence& sequence = items.sequence();
  if (const auto* const zip = dynamic_cast<const ops::Zipped*>(&sequence)) {
    const size_t count = zip->items.size();
    for (size_t i = 0; i < count; ++i) add_items(zip->items[i], part_of_items(given, i, count), active, length);
  } else if (const auto* const numbered = dynamic_cast<const ops::Enumerated*>(&sequence)) {
    expect_nothing(Value(numbered->start), part_of_items(given, 0, 2));
    add_items(numbered->items, part_of_items(given, 1, 2), active, length);
    skip(1);  // the first number
  } else if (const auto* const progress = dynamic_cast<const ops::Progress*>(&sequence)) {
    add_items(progress->items, given, active, length);
  } else {
    expect_nothing(items, given);
    skip(leaves_in(items));
  }
}

// Items without a derivative have none, each or all together.
void CotangentsOfArguments::expect_nothing(const Value& items, const Value& given) const {
  if (given.is_none()) return;
  const std::string what = "a cotangent of " + rule_.name();
  if (!given.is(ObjectKind::list) || is_run_list(given)) return expect_none_of_rule(given, items, what);
  for (const Value& item : given.list().items()) expect_none_of_rule(item, items, what);
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

// What has a cotangent for each of `length` items, as a cotangent of what the items are taken from.
Value CotangentsOfArguments::fitted_items(const Value& items, const Value& given, Dim length) const {
  if (given.is_none()) return given;
  expect_known(given);
  if (!is_container(items) && !is_float_leaf(shaped_part(items))) {
    expect_nothing(items, given);
    return {};
  }
  if (!has_items(given)) {
    refuse_items(length.known() ? std::to_string(length.number()) : describe(items), describe(given));
  }
  if (!is_container(items) && is_operand(shaped_part(given))) return fitted_tensor(items, given, length);
  std::vector<Value> all;
  if (!length.known()) fail_not_staged("a cotangent of a sequence");
  const ops::Zipped each({given});
  for (int64_t i = 0; i < length.number(); ++i) all.push_back(each.at(builder_, i).tuple().items[0]);
  if (is_container(items)) {
    all.resize(children(items)->size());
    return rebuild(items, std::move(all));
  }
  if (!is_complex(items)) return fitted_rows(items, std::move(all));
  std::vector<Value> parts[2];
  for (const Value& item : all) {
    const bool is_pair = is_complex(item);
    parts[0].push_back(is_pair ? complex_of(item).re() : item);
    parts[1].push_back(is_pair ? complex_of(item).im() : Value());
  }
  Value re = fitted_rows(complex_of(items).re(), std::move(parts[0]));
  return make_complex(std::move(re), fitted_rows(complex_of(items).im(), std::move(parts[1])));
}

// The first rows of a tensor, and zeros for the rows that no item was made of.
Value CotangentsOfArguments::fitted_tensor(const Value& rows, const Value& given, Dim length) const {
  if (is_complex(rows)) {
    const Complex& z = complex_of(rows);
    if (!is_complex(given)) return fitted_tensor(z.re(), given, length);
    Value re = fitted_tensor(z.re(), complex_of(given).re(), length);
    return make_complex(std::move(re), fitted_tensor(z.im(), complex_of(given).im(), length));
  }
  if (!is_operand(given)) return given;
  const Dim all = logical_type(rows).shape[0], found = logical_type(given).shape[0];
  if (found == length && all == length) return given;
  if (!length.known() || !all.known() || !found.known()) fail_not_staged("a cotangent of a sequence");
  Value first = found == length ? given : ops::narrow(builder_, given, 0, 0, length);
  if (all == length) return first;
  Type rest = logical_type(given);
  rest.shape[0] = all.number() - length.number();
  Value parts[] = {std::move(first), ops::zeros(builder_, rest)};
  return ops::concat(builder_, parts, 0);
}

// Cotangents of the first rows of a tensor as one of the tensor.
Value CotangentsOfArguments::fitted_rows(const Value& rows, std::vector<Value> given) const {
  Type type = logical_type(rows);
  if (!type.shape[0].known()) fail_not_staged("a cotangent of a sequence");
  if (type.shape[0] == 0) return {};
  given.resize(static_cast<size_t>(type.shape[0].number()));
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
