#include "stdlib/autodiff/rules_of_functions.hpp"

#include "stdlib/autodiff/composite.hpp"
#include "stdlib/autodiff/taped.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// The arguments in the order of the parameters, by position; by name, which come last, only those behind a rest.
struct Ordered {
  std::vector<Value> args;
  std::vector<std::string_view> names;
};

// f itself comes first among a rule's arguments, so that what it has captured is an argument.
Value call_first(ops::Builder& b, const std::vector<Value>& args, std::span<const std::string_view> names,
                 size_t skip = 1) {
  std::vector<Value> given(args.begin() + skip, args.end());
  return args[0].function().call(b, given, names);
}

Ordered in_order(const Callable& f, std::span<Value> args, std::span<const std::string_view> keywords) {
  const Arguments arguments(f, args, keywords);
  Ordered ordered;
  const std::vector<std::string_view> names = f.parameter_names();
  std::vector<Value> by_names;
  for (size_t i = args.size() - keywords.size(); i < args.size(); ++i) {
    const size_t parameter = arguments.parameter_of(i);
    if (parameter < by_name) continue;
    by_names.push_back(args[i]);
    ordered.names.push_back(parameter == std::string_view::npos ? keywords[i + keywords.size() - args.size()]
                                                                : names[parameter - by_name]);
  }
  for (size_t parameter = 0; ordered.args.size() + by_names.size() < args.size(); ++parameter) {
    const int slot = arguments.find(parameter);
    if (slot < 0) fail(message("rule_arguments"), {f.name(), arguments.name_of(parameter)});
    ordered.args.push_back(args[static_cast<size_t>(slot)]);
  }
  ordered.args.insert(ordered.args.end(), by_names.begin(), by_names.end());
  return ordered;
}

bool is_anything_traced(const ops::Context& context, const Value& f, std::span<const Value> args) {
  if (context.innermost == nullptr) return false;
  return highest_level(context, std::span(&f, 1)) != nullptr || highest_level(context, args) != nullptr;
}

bool is_on_tape(const ops::Context& context, const Value& leaf) {
  for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
    const Traced& traced = at->traced();
    if (traced.trace == TraceKind::tape && find_level(context, traced.level) != nullptr) return true;
  }
  return false;
}

// --- a call done again, for its cotangents ---

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

// Calls the first of `args` with the others; gives a cotangent for each deep leaf of all of them, for that of the
// result which `cotangent_of` says.
std::vector<Value> cotangents_of_call(ops::Builder& b, const std::vector<Value>& args,
                                      std::span<const std::string_view> names,
                                      const std::function<Value(const TapedRun&)>& cotangent_of) {
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
    run.result = call_first(b, traced, names);
  }
  std::vector<Value> cotangents(run.tape.nodes() + 1);
  seed(b, run, cotangent_of(run), cotangents);
  sweep(b, run.tape, cotangents, SweepOptions{.consume = true});
  std::vector<Value> found;
  for (uint32_t node : inputs) found.push_back(node == 0 ? Value() : cotangents[node]);
  return found;
}

// --- checkpoint ---

class CheckpointRule final : public CompositeRule {
 public:
  explicit CheckpointRule(std::vector<std::string_view> names) : names_(std::move(names)) {}
  Value forward(ops::Builder& b, const std::vector<Value>& args) override { return call_first(b, args, names_); }
  std::vector<Value> reverse(ops::Builder& b, const std::vector<Value>& args, const Value&,
                             const Value& cotangent) override {
    return cotangents_of_call(b, args, names_, [&](const TapedRun&) { return cotangent; });
  }
  bool replays() const override { return true; }

 private:
  const std::vector<std::string_view> names_;
};

class Checkpoint final : public Transformed {
 public:
  explicit Checkpoint(Value f) : Transformed("checkpoint", std::move(f)) {}
  Value call(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    if (!is_anything_traced(b.context(), function_, args)) return function().call(b, args, keywords);
    Ordered all = in_order(function(), args, keywords);
    all.args.insert(all.args.begin(), function_);
    return apply_composite(b, std::make_shared<CheckpointRule>(std::move(all.names)), std::move(all.args));
  }
  std::string staging_key() const override { return "checkpoint"; }

 protected:
  Value with_function(Value f) const override { return make_checkpoint(std::move(f)); }
};

// --- @derivative ---

// A function among the arguments has captured what a derivative follows.
bool captures_active(const ops::Context& context, const Value& arg) {
  bool active = false;
  each_leaf(arg, [&](const Value& part) {
    if (!part.is(ObjectKind::function)) return;
    for (const Value& leaf : deep_leaves(std::span(&part, 1))) active |= is_on_tape(context, leaf);
  });
  return active;
}

// The arguments are f, the rule, then those of the call.
class UserRule final : public CompositeRule {
 public:
  // `active`: by argument, whether it has functions that have captured what a derivative follows.
  UserRule(std::vector<std::string_view> names, std::vector<bool> active)
      : names_(std::move(names)), active_(std::move(active)) {}
  Value forward(ops::Builder& b, const std::vector<Value>& args) override { return call_first(b, args, names_, 2); }

  std::vector<Value> reverse(ops::Builder& b, const std::vector<Value>& args, const Value& result,
                             const Value& cotangent) override {
    const Callable& rule = args[1].function();
    std::vector<Value> given(args.begin() + 2, args.end());
    const auto named = given.end() - static_cast<ptrdiff_t>(names_.size());
    given.insert(given.insert(named, result) + 1, cotangent);
    const Value found = args[1].function().call(b, given, names_);
    const size_t count = args.size() - 2;
    const std::vector<Value> cotangents = count == 1 ? std::vector<Value>{found} : as_arguments(found);
    if (cotangents.size() != count) {
      fail(message("rule_results"), {rule.name(), std::to_string(count), std::to_string(cotangents.size())});
    }
    std::vector<Value> leaves;
    leaves.resize(deep_leaves(std::span(args).first(2)).size());
    for (size_t i = 0; i < count; ++i) append(b, rule, args[i + 2], cotangents[i], active_[i], leaves);
    return leaves;
  }

 private:
  static void append(ops::Builder& b, const Callable& rule, const Value& arg, const Value& cotangent, bool active,
                     std::vector<Value>& leaves) {
    const auto nothing_for = [&](const Value& part) {
      if (active && has_function(part)) fail(message("rule_function_captures"), {rule.name()});
      leaves.resize(leaves.size() + deep_leaves(std::span(&part, 1)).size());
    };
    if (cotangent.is_none()) return nothing_for(arg);
    const Value trees[] = {arg, cotangent};
    map_trees(trees, [&](std::span<const Value> pair) {
      if (pair[0].is(ObjectKind::function)) {
        pair[1].is_none() ? nothing_for(pair[0]) : append_captures(b, rule, pair[0], pair[1], leaves);
        return Value();
      }
      const bool wanted = is_float_leaf(pair[0]) && !pair[1].is_none();
      leaves.push_back(wanted ? fit_to(b, pair[1], logical_type(pair[0]), "a cotangent of " + rule.name()) : Value());
      return Value();
    });
  }
  static bool has_function(const Value& tree) {
    bool found = false;
    each_leaf(tree, [&](const Value& part) { found |= part.is(ObjectKind::function); });
    return found;
  }
  // For a function the rule gives a function of it, whose gradient by what it has captured is the cotangent of that.
  static void append_captures(ops::Builder& b, const Callable& rule, const Value& f, const Value& measure,
                              std::vector<Value>& leaves) {
    if (!measure.is(ObjectKind::function)) fail(message("rule_of_function"), {rule.name(), describe(measure)});
    const std::vector<Value> call = {measure, f};
    const std::vector<Value> found = cotangents_of_call(b, call, {}, [&](const TapedRun& run) {
      const Value result = run.plain_result();
      const bool number = is_float_leaf(result) && logical_type(result).shape.rank() == 0;
      if (!number) fail(message("rule_of_function"), {rule.name(), "one that gives " + describe(result)});
      return ops::RuleContext(b, false).number(1, logical_type(result).dtype);
    });
    const auto own = static_cast<ptrdiff_t>(deep_leaves(std::span(call).first(1)).size());
    leaves.insert(leaves.end(), found.begin() + own, found.end());
  }
  const std::vector<std::string_view> names_;
  const std::vector<bool> active_;
};

class WithRule final : public Transformed {
 public:
  WithRule(Value f, Value rule) : Transformed("", std::move(f)), rule_(std::move(rule)) {}
  std::string name() const override { return function().name(); }
  std::vector<Value> captures() const override { return {function_, rule_}; }
  Value with_captures(std::vector<Value> values) const override { return attach_rule(values.at(0), values.at(1)); }

  Value call(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    if (!is_anything_traced(b.context(), function_, args)) return function().call(b, args, keywords);
    Ordered all = in_order(function(), args, keywords);
    expect_all(args, keywords);
    check_captures(b.context());
    std::vector<bool> active;
    for (const Value& arg : all.args) active.push_back(captures_active(b.context(), arg));
    const Value own[] = {function_, rule_};
    all.args.insert(all.args.begin(), own, own + 2);
    auto rule = std::make_shared<UserRule>(std::move(all.names), std::move(active));
    return apply_composite(b, std::move(rule), std::move(all.args));
  }
  std::string staging_key() const override { return "rule"; }

 protected:
  Value with_function(Value f) const override { return attach_rule(std::move(f), rule_); }

 private:
  void expect_all(std::span<Value> args, std::span<const std::string_view> keywords) const {
    const std::vector<std::string_view> names = function().parameter_names();
    const Arguments arguments(function(), args, keywords);
    for (size_t place = 0; place < names.size(); ++place) {
      if (static_cast<int>(place) == rest_parameter()) continue;
      if (arguments.find(number_at(function(), static_cast<int>(place))) < 0)
        fail(message("rule_arguments"), {name(), std::string(names[place])});
    }
  }
  // A rule speaks of arguments only: what f has captured would silently count as a constant.
  void check_captures(const ops::Context& context) const {
    for (const Value& leaf : deep_leaves(std::span(&function_, 1))) {
      if (is_on_tape(context, leaf)) fail(message("rule_captures"), {name()});
    }
  }
  const Value rule_;
};

}  // namespace

Value make_checkpoint(Value f) { return make_function<Checkpoint>(std::move(f)); }

Value attach_rule(Value f, Value rule) { return make_function<WithRule>(std::move(f), std::move(rule)); }

}  // namespace covec::autodiff
