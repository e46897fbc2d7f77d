#include "stdlib/origins/origin_builder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "stdlib/autodiff/operands.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/origins/causes.hpp"
#include "stdlib/origins/elements.hpp"
#include "stdlib/origins/made.hpp"
#include "stdlib/origins/origins.hpp"
#include "stdlib/origins/tagged.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::origins {

namespace {

bool holds_traced(const Value& value) {
  bool any = false;
  each_leaf(value, [&](const Value& leaf) { any = any || leaf.is_traced(); });
  return any;
}

}  // namespace

// Where the elements of one application's result come from.
class OriginBuilder::Search {
 public:
  // The shape of the call: its operands may have been moved from.
  Search(OriginBuilder& builder, const ops::Call& call, std::span<const Followed> operands)
      : builder_(builder),
        call_(call),
        operands_(operands),
        plain_(operands.size()),
        from_outside_(call.entry.effects.outside && !call.entry.effects.calls) {
    for (size_t i = 0; i < operands.size(); ++i) plain_[i] = operands[i].plain;
  }

  Value follow_tree(const Value& result) {
    if (result.is_numeric()) return follow_leaf(result, 0, true);
    size_t leaf = 0;
    return map_leaves(result, [&](const Value& part) {
      const size_t number = leaf++;
      return part.is_numeric() ? follow_leaf(part, number, false) : part;
    });
  }

 private:
  Value follow_leaf(const Value& plain, size_t leaf, bool alone) {
    const bool pointwise = call_.entry.pointwise != nullptr && alone;
    return follow(builder_.context(), plain, [&](const Value& dense, int64_t i) {
      const std::optional<Cause> cause = pointwise ? of_element(dense, i) : of_whole(dense, leaf, i);
      if (!cause && from_outside_) return int64_t{0};
      return cause ? cause->origin : builder_.make(call_.entry, span_of(plain_), dense, i, alone);
    });
  }

  // An elementwise operator makes the element of the operands' elements alone.
  std::optional<Cause> of_element(const Value& dense, int64_t i) {
    const ElementPlace place(dense, i);
    const Kind kind = kind_of(element(dense, i));
    FirstCauses first;
    SmallVector<Cause, 4> same(operands_.size());
    size_t count = 0;
    for (const Followed& operand : operands_) {
      if (!place.leads_to(operand.plain)) continue;
      const Kind given = kind_of(place.element_of(operand.plain));
      if (given == Kind::number) continue;
      const Cause cause{given, operand.origins.is_none() ? 0 : place.element_of(operand.origins).i64()};
      first.add(cause);
      if (given == kind) same[count++] = cause;
    }
    for (size_t k = 1; k < count; ++k) {
      if (same[k] != same[0]) return tagged_among(span_of(same).first(count), i);
    }
    return first.leading(kind);
  }

  // Causes of one kind.
  Cause tagged_among(std::span<const Cause> causes, int64_t i) {
    Cause cause{};
    const TaggedCall& tagged = this->tagged(causes[0].kind);
    if (tagged.at(0, i, cause) == TaggedCall::Seen::cause && std::ranges::find(causes, cause) != causes.end())
      return cause;
    return causes[0];
  }

  // Any other operator may make the element of any elements. Those of its own kind come first: an infinity does not
  // hide a NaN that it meets, and the largest element is not one that is -inf.
  std::optional<Cause> of_whole(const Value& dense, size_t leaf, int64_t i) {
    if (all().none()) return has_numbers() ? std::nullopt : std::optional(Cause{Kind::number, 0});
    const Kind kind = kind_of(element(dense, i));
    if (!tagged(kind).is_made()) return all().leading(kind);
    Cause cause{};
    if (tagged(kind).at(leaf, i, cause) == TaggedCall::Seen::cause) return cause;
    switch (tagged(std::nullopt).at(leaf, i, cause)) {
      case TaggedCall::Seen::number: return all().of(kind);  // moved by its order, or made here
      case TaggedCall::Seen::unknown: return all().leading(kind);
      case TaggedCall::Seen::cause: break;
    }
    if (kind == Kind::nan && is_infinite(cause.kind) && cause.origin == 0) return std::nullopt;
    return cause;
  }

  const FirstCauses& all() {
    if (all_) return *all_;
    all_.emplace();
    for (const Followed& operand : operands_) {
      const auto add = [&](const Followed& part) {
        each_not_finite(builder_.context(), part, [&](const Value& dense, int64_t i, int64_t origin) {
          all_->add({kind_of(element(dense, i)), origin});
          return true;
        });
      };
      if (operand.plain.is_numeric())
        add(operand);
      else
        each_leaf(operand.plain, [&](const Value& leaf) { add(followed(leaf)); });
    }
    return *all_;
  }

  bool has_numbers() const {
    for (const Followed& operand : operands_) {
      if (has_number(operand.plain)) return true;
    }
    return false;
  }

  const TaggedCall& tagged(std::optional<Kind> only) {
    std::optional<TaggedCall>& tagged = tagged_[only ? static_cast<size_t>(*only) : 0];
    if (!tagged)
      tagged.emplace(builder_.context(), call_, operands_, only,
                     [&](ops::Call& again) { return builder_.compute(again, true); });
    return *tagged;
  }

  OriginBuilder& builder_;
  const ops::Call& call_;
  const std::span<const Followed> operands_;
  SmallVector<Value, 4> plain_;
  const bool from_outside_;  // no operator of the program makes what comes from there; functions of a host hand on
  std::optional<FirstCauses> all_;
  std::array<std::optional<TaggedCall>, 4> tagged_;  // of all elements, then by Kind
};

Value OriginBuilder::compute(ops::Call& call, bool as_a_whole) {
  struct Inside {
    const ops::Entry*& outer;
    ~Inside() { outer = nullptr; }
  };
  const Inside inside{outer_ = as_a_whole ? &call.entry : nullptr};
  return EagerBuilder::apply(call);
}

int64_t OriginBuilder::make(const ops::Entry& entry, std::span<const Value> operands, const Value& dense, int64_t i,
                            bool told) {
  if (++made_ != end_at_) return made_;
  if (context().rule_of != nullptr) fail_tangent(context(), *context().rule_of);
  Made made = made_at(entry, operands, dense, i);
  if (!told) made.at.clear();  // an index into a leaf of a tree says nothing
  fail_made(context(), entry, made);
}

Value OriginBuilder::apply(ops::Call& call) {
  const ops::Entry& entry = call.entry;
  SmallVector<Followed, 4> operands(call.operands());
  bool holds = false;  // followed values that the operator hands on as they are
  for (unsigned i = 0; i < call.operands(); ++i) {
    Value& operand = call.operand(i);
    const bool attribute = i < call.args.size() && entry.parameters[i].kind == ops::ParameterKind::attribute;
    if (attribute || autodiff::is_tensor_operand(entry, call.args.size(), i)) {
      operands[i] = followed(operand);
      if (operand.is_traced()) operand = operands[i].plain;
    } else {
      operands[i].plain = operand;
      holds = holds || (operand.is_object() && holds_traced(operand));
    }
  }
  if (outer_ != nullptr) return EagerBuilder::apply(call);
  const bool transparent = entry.effects.calls || holds;
  Value result = compute(call, !transparent);
  if (transparent && !entry.effects.outside && entry.staging == ops::Staging::structural) return result;
  return Search(*this, call, span_of(operands)).follow_tree(result);
}

}  // namespace covec::origins
