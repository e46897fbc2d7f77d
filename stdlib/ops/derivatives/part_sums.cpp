// parallel.sum as one operation of what its function has captured. Its tangent is the sum of the parts' tangents. In
// reverse each rank runs its own parts a second time, and the cotangents of what was captured are added as the parts
// are: in the order of pairs, over all ranks. So the gradient has the bits that it has on one rank. A function of all
// ranks (parallel.grad) counts the sum once: its cotangent is that of all ranks together, and rank 0 has the result.
#include "stdlib/ops/derivatives/part_sums.hpp"

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/ops/derivatives/rules_of_functions.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

Value sum_of_parts(ops::Builder& b, Value f, const Value& parts);

// Adds, leaf by leaf, what all ranks have.
Value sum_of_ranks(ops::Builder& b, const Value& tree) {
  const auto sum = [&](const Value& leaf) {
    return leaf.is_none() ? leaf : ops::call(b, ops::handles().rank_sum, {leaf});
  };
  return is_tree(tree) ? map_leaves(tree, sum) : sum(tree);
}

// A function of a part, made of one that has captured values and of a value for each of these, or for its result.
class OfPart : public Callable {
 public:
  OfPart(Value f, Value given) : Callable(CallableKind::transformed), f_(std::move(f)), given_(std::move(given)) {}
  std::string name() const override { return f_.function().name(); }
  std::vector<std::string_view> parameter_names() const override { return f_.function().parameter_names(); }
  std::vector<Value> captures() const override { return {f_, given_}; }

 protected:
  const Value f_, given_;
};

// The cotangents of what f has captured, for one of its result.
class CotangentsOfPart final : public OfPart {
 public:
  using OfPart::OfPart;
  Value with_captures(std::vector<Value> values) const override {
    return make_function<CotangentsOfPart>(std::move(values.at(0)), std::move(values.at(1)));
  }
  Value call(ops::Builder& b, std::span<Value> args, std::span<const std::string_view>) override {
    const std::vector<Value> all = {f_, args[0]};
    std::vector<Value> found = cotangents_of_call(b, all, {}, false, [&](const TapedRun&) { return given_; });
    const std::vector<Value> captured = deep_leaves(std::span(all).first(1));
    found.resize(captured.size());
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i].is_none() && is_float_leaf(captured[i]))
        found[i] = ops::RuleContext(b, false).zeros(logical_type(captured[i]));
    }
    return make_tuple(std::move(found));
  }
};

// The tangent of its result, for those of what f has captured.
class TangentOfPart final : public OfPart {
 public:
  using OfPart::OfPart;
  Value with_captures(std::vector<Value> values) const override {
    return make_function<TangentOfPart>(std::move(values.at(0)), std::move(values.at(1)));
  }
  Value call(ops::Builder& b, std::span<Value> args, std::span<const std::string_view>) override {
    LevelScope scope(b.context(), TraceKind::jvp);
    const std::vector<Value>& tangents = given_.tuple().items;
    size_t next = 0;
    const Value moved = map_deep(f_, [&](const Value& leaf) {
      const Value& tangent = tangents[next++];
      return tangent.is_none() ? leaf : make_jvp(scope.level(), leaf, tangent);
    });
    const Value result = moved.function().call(b, args, {});
    const auto tangent = [&](const Value& leaf) {
      if (!is_float_leaf(leaf)) return Value();
      const bool moves = is_traced_at(leaf, scope.level()) && !leaf.traced().tangent.is_none();
      return moves ? leaf.traced().tangent : ops::RuleContext(b, false).zeros(logical_type(leaf));
    };
    return is_tree(result) ? map_leaves(result, tangent) : tangent(result);
  }
};

class PartSumRule final : public CompositeRule {
 public:
  Value forward(ops::Builder& b, const std::vector<Value>& args) override {
    return ops::call(b, ops::handles().part_sum, {args[0], args[1]});
  }
  std::vector<Value> reverse(ops::Builder& b, const std::vector<Value>& args, const Value&,
                             const Value& cotangent) override {
    const Value whole = of_all_ranks ? sum_of_ranks(b, cotangent) : cotangent;
    const Value sums = sum_of_parts(b, make_function<CotangentsOfPart>(args[0], whole), args[1]);
    std::vector<Value> cotangents = sums.tuple().items;
    for (Value& each : cotangents) {
      if (of_all_ranks && !each.is_none())
        each = ops::call(b, ops::handles().rank_part, {std::move(each), Value(int64_t{0})});
    }
    cotangents.resize(deep_leaves(args).size());
    return cotangents;
  }
  Value tangents(ops::Builder& b, const std::vector<Value>& args, const Value&,
                 const std::vector<Value>& tangents) override {
    const size_t captured = deep_leaves(std::span(args).first(1)).size();
    const std::vector<Value> of_f(tangents.begin(), tangents.begin() + static_cast<ptrdiff_t>(captured));
    return sum_of_parts(b, make_function<TangentOfPart>(args[0], make_tuple(of_f)), args[1]);
  }
  bool has_tangents() const override { return true; }
  bool replays() const override { return true; }
};

// The results of all examples of a Jacobian: a part computes those of all.
class ExamplesOfPart final : public OfPart {
 public:
  ExamplesOfPart(Value f, std::vector<bool> batched, Dim size, uint64_t level)
      : OfPart(std::move(f), Value()), batched_(std::move(batched)), size_(size), level_(level) {}
  std::vector<Value> captures() const override { return {f_}; }
  Value with_captures(std::vector<Value> values) const override {
    return make_function<ExamplesOfPart>(std::move(values.at(0)), batched_, size_, level_);
  }
  Value call(ops::Builder& b, std::span<Value> args, std::span<const std::string_view>) override {
    return over_examples(b, size_, BatchView{false, level_}, "parallel.sum", [&](uint64_t level, const Value& example) {
      size_t next = 0;
      const Value f = map_deep(f_, [&](const Value& leaf) {
        if (!batched_[next++]) return leaf;
        return example.is_none() ? make_batch(level, leaf) : example_of(b, leaf, example);
      });
      std::vector<Value> given(args.begin(), args.end());
      return f.function().call(b, given, {});
    });
  }

 private:
  const std::vector<bool> batched_;
  const Dim size_;
  const uint64_t level_;
};

Value sum_of_examples(ops::Builder& b, const OpenLevel& level, const Value& f, const Value& parts) {
  std::vector<bool> batched;
  const Value physical = map_deep(f, [&](const Value& leaf) {
    batched.push_back(is_traced_at(leaf, level.level));
    return batched.back() ? leaf.traced().primal : leaf;
  });
  const Value sums =
      sum_of_parts(b, make_function<ExamplesOfPart>(physical, std::move(batched), level.size, level.level), parts);
  const auto wrapped = [&](const Value& leaf) { return is_operand(leaf) ? make_batch(level.level, leaf) : leaf; };
  return is_tree(sums) ? map_leaves(sums, wrapped) : wrapped(sums);
}

// Under outer derivatives it is one operation again.
Value sum_of_parts(ops::Builder& b, Value f, const Value& parts) {
  const OpenLevel* const level = highest_level(b.context(), std::span(&f, 1));
  if (level != nullptr && level->kind == TraceKind::batch) return sum_of_examples(b, *level, f, parts);
  return apply_composite(b, std::make_shared<PartSumRule>(), {std::move(f), parts});
}

}  // namespace

const ops::Entry& active_part_sum_entry() {
  static const ops::Entry entry{
      .name = "_parallel_active_sum",
      .doc = "parallel.sum of a function that has captured values which a derivative follows.",
      .parameters = {ops::any_parameter("f"), ops::any_parameter("parts")},
      .eager =
          [](ops::Builder& b, ops::Call& call) {
            if (!b.is_eager()) fail_not_staged("a derivative of parallel.sum");
            // Items that are active on a tape of this rank lie on all ranks.
            if (is_active(b.context(), call.args[1]) && !are_collectives_followed(b.context()))
              fail(message("ranks_gradient"), {"parallel.sum"});
            return sum_of_parts(b, call.args[0], call.args[1]);
          },
      .derivative = ops::Derivative::of_parts(),
      .effects = {.may_fail = true, .calls = true},
      .internal = true,
      .staging = ops::Staging::structural,
      .part_of = "parallel.sum",
  };
  return entry;
}

}  // namespace covec::autodiff
