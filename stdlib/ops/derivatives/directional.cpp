#include "stdlib/ops/derivatives/directional.hpp"

#include <memory>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/forward.hpp"
#include "stdlib/autodiff/renewal.hpp"
#include "stdlib/autodiff/replay.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/value/compiler.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

constexpr unsigned capture_depth = 1000;  // of closures that capture closures

Value jvp_leaf(ops::Builder& b, uint64_t level, const Value& primal, const Value& tangent) {
  if (!is_float_leaf(primal)) {
    expect_none(tangent, primal, "a tangent");
    return primal;
  }
  Value fitted = fit_to(b, tangent, logical_type(primal), "a tangent");
  return fitted.is_none() ? primal : make_jvp(level, primal, std::move(fitted));
}

Value tangent_leaf(ops::Builder& b, uint64_t level, const Value& leaf) {
  if (!is_float_leaf(leaf)) {
    refuse_list_of_nothing(leaf);
    return Value();
  }
  return tangent_or_zeros(b, is_traced_at(leaf, level) ? leaf.traced().tangent : Value(), logical_type(leaf));
}

// A pullback that has captured its function and the arguments, and makes its tape when it is called. So derivatives
// reach what the tape of a Pullback hides, at the price of one more run of the function.
class ReplayedPullback final : public Callable {
 public:
  ReplayedPullback(std::string name, Value f, Value primals, std::shared_ptr<FirstRun> first, bool staged)
      : Callable(CallableKind::transformed),
        name_(std::move(name)),
        f_(std::move(f)),
        primals_(std::move(primals)),
        first_(std::move(first)),
        staged_(staged) {}
  std::string name() const override { return name_; }
  std::vector<std::string_view> parameter_names() const override { return {"ct"}; }
  std::vector<Value> captures() const override { return {f_, primals_}; }
  Value with_captures(std::vector<Value> values) const override {
    return make_function<ReplayedPullback>(name_, std::move(values.at(0)), std::move(values.at(1)), first_, staged_);
  }
  // Draws and outside effects of the first run.
  bool holds_more() const override { return true; }
  bool is_staged() const { return staged_; }
  bool is_traced(const ops::Context& context) const {
    const Value all[] = {f_, primals_};
    return highest_level(context, all) != nullptr;
  }

  Value call(ops::Builder& b, std::span<Value> args, std::span<const std::string_view> keywords) override {
    const Value pullback = run_again(b);
    return pullback.function().call(b, args, keywords);
  }

 private:
  Value run_again(ops::Builder& b) const {
    return first_->run_again(b, [&] { return vjp(b, f_, primals_).tuple().items[1]; });
  }

  const std::string name_;
  const Value f_, primals_;
  const std::shared_ptr<FirstRun> first_;
  const bool staged_;  // it has captured values of a graph
};

// What vjp gives: the tape, waiting for cotangents. It may be called any number of times.
class Pullback final : public Callable {
 public:
  // `replayed`: the same function as a ReplayedPullback; none where no open level has traced what it holds.
  Pullback(std::string name, std::shared_ptr<TapedRun> run, bool tuple, bool staged, Value replayed)
      : Callable(CallableKind::transformed),
        name_(std::move(name)),
        run_(std::move(run)),
        tuple_(tuple),
        staged_(staged),
        replayed_(std::move(replayed)),
        outputs_(run_->output_nodes()) {}
  std::string name() const override { return name_; }
  std::vector<std::string_view> parameter_names() const override { return {"ct"}; }
  bool holds_more() const override { return true; }
  bool is_staged() const { return staged_; }
  const Value& replayed() const { return replayed_; }

  Value call(ops::Builder& b, std::span<Value> args, std::span<const std::string_view>) override {
    if (args.size() != 1) fail(message("argument_count"), {name_, "1", std::to_string(args.size())});
    std::vector<Value> cotangents(run_->tape.nodes() + 1);
    seed(b, args[0], cotangents);
    sweep(b, run_->tape, cotangents, SweepOptions{});
    std::vector<Value> results;
    for (const NodeTree& input : run_->inputs) results.push_back(cotangent_tree(b, input, cotangents));
    return bare_or_tuple(std::move(results), tuple_);
  }

 private:
  void seed(ops::Builder& b, const Value& given, std::vector<Value>& cotangents) const {
    ops::RuleContext rules(b, false);
    size_t leaf = 0;
    map_with_given(outputs_.nodes, given, [&](const Value& node, const Value& value) {
      if (node.is_none()) {
        if (!value.is_none()) refuse(given);
        return Value();
      }
      Value fitted = fit_to(b, value, outputs_.types[leaf++], "a cotangent");
      if (fitted.is_none() || node.i64() == 0) return Value();  // a constant: its cotangent goes nowhere
      renew_if_open(b.context(), fitted);
      Value& sum = cotangents[static_cast<size_t>(node.i64())];
      sum = sum.is_none() ? std::move(fitted) : rules.add(std::move(sum), std::move(fitted));
      return Value();
    });
  }

  // Says for which leaf of the result it gives a cotangent that none goes back from.
  void refuse(const Value& given) const {
    map_with_given(run_->result, given, [](const Value& leaf, const Value& value) {
      if (!is_float_leaf(leaf)) expect_none(value, leaf, "a cotangent");
      return Value();
    });
  }

  const std::string name_;
  const std::shared_ptr<TapedRun> run_;
  const bool tuple_;
  const bool staged_;  // its tape is a graph's
  const Value replayed_;
  const NodeTree outputs_;
};

// Gives the value itself back where nothing changes.
Value with_replayed(const ops::Context& context, const Value& value, unsigned depth) {
  const bool is_function = value.is(ObjectKind::function);
  if (!is_tree(value) && !is_function && !value.is(ObjectKind::sequence)) return value;
  if (depth > capture_depth) fail(message("too_deep"), {std::to_string(capture_depth)});
  if (const auto* pullback = is_function ? dynamic_cast<const Pullback*>(&value.function()) : nullptr) {
    const Value& replayed = pullback->replayed();
    if (replayed.is_none()) return value;
    return static_cast<const ReplayedPullback&>(replayed.function()).is_traced(context) ? replayed : value;
  }
  const std::vector<Value>* items = children(value);
  const std::vector<Value> captured = items == nullptr ? parts_of(value) : std::vector<Value>{};
  if (items == nullptr) items = &captured;
  std::vector<Value> parts;
  for (size_t i = 0; i < items->size(); ++i) {
    const Value& part = (*items)[i];
    if (!part.is_object() || part.is_tensor()) continue;
    Value shown = with_replayed(context, part, depth + 1);
    if (shown.object() == part.object()) continue;
    if (parts.empty()) parts = *items;
    parts[i] = std::move(shown);
  }
  return parts.empty() ? value : with_parts(value, std::move(parts));
}

}  // namespace

Value with_replayed_pullbacks(const ops::Context& context, const Value& tree) {
  return context.innermost == nullptr ? tree : with_replayed(context, tree, 0);
}

Value jvp(ops::Builder& b, const Value& f, const Value& primals, const Value& tangents) {
  std::vector<Value> args = as_arguments(primals);
  const std::vector<Value> directions =
      primals.is(ObjectKind::tuple) ? as_arguments(tangents) : std::vector<Value>{tangents};
  if (args.size() != directions.size()) {
    fail(message("tangent_count"), {std::to_string(args.size()), std::to_string(directions.size())});
  }
  LevelScope scope(b.context(), TraceKind::jvp);
  for (size_t i = 0; i < args.size(); ++i) {
    args[i] = map_with_given(args[i], directions[i], [&](const Value& primal, const Value& tangent) {
      return jvp_leaf(b, scope.level(), primal, tangent);
    });
  }
  const Value result = f.function().call(b, args, {});
  scope.close();
  const auto tangent = [&](const Value& leaf) { return tangent_leaf(b, scope.level(), leaf); };
  Value tangent_tree = is_tree(result) ? map_leaves(result, tangent) : tangent(result);
  return make_tuple({strip(result, scope.level()), std::move(tangent_tree)});
}

bool is_staged_pullback(const Value& function) {
  if (!function.function().holds_more()) return false;
  if (const auto* pullback = dynamic_cast<const Pullback*>(&function.function())) return pullback->is_staged();
  const auto* replayed = dynamic_cast<const ReplayedPullback*>(&function.function());
  return replayed != nullptr && replayed->is_staged();
}

Value vjp(ops::Builder& b, const Value& f, const Value& primals) {
  std::vector<Value> args = as_arguments(primals);
  auto run = std::make_shared<TapedRun>(b.pool());
  Parameters wrt;
  for (size_t i = 0; i < args.size(); ++i) wrt.numbers.push_back(i);
  if (const Compiler* compiler = b.context().compiler) run->texts = compiler->texts();
  const std::string name = "pullback(" + f.function().name() + ")";
  Value replayed;
  std::shared_ptr<FirstRun> first;  // whose tape the pullback has
  const Value held[] = {with_replayed_pullbacks(b.context(), f), with_replayed_pullbacks(b.context(), primals)};
  if (highest_level(b.context(), held) != nullptr) {
    first = std::make_shared<FirstRun>(b.context());
    replayed = make_function<ReplayedPullback>(name, held[0], held[1], first, !b.is_eager());
  }
  const auto run_first = [&] { run->run(b, "vjp", f, Arguments(f.function(), args, {}), wrt); };
  first == nullptr ? run_first() : first->run(b, run_first);
  Value result = run->plain_result();
  Value pullback = make_function<Pullback>(name, std::move(run), args.size() != 1, !b.is_eager(), std::move(replayed));
  return make_tuple({std::move(result), std::move(pullback)});
}

}  // namespace covec::autodiff
