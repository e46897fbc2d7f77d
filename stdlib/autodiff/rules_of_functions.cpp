#include "stdlib/autodiff/rules_of_functions.hpp"

#include "stdlib/autodiff/composite.hpp"
#include "stdlib/autodiff/taped.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// f itself comes first among a rule's arguments, so that what it has captured is an argument.
Value call_first(ops::Builder& b, const std::vector<Value>& args, size_t skip = 1) {
  std::vector<Value> given(args.begin() + skip, args.end());
  return args[0].function().call(b, given, {});
}

// The arguments in the order of the parameters, keywords resolved. `complete`: one for every parameter.
std::vector<Value> positional(const Callable& f, std::span<Value> args, std::span<const std::string_view> keywords) {
  const Arguments arguments(f, args, keywords);
  std::vector<Value> ordered;
  for (size_t parameter = 0; ordered.size() < args.size(); ++parameter) {
    const int slot = arguments.find(parameter);
    if (slot < 0) fail(message("rule_arguments"), {f.name(), arguments.name_of(parameter)});
    ordered.push_back(args[static_cast<size_t>(slot)]);
  }
  return ordered;
}

bool is_anything_traced(const ops::Context& context, const Value& f, std::span<const Value> args) {
  if (context.innermost == nullptr) return false;
  return highest_level(context, std::span(&f, 1)) != nullptr || highest_level(context, args) != nullptr;
}

// --- checkpoint ---

class CheckpointRule final : public CompositeRule {
 public:
  Value forward(ops::Builder& b, const std::vector<Value>& args) override { return call_first(b, args); }

  std::vector<Value> reverse(ops::Builder& b, const std::vector<Value>& args, const Value&,
                             const Value& cotangent) override {
    TapedRun run(b.pool());
    std::vector<uint32_t> inputs;
    {
      LevelScope scope(b.context(), TraceKind::tape);
      scope.open().tape = &run.tape;
      run.level = scope.level();
      std::vector<Value> traced;
      for (const Value& arg : args) {
        traced.push_back(map_deep(arg, [&](const Value& leaf) {
          inputs.push_back(is_float_leaf(leaf) ? run.tape.add_input() : 0);
          return inputs.back() == 0 ? leaf : make_tape(scope.level(), leaf, inputs.back());
        }));
      }
      run.result = call_first(b, traced);
    }
    std::vector<Value> cotangents(run.tape.nodes() + 1);
    seed(b, run, cotangent, cotangents);
    sweep(b, run.tape, cotangents, SweepOptions{.consume = true});
    std::vector<Value> found;
    for (uint32_t node : inputs) found.push_back(node == 0 ? Value() : cotangents[node]);
    return found;
  }
  bool replays() const override { return true; }

 private:
  static void seed(ops::Builder& b, const TapedRun& run, const Value& given, std::vector<Value>& cotangents) {
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
};

class Checkpoint final : public Transformed {
 public:
  explicit Checkpoint(Value f) : Transformed("checkpoint", std::move(f)) {}
  Value call(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    if (!is_anything_traced(b.context(), function_, args)) return function().call(b, args, keywords);
    std::vector<Value> all = positional(function(), args, keywords);
    all.insert(all.begin(), function_);
    return apply_composite(b, std::make_shared<CheckpointRule>(), std::move(all));
  }
  std::string staging_key() const override { return "checkpoint"; }

 protected:
  Value with_function(Value f) const override { return make_checkpoint(std::move(f)); }
};

// --- @derivative ---

// The arguments are f, the rule, then those of the call.
class UserRule final : public CompositeRule {
 public:
  Value forward(ops::Builder& b, const std::vector<Value>& args) override { return call_first(b, args, 2); }

  std::vector<Value> reverse(ops::Builder& b, const std::vector<Value>& args, const Value& result,
                             const Value& cotangent) override {
    const Callable& rule = args[1].function();
    std::vector<Value> given(args.begin() + 2, args.end());
    given.push_back(result);
    given.push_back(cotangent);
    const Value found = args[1].function().call(b, given, {});
    const size_t count = args.size() - 2;
    const std::vector<Value> cotangents = count == 1 ? std::vector<Value>{found} : as_arguments(found);
    if (cotangents.size() != count) {
      fail(message("rule_results"), {rule.name(), std::to_string(count), std::to_string(cotangents.size())});
    }
    std::vector<Value> leaves;
    leaves.resize(deep_leaves(std::span(args).first(2)).size());
    for (size_t i = 0; i < count; ++i) append(b, rule, args[i + 2], cotangents[i], leaves);
    return leaves;
  }

 private:
  static void append(ops::Builder& b, const Callable& rule, const Value& arg, const Value& cotangent,
                     std::vector<Value>& leaves) {
    if (cotangent.is_none()) {
      leaves.resize(leaves.size() + deep_leaves(std::span(&arg, 1)).size());
      return;
    }
    const Value trees[] = {arg, cotangent};
    map_trees(trees, [&](std::span<const Value> pair) {
      if (pair[0].is(ObjectKind::function)) {
        leaves.resize(leaves.size() + deep_leaves(pair.first(1)).size());
        return Value();
      }
      const bool wanted = is_float_leaf(pair[0]) && !pair[1].is_none();
      leaves.push_back(wanted ? fit_to(b, pair[1], logical_type(pair[0]), "a cotangent of " + rule.name()) : Value());
      return Value();
    });
  }
};

class WithRule final : public Transformed {
 public:
  WithRule(Value f, Value rule) : Transformed("", std::move(f)), rule_(std::move(rule)) {}
  std::string name() const override { return function().name(); }
  std::vector<Value> captures() const override { return {function_, rule_}; }
  Value with_captures(std::vector<Value> values) const override { return attach_rule(values.at(0), values.at(1)); }

  Value call(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    if (!is_anything_traced(b.context(), function_, args)) return function().call(b, args, keywords);
    std::vector<Value> all = positional(function(), args, keywords);
    if (all.size() < function().parameter_names().size()) {
      fail(message("rule_arguments"), {name(), std::string(function().parameter_names()[all.size()])});
    }
    check_captures(b.context());
    const Value own[] = {function_, rule_};
    all.insert(all.begin(), own, own + 2);
    return apply_composite(b, std::make_shared<UserRule>(), std::move(all));
  }
  std::string staging_key() const override { return "rule"; }

 protected:
  Value with_function(Value f) const override { return attach_rule(std::move(f), rule_); }

 private:
  // A rule speaks of arguments only: what f has captured would silently count as a constant.
  void check_captures(const ops::Context& context) const {
    for (const Value& leaf : deep_leaves(std::span(&function_, 1))) {
      for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
        const Traced& traced = at->traced();
        if (traced.trace == TraceKind::tape && find_level(context, traced.level) != nullptr)
          fail(message("rule_captures"), {name()});
      }
    }
  }
  const Value rule_;
};

}  // namespace

Value make_checkpoint(Value f) { return make_function<Checkpoint>(std::move(f)); }

Value attach_rule(Value f, Value rule) { return make_function<WithRule>(std::move(f), std::move(rule)); }

}  // namespace covec::autodiff
