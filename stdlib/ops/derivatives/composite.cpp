#include "stdlib/ops/derivatives/composite.hpp"

#include <algorithm>

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/conditional_tangents.hpp"
#include "stdlib/autodiff/forward.hpp"
#include "stdlib/autodiff/pattern.hpp"
#include "stdlib/autodiff/replay.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/origins/dependence.hpp"
#include "stdlib/tensor/equal.hpp"
#include "stdlib/value/collected.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

std::vector<Value> map_args(const std::vector<Value>& args, FunctionRef<Value(const Value&)> leaf) {
  std::vector<Value> mapped;
  for (const Value& arg : args) mapped.push_back(map_deep(arg, leaf));
  return mapped;
}

bool is_active_at(uint64_t level, const std::vector<Value>& args) {
  return std::ranges::any_of(deep_leaves(args),
                             [&](const Value& leaf) { return is_traced_at(leaf, level) && is_active(leaf.traced()); });
}

// --- on a tape ---

class TapedComposite final : public Composite {
 public:
  TapedComposite(std::shared_ptr<CompositeRule> rule, std::vector<Value> args, std::shared_ptr<FirstRun> first)
      : rule_(std::move(rule)), args_(std::move(args)), first_(std::move(first)) {}
  void set_result(const Value& result) { result_ = result; }
  bool meets() const override { return rule_->of_all_ranks; }

  std::vector<Value> cotangents(ops::Builder& b, std::span<const Value> results) override {
    size_t next = 0;
    ops::RuleContext rules(b, false);
    const Value cotangent = map_leaves(result_, [&](const Value& leaf) {
      if (!is_float_leaf(leaf)) return Value();
      return conditional_tangents(b).completed(
          results[next++], [&](Value given) { return given.is_none() ? rules.zeros(logical_type(leaf)) : given; });
    });
    const auto reverse = [&] { return rule_->reverse(b, args_, result_, cotangent); };
    return first_ == nullptr ? reverse() : first_->run_again(b, reverse);
  }

 private:
  const std::shared_ptr<CompositeRule> rule_;
  const std::vector<Value> args_;
  const std::shared_ptr<FirstRun> first_;  // of a rule that replays
  Value result_;
};

Value record_composite(ops::Builder& b, const OpenLevel& level, const std::shared_ptr<CompositeRule>& rule,
                       const std::vector<Value>& args) {
  std::vector<uint32_t> nodes;
  std::vector<Value> plain = map_args(args, [&](const Value& leaf) {
    const bool mine = is_traced_at(leaf, level.level);
    nodes.push_back(mine ? leaf.traced().node : 0);
    return mine ? leaf.traced().primal : leaf;
  });
  rule->of_all_ranks |= level.of_all_ranks;
  const std::shared_ptr<FirstRun> first = rule->replays() ? std::make_shared<FirstRun>(b.context()) : nullptr;
  auto composite = std::make_unique<TapedComposite>(rule, plain, first);
  const ActingScope acting(level);
  const Span* site = b.context().site;
  const auto run = [&] { return apply_composite(b, rule, plain); };
  const Value result = first == nullptr ? run() : first->run(b, run);
  if (first != nullptr && hides_floats(result)) return first->run_again(b, [&] { return rule->forward(b, args); });
  composite->set_result(result);
  uint32_t floats = 0;
  each_leaf(result, [&](const Value& leaf) { floats += is_float_leaf(leaf); });
  uint32_t node = level.tape->record(std::move(composite), nodes, floats, site);
  return map_leaves(
      result, [&](const Value& leaf) { return is_float_leaf(leaf) ? make_tape(level.level, leaf, node++) : leaf; });
}

// Functions in the result depend on what the body gives them. A rule may give numbers a derivative that the body has
// not: they depend on all arguments.
Value look_through(ops::Builder& b, const OpenLevel& level, const std::shared_ptr<CompositeRule>& rule,
                   const std::vector<Value>& args) {
  const std::vector<Value> leaves = deep_leaves(args);
  const auto active = std::ranges::find_if(leaves, [&](const Value& leaf) { return is_traced_at(leaf, level.level); });
  const Value result = rule->forward(b, args);
  return active == leaves.end() ? result : depending(level, *active, result);
}

// --- in forward mode ---

Value push_composite(ops::Builder& b, const OpenLevel& level, const std::shared_ptr<CompositeRule>& rule,
                     const std::vector<Value>& args) {
  std::vector<Value> tangents;
  std::vector<Value> plain = map_args(args, [&](const Value& leaf) {
    const bool mine = is_traced_at(leaf, level.level);
    tangents.push_back(mine ? leaf.traced().tangent : Value());
    if (tangents.back().is_unbound()) fail_not_staged("the tangent of a function with its own rule");
    return mine ? leaf.traced().primal : leaf;
  });
  const ActingScope acting(level);
  const Value result = apply_composite(b, rule, plain);
  const Value moved = rule->tangents(b, plain, result, tangents);
  if (moved.is_none()) return result;
  const Value trees[] = {result, moved};
  return map_trees(trees, [&](std::span<const Value> pair) {
    return pair[1].is_none() ? pair[0] : make_jvp(level.level, pair[0], pair[1]);
  });
}

// --- under a pattern ---

// The rule runs with tangents that have sets: they are ones, since a rule may look for zeros.
Value pattern_of_composite(ops::Builder& b, const OpenLevel& level, const std::shared_ptr<CompositeRule>& rule,
                           const std::vector<Value>& args) {
  Pattern& pattern = *level.pattern;
  if (rule->only_backwards() && is_active_at(level.level, args)) pattern.pass_rule();
  if (!is_active_at(level.level, args) || (!rule->has_tangents() && (rule->replays() || !rule->has_cotangents())))
    return rule->forward(b, args);
  std::vector<Value> tangents;
  std::vector<Value> plain = map_args(args, [&](const Value& leaf) {
    tangents.emplace_back();
    if (!is_traced_at(leaf, level.level)) return leaf;
    const Traced& traced = leaf.traced();
    if (!traced.tangent.is_none()) {
      const Type type = logical_type(leaf);
      Value ones = ops::broadcast_to(b, ops::RuleContext(b, false).number(1, type.dtype), type.shape);
      tangents.back() = pattern.wrap(std::move(ones), traced.tangent, traced.node);
    }
    return pattern.wrap(traced.primal, Value(), traced.node);
  });
  const Value result = apply_composite(b, rule, plain);
  Value moved;
  const auto run = [&] { moved = rule->tangents(b, plain, result, tangents); };
  if (!rule->has_tangents() || !pattern.run_rule(args[0], run)) return pattern.on_all(args, result);
  if (moved.is_none()) return result;
  const Value trees[] = {result, moved};
  return map_trees(trees, [&](std::span<const Value> pair) {
    if (!is_traced_at(pair[1], level.level)) return pair[0];
    return pattern.wrap(pair[0], pair[1].traced().tangent, pair[1].traced().node);
  });
}

// --- under a vmap ---

bool is_whole(const Value& leaf) {
  if (leaf.is(ObjectKind::sequence)) return !leaf.sequence().only_the_run_knows();
  return leaf.is(ObjectKind::function) || leaf.is(ObjectKind::string);
}

// Functions, sequences and strings in the result of a rule. The results of examples are stacked, but not these: they
// hold the values of all examples, as those do that a vmap meets without a rule.
class HeldExamples {
 public:
  // `level`: of the vmap that the rule is under.
  explicit HeldExamples(uint64_t level) : level_(level) {}

  // The result with none in place of each, as it is under a batch of another level, or of one example.
  Value without(const ops::Builder& b, const Value& result, uint64_t batch, const Value& example) {
    std::vector<Value> found;
    Value rest = map_leaves(result, [&](const Value& leaf) {
      if (is_whole(leaf)) found.push_back(map_deep(leaf, [&](const Value& held) { return moved(held, batch); }));
      return is_whole(leaf) ? Value() : leaf;
    });
    if (found.empty()) return result;
    if (!example.is_none() && !b.is_eager() && !deep_leaves(found).empty())
      fail_not_staged("a function or a sequence for each example");
    if (example.is_none() || !of_examples_) {
      held_ = std::move(found);
    } else if (!std::ranges::equal(found, held_, values_equal) || is_traced(found)) {
      return result;  // an error: there is one for each example
    }
    of_examples_ = !example.is_none();
    place_in(result);
    return rest;
  }
  // The stacked results with them.
  Value with(const Value& stacked) const {
    if (held_.empty()) return stacked;
    size_t leaf = 0, next = 0;
    return map_leaves(stacked, [&](const Value& rest) { return is_held_[leaf++] ? held_[next++] : rest; });
  }

 private:
  Value moved(const Value& held, uint64_t batch) const {
    const Value* at = &held;
    while (at->is_traced() && at->traced().level != batch) at = &at->traced().primal;
    return at->is_traced() ? make_batch(level_, at->traced().primal) : held;
  }
  static bool is_traced(const std::vector<Value>& found) {
    return std::ranges::any_of(deep_leaves(found), [](const Value& leaf) { return leaf.is_traced(); });
  }
  void place_in(const Value& result) {
    is_held_.clear();
    each_leaf(result, [&](const Value& leaf) { is_held_.push_back(is_whole(leaf)); });
  }

  const uint64_t level_;
  std::vector<Value> held_;
  std::vector<bool> is_held_;  // by leaf
  bool of_examples_ = false;   // one by one
};

class BatchedRule final : public CompositeRule {
 public:
  BatchedRule(std::shared_ptr<CompositeRule> rule, std::vector<bool> batched, const OpenLevel& level)
      : rule_(std::move(rule)), batched_(std::move(batched)), size_(level.size), replaces_(level.level) {}

  Value forward(ops::Builder& b, const std::vector<Value>& args) override {
    HeldExamples held(replaces_);
    const auto each = [&](uint64_t level, const Value& example) {
      return held.without(b, rule_->forward(b, examples(b, args, level, example)), level, example);
    };
    return held.with(over_examples(b, size_, BatchView{false, replaces_}, "vmap", each));
  }

  std::vector<Value> reverse(ops::Builder& b, const std::vector<Value>& args, const Value& result,
                             const Value& cotangent) override {
    rule_->of_all_ranks = of_all_ranks;
    const Value found =
        over_examples(b, size_, BatchView{false, replaces_}, "vmap", [&](uint64_t level, const Value& example) {
          const auto of_example = [&](const Value& tree) { return example_of_result(b, tree, level, example); };
          return make_tuple(
              rule_->reverse(b, examples(b, args, level, example), of_example(result), of_example(cotangent)));
        });
    return sum_unbatched(b, args, found.tuple().items);
  }

  Value tangents(ops::Builder& b, const std::vector<Value>& args, const Value& result,
                 const std::vector<Value>& tangents) override {
    return over_examples(b, size_, BatchView{false, replaces_}, "vmap", [&](uint64_t level, const Value& example) {
      std::vector<Value> moved = tangents;
      for (size_t i = 0; i < moved.size(); ++i) {
        if (!moved[i].is_none() && batched_[i]) moved[i] = example_leaf(b, moved[i], level, example);
      }
      return rule_->tangents(b, examples(b, args, level, example), example_of_result(b, result, level, example), moved);
    });
  }

  bool has_cotangents() const override { return rule_->has_cotangents(); }
  bool has_tangents() const override { return rule_->has_tangents(); }
  bool keeps_result() const override { return rule_->keeps_result(); }
  bool replays() const override { return rule_->replays(); }
  bool meets() const override { return rule_->meets(); }

 private:
  static Value example_leaf(ops::Builder& b, const Value& leaf, uint64_t level, const Value& example) {
    return example.is_none() ? make_batch(level, leaf) : example_of(b, leaf, example);
  }
  Value example_of_result(ops::Builder& b, const Value& tree, uint64_t level, const Value& example) const {
    return map_leaves(tree, [&](const Value& leaf) {
      if (is_operand(leaf)) return example_leaf(b, leaf, level, example);
      return map_deep(leaf, [&](const Value& held) {
        return is_traced_at(held, replaces_) ? example_leaf(b, held.traced().primal, level, example) : held;
      });
    });
  }
  std::vector<Value> examples(ops::Builder& b, const std::vector<Value>& args, uint64_t level,
                              const Value& example) const {
    size_t next = 0;
    return map_args(args,
                    [&](const Value& leaf) { return batched_[next++] ? example_leaf(b, leaf, level, example) : leaf; });
  }
  // What is the same for all examples gets the sum of their cotangents.
  std::vector<Value> sum_unbatched(ops::Builder& b, const std::vector<Value>& args,
                                   std::vector<Value> cotangents) const {
    ops::RuleContext rules(b, false);
    const std::vector<Value> leaves = deep_leaves(args);
    for (size_t i = 0; i < cotangents.size(); ++i) {
      if (cotangents[i].is_none() || batched_[i]) continue;
      cotangents[i] = rules.sum_to(std::move(cotangents[i]), logical_type(leaves[i]));
    }
    return cotangents;
  }

  const std::shared_ptr<CompositeRule> rule_;
  const std::vector<bool> batched_;
  const Dim size_;
  const uint64_t replaces_;
};

Value batch_composite(ops::Builder& b, const OpenLevel& level, const std::shared_ptr<CompositeRule>& rule,
                      const std::vector<Value>& args) {
  std::vector<bool> batched;
  std::vector<Value> physical = map_args(args, [&](const Value& leaf) {
    const bool mine = is_traced_at(leaf, level.level);
    batched.push_back(mine);
    return mine ? leaf.traced().primal : leaf;
  });
  auto over = std::make_shared<BatchedRule>(rule, std::move(batched), level);
  const Value result = apply_composite(b, over, physical);
  return map_leaves(result, [&](const Value& leaf) { return is_operand(leaf) ? make_batch(level.level, leaf) : leaf; });
}

}  // namespace

std::vector<Value> deep_leaves(std::span<const Value> args) {
  Collected<Value> leaves;
  for (const Value& arg : args) {
    map_deep(arg, [&](const Value& leaf) {
      leaves.push(leaf);
      return leaf;
    });
  }
  return leaves.take();
}

bool hides_floats(const Value& tree) {
  bool found = false;
  each_leaf(tree, [&](const Value& leaf) {
    const bool is_function = leaf.is(ObjectKind::function);
    if (!is_function && (!leaf.is(ObjectKind::sequence) || leaf.sequence().only_the_run_knows())) return;
    found |= (is_function && leaf.function().holds_more()) ||
             std::ranges::any_of(deep_leaves(std::span(&leaf, 1)), is_float_leaf);
  });
  return found;
}

const OpenLevel* highest_level(const ops::Context& context, std::span<const Value> args) {
  const OpenLevel* highest = nullptr;
  for (const Value& leaf : deep_leaves(args)) {
    for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
      const OpenLevel* open = find_level(context, at->traced().level);
      if (open == nullptr) continue;
      if (highest == nullptr || open->level > highest->level) highest = open;
      break;
    }
  }
  return highest;
}

Value CompositeRule::tangents(ops::Builder&, const std::vector<Value>&, const Value&, const std::vector<Value>&) {
  return {};
}

void note_rule(const ops::Context& context) {
  for (const OpenLevel* level = context.innermost; level != nullptr; level = level->outer) {
    if (level->notes_rules) level->tape->record(std::make_unique<PassedRules>(RuleUse::all), {}, 0, nullptr);
  }
}

Value apply_composite(ops::Builder& b, const std::shared_ptr<CompositeRule>& rule, const std::vector<Value>& args) {
  const OpenLevel* level = highest_level(b.context(), args);
  const OpenLevel* const follower =
      rule->meets() ? innermost_follower(b.context()) : follower_of_functions(b.context());
  if (follower != nullptr && (level == nullptr || level->level < follower->level)) level = follower;
  if (level == nullptr) return rule->forward(b, args);
  switch (level->kind) {
    case TraceKind::tape:
      if (level->only_looks) return look_through(b, *level, rule, args);
      if (rule->has_cotangents()) return record_composite(b, *level, rule, args);
      if (rule->has_tangents() && level->passes_rule != nullptr) *level->passes_rule = true;
      return rule->forward(b, args);
    case TraceKind::jvp:
      if (level->pattern != nullptr) return pattern_of_composite(b, *level, rule, args);
      if (rule->has_tangents()) return push_composite(b, *level, rule, args);
      if (rule->only_backwards() && level->passes_rule != nullptr) *level->passes_rule = true;
      return rule->forward(b, args);
    case TraceKind::batch: break;
  }
  return batch_composite(b, *level, rule, args);
}

}  // namespace covec::autodiff
