#include "stdlib/ops/derivatives/rules_of_functions.hpp"

#include <algorithm>

#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/replay.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/arguments_of_rules.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/origins/dependence.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// The arguments in the order of the parameters, by position; by name, which come last, only those behind a rest, and
// options.
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

// Whether a name is that of no parameter, or of one that is given already: the call is an error of the function.
bool is_misnamed(const Callable& f, std::span<Value> args, std::span<const std::string_view> keywords) {
  const Arguments arguments(f, args, keywords);
  for (size_t i = args.size() - keywords.size(); i < args.size(); ++i) {
    const size_t parameter = arguments.parameter_of(i);
    if (parameter == std::string_view::npos && f.callable_kind != CallableKind::host) return true;
    if (parameter == std::string_view::npos) continue;
    for (size_t before = 0; before < i; ++before) {
      if (arguments.parameter_of(before) == parameter) return true;
    }
  }
  return false;
}

Ordered in_order(const Callable& f, std::span<Value> args, std::span<const std::string_view> keywords) {
  const Arguments arguments(f, args, keywords);
  Ordered ordered;
  const std::vector<std::string_view> names = f.parameter_names();
  std::vector<Value> by_names;
  for (size_t i = args.size() - keywords.size(); i < args.size(); ++i) {
    const size_t parameter = arguments.parameter_of(i);
    const std::string_view keyword = keywords[i + keywords.size() - args.size()];
    if (parameter < by_name && keyword != all_options) continue;
    by_names.push_back(args[i]);
    const bool as_given = parameter == std::string_view::npos || keyword == all_options;
    ordered.names.push_back(as_given ? keyword : names[parameter - by_name]);
  }
  for (size_t parameter = 0; ordered.args.size() + by_names.size() < args.size(); ++parameter) {
    const int slot = arguments.find(parameter);
    if (slot < 0) fail(message("rule_arguments"), {f.name(), arguments.name_of(parameter)});
    ordered.args.push_back(args[static_cast<size_t>(slot)]);
  }
  ordered.args.insert(ordered.args.end(), by_names.begin(), by_names.end());
  return ordered;
}

// The highest level that has traced anything; nullptr: none has.
const OpenLevel* tracing_level(const ops::Context& context, const Value& f, std::span<const Value> args) {
  const OpenLevel* const of_f = highest_level(context, std::span(&f, 1));
  const OpenLevel* const of_args = highest_level(context, args);
  return of_f == nullptr || (of_args != nullptr && of_args->level > of_f->level) ? of_args : of_f;
}
bool only_looks(const OpenLevel* level) { return level != nullptr && level->only_looks; }

std::vector<Value> with_replayed_pullbacks(const ops::Context& context, std::span<const Value> args) {
  std::vector<Value> replayed;
  for (const Value& arg : args) replayed.push_back(autodiff::with_replayed_pullbacks(context, arg));
  return replayed;
}

// Whether a derivative follows the leaf for which `counts` holds.
bool is_active(const ops::Context& context, const Value& leaf, FunctionRef<bool(const OpenLevel&)> counts) {
  for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
    if (!is_active(at->traced())) continue;
    const OpenLevel* const level = find_level(context, at->traced().level);
    if (level != nullptr && !only_looks(level) && counts(*level)) return true;
  }
  return false;
}
bool is_active(const ops::Context& context, const Value& leaf, TraceKind mode) {
  return is_active(context, leaf, [&](const OpenLevel& level) { return level.kind == mode; });
}

// --- checkpoint ---

class CheckpointRule final : public CompositeRule {
 public:
  explicit CheckpointRule(std::vector<std::string_view> names) : names_(std::move(names)) {}
  Value forward(ops::Builder& b, const std::vector<Value>& args) override { return call_first(b, args, names_); }
  std::vector<Value> reverse(ops::Builder& b, const std::vector<Value>& args, const Value&,
                             const Value& cotangent) override {
    return cotangents_of_call(b, args, names_, of_all_ranks, [&](const TapedRun&) { return cotangent; });
  }
  bool replays() const override { return true; }

 private:
  const std::vector<std::string_view> names_;
};

class Checkpoint final : public Transformed {
 public:
  explicit Checkpoint(Value f) : Transformed("checkpoint", std::move(f)) {}
  Value apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    const ops::Context& context = b.context();
    if (context.innermost == nullptr || is_misnamed(function(), args, keywords))
      return function().call(b, args, keywords);
    note_rule(context);
    std::vector<Value> given = with_replayed_pullbacks(context, args);
    Value f = autodiff::with_replayed_pullbacks(context, function_);
    const OpenLevel* const level = tracing_level(context, f, given);
    if (level == nullptr ? follower_of_functions(context) == nullptr : only_looks(level))
      return function().call(b, args, keywords);
    Ordered all = in_order(function(), given, keywords);
    all.args.insert(all.args.begin(), std::move(f));
    return apply_composite(b, std::make_shared<CheckpointRule>(std::move(all.names)), all.args);
  }
  std::string staging_key() const override { return "checkpoint"; }

 protected:
  Value with_function(Value f) const override { return make_checkpoint(std::move(f)); }
};

// --- @derivative ---

// A function among the arguments, or in a sequence, has captured active values.
bool captures_active(const ops::Context& context, const Value& arg) {
  bool active = false;
  each_leaf(arg, [&](const Value& part) {
    if (part.is(ObjectKind::function)) {
      for (const Value& leaf : deep_leaves(std::span(&part, 1))) active |= is_active(context, leaf, TraceKind::tape);
    } else if (part.is(ObjectKind::sequence)) {
      for (const Value& held : part.sequence().parts()) active |= captures_active(context, held);
    }
  });
  return active;
}

// The arguments are f, its rules (none where it has none of that mode), then those of the call.
constexpr size_t own_arguments = 3;
struct Rules {
  Value reverse, forward;
};

class UserRule final : public CompositeRule {
 public:
  // `active`: by argument, whether it has functions that have captured active values.
  UserRule(const Callable& function, std::vector<std::string_view> names, std::vector<bool> active, const Rules& rules)
      : names_(std::move(names)),
        rule_names_(names_of_rule(function, names_)),
        active_(std::move(active)),
        has_cotangents_(!rules.reverse.is_none()),
        has_tangents_(!rules.forward.is_none()) {}
  bool has_cotangents() const override { return has_cotangents_; }
  bool has_tangents() const override { return has_tangents_; }
  // While the function is called: what the levels have traced, before each takes off what is its own.
  void set_given(const ops::Context& context, const std::vector<Value>* given) {
    given_ = nullptr;
    for (const OpenLevel* level = context.innermost; level != nullptr && given_ == nullptr; level = level->outer) {
      if (holds_for(*level)) given_ = given;
    }
  }
  Value forward(ops::Builder& b, const std::vector<Value>& args) override {
    const auto run = [&] { return call_first(b, args, names_, own_arguments); };
    if (given_ == nullptr) return run();
    FirstRun first(b.context(), FirstRun::WhatFits{});
    Value result = first.run(b, run);
    if (hides_floats(result)) refuse_dependent(b, args, result, first);
    return result;
  }

  std::vector<Value> reverse(ops::Builder& b, const std::vector<Value>& args, const Value& result,
                             const Value& cotangent) override {
    const Callable& rule = args[1].function();
    std::vector<Value> given(args.begin() + own_arguments, args.end());
    const auto named = given.end() - static_cast<ptrdiff_t>(rule_names_.size());
    given.insert(given.insert(named, result) + 1, cotangent);
    const Value found = args[1].function().call(b, given, rule_names_);
    const size_t count = args.size() - own_arguments;
    const std::vector<Value> cotangents = count == 1 ? std::vector<Value>{found} : as_arguments(found);
    if (cotangents.size() != count) {
      fail(message("rule_results"), {rule.name(), std::to_string(count), std::to_string(cotangents.size())});
    }
    CotangentsOfArguments all(b, rule, of_all_ranks);
    all.skip(deep_leaves(std::span(args).first(own_arguments)).size());
    for (size_t i = 0; i < count; ++i) all.add(args[i + own_arguments], cotangents[i], active_[i]);
    return all.take();
  }

  Value tangents(ops::Builder& b, const std::vector<Value>& args, const Value& result,
                 const std::vector<Value>& tangents) override {
    const Callable& rule = args[2].function();
    const Value* next = tangents.data() + deep_leaves(std::span(args).first(own_arguments)).size();
    std::vector<Value> given(args.begin() + own_arguments, args.end());
    std::vector<Value> behind = {result};
    for (const Value& arg : std::span(args).subspan(own_arguments)) behind.push_back(tangent_tree(b, arg, next));
    given.insert(given.end() - static_cast<ptrdiff_t>(rule_names_.size()), behind.begin(), behind.end());
    return fitted(b, rule, result, args[2].function().call(b, given, rule_names_));
  }

 private:
  // A rule gets options as a record: by position, or by the name of the parameter where others come by name, too.
  static std::vector<std::string_view> names_of_rule(const Callable& function, std::vector<std::string_view> names) {
    if (names.empty() || names.back() != all_options) return names;
    names.pop_back();
    if (function.rest_parameter() >= 0) names.push_back(function.parameter_names().back());
    return names;
  }
  // What a rule gave as a tree like the result, with zeros where it gave none.
  static Value fitted(ops::Builder& b, const Callable& rule, const Value& result, const Value& given) {
    const auto tangent = [&](const Value& leaf, const Value& found) {
      const std::string what = found.is_none() ? "" : "a tangent of " + rule.name();
      if (!is_float_leaf(leaf)) {
        expect_none_of_rule(found, leaf, what);
        return Value();
      }
      const Type type = logical_type(leaf);
      Value fit = fit_to(b, found, type, what);
      return fit.is_none() ? ops::RuleContext(b, false).zeros(type) : fit;
    };
    if (given.is_none()) return map_leaves(result, [&](const Value& leaf) { return tangent(leaf, given); });
    try {
      return map_with_given(result, given, tangent);
    } catch (const OpError& error) {
      if (error.code != message("tree_mismatch").key) throw;
      fail(message("rule_tangent"), {rule.name(), error.message});
    }
  }
  // Whether this level's derivative goes through a rule. A pattern asks either.
  bool holds_for(const OpenLevel& level) const {
    if (level.kind == TraceKind::batch || only_looks(&level)) return false;
    if (level.pattern != nullptr) return has_tangents_ || has_cotangents_;
    return level.kind == TraceKind::tape ? has_cotangents_ : has_tangents_;
  }
  // A rule gives or gets no derivatives of what a function or a sequence in the result holds: they would be lost.
  void refuse_dependent(ops::Builder& b, const std::vector<Value>& args, const Value& result, FirstRun& first) const {
    std::vector<bool> followed;
    for (const Value& leaf : deep_leaves(*given_)) {
      const auto counts = [&](const OpenLevel& level) { return holds_for(level); };
      followed.push_back(is_float_leaf(leaf) && is_active(b.context(), leaf, counts));
    }
    if (std::ranges::find(followed, true) == followed.end()) return;
    const auto refuse_where = [&](const Value& tree, const char* depend, FunctionRef<bool(const Value&)> holds) {
      each_leaf(tree, [&](const Value& leaf) {
        const bool is_function = leaf.is(ObjectKind::function);
        if ((!is_function && !leaf.is(ObjectKind::sequence)) || !holds(leaf)) return;
        fail(message("rule_result"), {args[0].function().name(), is_function ? "function" : "sequence", depend}, {},
             "make a constant of it with stop_gradient, or give the rule to what makes the numbers that it holds");
      });
    };
    if (!first.is_kept()) refuse_where(result, "may depend", hides_floats);
    first.run_again(b, [&] {
      Looking looking(b);
      size_t next = 0;
      std::vector<Value> seen;
      for (const Value& arg : args) {
        seen.push_back(map_deep(without_derivatives(arg),
                                [&](const Value& leaf) { return followed[next++] ? looking.follow(leaf) : leaf; }));
      }
      const Value again = call_first(b, seen, names_, own_arguments);
      refuse_where(autodiff::with_replayed_pullbacks(b.context(), again), "depend",
                   [&](const Value& leaf) { return looking.reaches(leaf); });
    });
  }
  const std::vector<std::string_view> names_, rule_names_;
  const std::vector<bool> active_;
  const bool has_cotangents_, has_tangents_;
  const std::vector<Value>* given_ = nullptr;
};

class WithRules final : public Transformed {
 public:
  WithRules(Value f, Rules rules) : Transformed("", std::move(f)), rules_(std::move(rules)) {}
  std::string name() const override { return function().name(); }
  std::vector<Value> captures() const override { return {function_, rules_.reverse, rules_.forward}; }
  Value with_captures(std::vector<Value> values) const override {
    return make_function<WithRules>(values.at(0), Rules{values.at(1), values.at(2)});
  }
  const Value& plain() const { return function_; }
  const Rules& rules() const { return rules_; }

  Value apply(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    const ops::Context& context = b.context();
    if (context.innermost == nullptr || is_misnamed(function(), args, keywords))
      return function().call(b, args, keywords);
    if (!rules_.reverse.is_none()) note_rule(context);
    std::vector<Value> given = with_replayed_pullbacks(context, args);
    const std::vector<Value> own = with_replayed_pullbacks(context, captures());
    const OpenLevel* const level = tracing_level(context, own[0], given);
    if (level == nullptr && follower_of_functions(context) == nullptr) return function().call(b, args, keywords);
    const std::string missing = missing_argument(args, keywords);
    if ((level == nullptr || only_looks(level)) && !missing.empty()) return function().call(b, args, keywords);
    Ordered all = in_order(function(), given, keywords);
    if (!missing.empty()) fail(message("rule_arguments"), {name(), missing});
    check_captures(context, own[0]);
    std::vector<bool> active;
    for (const Value& arg : all.args) active.push_back(captures_active(context, arg));
    all.args.insert(all.args.begin(), own.begin(), own.end());
    auto rule = std::make_shared<UserRule>(function(), std::move(all.names), std::move(active), rules_);
    rule->set_given(context, &all.args);
    Value result = apply_composite(b, rule, all.args);
    rule->set_given(context, nullptr);
    return result;
  }
  std::string staging_key() const override {
    return std::string("rules") + (rules_.reverse.is_none() ? "" : " reverse") +
           (rules_.forward.is_none() ? "" : " forward");
  }

 protected:
  Value with_function(Value f) const override { return make_function<WithRules>(std::move(f), rules_); }

 private:
  // A rule is given all arguments. The first parameter that has none, or "".
  std::string missing_argument(std::span<Value> args, std::span<const std::string_view> keywords) const {
    const std::vector<std::string_view> names = function().parameter_names();
    const Arguments arguments(function(), args, keywords);
    for (size_t place = 0; place < names.size(); ++place) {
      if (static_cast<int>(place) == rest_parameter()) continue;
      if (arguments.find(number_at(function(), static_cast<int>(place))) < 0) return std::string(names[place]);
    }
    return "";
  }
  // A rule speaks of arguments only: what f has captured would silently count as a constant.
  void check_captures(const ops::Context& context, const Value& f) const {
    for (const Value& leaf : deep_leaves(std::span(&f, 1))) {
      const bool reverse = !rules_.reverse.is_none() && is_active(context, leaf, TraceKind::tape);
      const bool forward = !rules_.forward.is_none() && is_active(context, leaf, TraceKind::jvp);
      if (reverse || forward) fail(message("rule_captures"), {name()});
    }
  }
  const Rules rules_;
};

}  // namespace

Value make_checkpoint(Value f) { return make_function<Checkpoint>(std::move(f)); }

Value attach_rule(Value f, Value rule, RuleMode mode) {
  const auto* const before = dynamic_cast<const WithRules*>(&f.function());
  Rules rules = before == nullptr ? Rules{} : before->rules();
  (mode == RuleMode::reverse ? rules.reverse : rules.forward) = std::move(rule);
  return make_function<WithRules>(before == nullptr ? f : before->plain(), std::move(rules));
}

}  // namespace covec::autodiff
