#include "stdlib/ops/derivatives/directional.hpp"

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/forward.hpp"
#include "stdlib/autodiff/renewal.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/value/compiler.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

Value jvp_leaf(ops::Builder& b, uint64_t level, const Value& primal, const Value& tangent) {
  if (!is_float_leaf(primal)) return primal;
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

// What vjp gives: the tape, waiting for cotangents. It may be called any number of times.
class Pullback final : public Callable {
 public:
  Pullback(std::string name, std::shared_ptr<TapedRun> run, bool tuple, bool staged)
      : Callable(CallableKind::transformed),
        name_(std::move(name)),
        run_(std::move(run)),
        tuple_(tuple),
        staged_(staged),
        outputs_(run_->output_nodes()) {}
  std::string name() const override { return name_; }
  std::vector<std::string_view> parameter_names() const override { return {"ct"}; }
  bool holds_more() const override { return true; }
  bool is_staged() const { return staged_; }

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
      if (node.is_none()) return Value();
      Value fitted = fit_to(b, value, outputs_.types[leaf++], "a cotangent");
      if (fitted.is_none() || node.i64() == 0) return Value();  // a constant: its cotangent goes nowhere
      renew_if_open(b.context(), fitted);
      Value& sum = cotangents[static_cast<size_t>(node.i64())];
      sum = sum.is_none() ? std::move(fitted) : rules.add(std::move(sum), std::move(fitted));
      return Value();
    });
  }

  const std::string name_;
  const std::shared_ptr<TapedRun> run_;
  const bool tuple_;
  const bool staged_;  // its tape is a graph's
  const NodeTree outputs_;
};

}  // namespace

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
  const auto* pullback = dynamic_cast<const Pullback*>(&function.function());
  return pullback != nullptr && pullback->is_staged();
}

Value vjp(ops::Builder& b, const Value& f, const Value& primals) {
  std::vector<Value> args = as_arguments(primals);
  auto run = std::make_shared<TapedRun>(b.pool());
  Parameters wrt;
  for (size_t i = 0; i < args.size(); ++i) wrt.numbers.push_back(i);
  if (const Compiler* compiler = b.context().compiler) run->texts = compiler->texts();
  run->run(b, "vjp", f, Arguments(f.function(), args, {}), wrt);
  Value result = run->plain_result();
  const std::string name = "pullback(" + f.function().name() + ")";
  Value pullback = make_function<Pullback>(name, std::move(run), args.size() != 1, !b.is_eager());
  return make_tuple({std::move(result), std::move(pullback)});
}

}  // namespace covec::autodiff
