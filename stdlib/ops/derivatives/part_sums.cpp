// parallel.sum as one operation of what its function has captured. Its tangent is the sum of the parts' tangents. In
// reverse each rank runs its own parts a second time, and the cotangents of what was captured are added as the parts
// are: in the order of pairs, over all ranks. So the gradient has the bits that it has on one rank. In a function of
// all ranks (parallel.grad) each rank may have captured something else. There the sum's cotangent is that of all ranks
// together, and each rank adds the cotangents of its own parts alone.
#include "stdlib/ops/derivatives/part_items.hpp"

#include <limits>

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/derivatives/arguments_of_rules.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

// `own`: of the parts of this rank alone.
Value sum_of_parts(ops::Builder& b, Value f, const Value& parts, bool own);

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
  // What it gives, with zeros for all floats: the sum of no parts.
  virtual Value zeros(ops::Builder& b) const = 0;
  // The level of the vmap whose examples it gives as a whole.
  virtual uint64_t examples_of() const { return std::numeric_limits<uint64_t>::max(); }

 protected:
  Value zeros_of_inner(ops::Builder& b) const { return dynamic_cast<const OfPart&>(f_.function()).zeros(b); }
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
    return filled(b, captured, std::move(found));
  }
  Value zeros(ops::Builder& b) const override {
    const std::vector<Value> captured = deep_leaves(std::span(&f_, 1));
    return filled(b, captured, std::vector<Value>(captured.size()));
  }

 private:
  static Value filled(ops::Builder& b, const std::vector<Value>& captured, std::vector<Value> found) {
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
  Value zeros(ops::Builder& b) const override { return zeros_of_inner(b); }
};

class PartSumRule final : public CompositeRule {
 public:
  explicit PartSumRule(bool own) : own_(own) {}
  Value forward(ops::Builder& b, const std::vector<Value>& args) override {
    Value sum = ops::call(b, ops::handles().part_sum, {args[0], args[1], Value(own_)});
    return own_ && sum.is_none() ? dynamic_cast<const OfPart&>(args[0].function()).zeros(b) : sum;
  }
  std::vector<Value> reverse(ops::Builder& b, const std::vector<Value>& args, const Value&,
                             const Value& cotangent) override {
    const Value whole = of_all_ranks && !own_ ? sum_of_ranks(b, cotangent) : cotangent;
    const Value sums = sum_of_parts(b, make_function<CotangentsOfPart>(args[0], whole), args[1], own_ || of_all_ranks);
    std::vector<Value> cotangents = sums.tuple().items;
    cotangents.resize(deep_leaves(args).size());
    return cotangents;
  }
  Value tangents(ops::Builder& b, const std::vector<Value>& args, const Value&,
                 const std::vector<Value>& tangents) override {
    const size_t captured = deep_leaves(std::span(args).first(1)).size();
    const std::vector<Value> of_f(tangents.begin(), tangents.begin() + static_cast<ptrdiff_t>(captured));
    return sum_of_parts(b, make_function<TangentOfPart>(args[0], make_tuple(of_f)), args[1], own_);
  }
  bool has_tangents() const override { return true; }
  bool replays() const override { return true; }
  bool meets() const override { return true; }

 private:
  const bool own_;
};

// The results of all examples of a Jacobian: a part computes those of all.
class ExamplesOfPart final : public OfPart {
 public:
  ExamplesOfPart(Value f, std::vector<bool> batched, Dim size, uint64_t level)
      : OfPart(std::move(f), Value()), batched_(std::move(batched)), size_(size), level_(level) {}
  std::vector<Value> captures() const override { return {f_}; }
  uint64_t examples_of() const override { return level_; }
  Value zeros(ops::Builder& b) const override {
    return map_leaves(zeros_of_inner(b), [&](const Value& leaf) {
      if (!is_operand(leaf)) return leaf;
      Type type = logical_type(leaf);
      type.shape.insert(0, size_);
      return ops::RuleContext(b, false).zeros(type);
    });
  }
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

Value sum_of_examples(ops::Builder& b, const OpenLevel& level, const Value& f, const Value& parts, bool own) {
  std::vector<bool> batched;
  const Value physical = map_deep(f, [&](const Value& leaf) {
    batched.push_back(is_traced_at(leaf, level.level));
    return batched.back() ? leaf.traced().primal : leaf;
  });
  const Value sums =
      sum_of_parts(b, make_function<ExamplesOfPart>(physical, std::move(batched), level.size, level.level), parts, own);
  const auto wrapped = [&](const Value& leaf) { return is_operand(leaf) ? make_batch(level.level, leaf) : leaf; };
  return is_tree(sums) ? map_leaves(sums, wrapped) : wrapped(sums);
}

// Tangents and cotangents are of all examples of every open vmap, as those of collectives are: the next one.
const OpenLevel* open_examples(const ops::Context& context, const Value& f) {
  const auto* const part = dynamic_cast<const OfPart*>(&f.function());
  if (part == nullptr) return nullptr;
  const OpenLevel* level = context.innermost;
  while (level != nullptr && (level->kind != TraceKind::batch || level->level >= part->examples_of()))
    level = level->outer;
  return level;
}

// Under outer derivatives it is one operation again.
Value sum_of_parts(ops::Builder& b, Value f, const Value& parts, bool own) {
  const OpenLevel* level = highest_level(b.context(), std::span(&f, 1));
  const OpenLevel* const examples = open_examples(b.context(), f);
  if (examples != nullptr && (level == nullptr || level->level < examples->level)) level = examples;
  if (level != nullptr && level->kind == TraceKind::batch) return sum_of_examples(b, *level, f, parts, own);
  return apply_composite(b, std::make_shared<PartSumRule>(own), {std::move(f), parts});
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
            if (is_active(b.context(), call.args[1]) && innermost_follower(b.context()) == nullptr)
              fail(message("ranks_gradient"), {"parallel.sum"});
            return sum_of_parts(b, with_replayed_pullbacks(b.context(), call.args[0]), call.args[1], false);
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
