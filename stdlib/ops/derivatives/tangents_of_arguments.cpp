#include "stdlib/ops/derivatives/tangents_of_arguments.hpp"

#include "stdlib/autodiff/forward.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/composite.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/ops/derivatives/transformed.hpp"
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

}  // namespace

Value tangent_tree(ops::Builder& b, const Value& argument, const Value*& next) {
  return map_leaves(argument, [&](const Value& leaf) {
    const Value* const first = next;
    next += deep_leaves(std::span(&leaf, 1)).size();
    if (leaf.is(ObjectKind::function)) {
      return make_function<FunctionTangent>(leaf, make_tuple(std::vector<Value>(first, next)));
    }
    if (!is_float_leaf(leaf)) return Value();
    return first->is_none() ? ops::RuleContext(b, false).zeros(logical_type(leaf)) : *first;
  });
}

}  // namespace covec::autodiff
