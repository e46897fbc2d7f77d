// See tree_operators.hpp. Tuples compare by `==` and `<` of their items. So the rules for items (NaN, values that only
// compiled code has at run time, batches) hold for tuples too.
#include "interpreter/eval/apply/tree_operators.hpp"

#include <algorithm>
#include <unordered_set>

#include "interpreter/eval/values/new_values.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/memory.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

// Rank-0 numbers, strings, and tuples of these have an order. `seen`: the tuples that have; one may be in many places.
bool has_order(const Value& item, std::unordered_set<const Object*>& seen) {
  if (item.is(ObjectKind::tuple)) {
    if (!seen.insert(item.object()).second) return true;
    return std::ranges::all_of(*children(item), [&](const Value& part) { return has_order(part, seen); });
  }
  return item.is(ObjectKind::string) ||
         (is_operand(item) && !is_boxed_symbol(item) && logical_type(item).shape.empty());
}

class InOrder {
 public:
  InOrder(const Applier& applier, const InterpreterHost& host, Span span, const Frame& f)
      : applier_(applier), host_(host), span_(span), f_(f) {}

  // left < right; `or_equal`: left <= right.
  Value less(const Value& left, const Value& right, bool or_equal) const {
    if (!left.is(ObjectKind::tuple) || !right.is(ObjectKind::tuple)) {
      return apply(or_equal ? Operator::less_equal : Operator::less, left, right);
    }
    const auto &a = *children(left), &b = *children(right);
    const size_t both = std::min(a.size(), b.size());
    Value result(a.size() < b.size() || (or_equal && a.size() == b.size()));
    for (size_t i = both; i-- > 0;) result = either(less(a[i], b[i], false), equal(a[i], b[i]), result);
    return result;
  }

 private:
  Value apply(Operator op, const Value& left, const Value& right) const {
    Value args[2] = {left, right};
    return applier_.call(*host_.operator_of(op).entry, args, span_, f_);
  }
  Value equal(const Value& a, const Value& b) const { return apply(Operator::equal, a, b); }
  // first or (same and rest).
  Value either(const Value& first, const Value& same, const Value& rest) const {
    return apply(Operator::bit_or, first, apply(Operator::bit_and, same, rest));
  }

  const Applier& applier_;
  const InterpreterHost& host_;
  const Span span_;
  const Frame& f_;
};

bool is_ordering(const InterpreterHost& host, const ops::Entry* op) {
  constexpr Operator all[] = {Operator::less, Operator::less_equal, Operator::greater, Operator::greater_equal};
  return std::ranges::any_of(all, [&](Operator one) { return op == host.operator_of(one).entry; });
}

std::optional<Value> compared(const InOrder& order, const InterpreterHost& host, const ops::Entry* op,
                              const Value& left, const Value& right) {
  const auto is = [&](Operator one) { return op == host.operator_of(one).entry; };
  if (is(Operator::less)) return order.less(left, right, false);
  if (is(Operator::less_equal)) return order.less(left, right, true);
  if (is(Operator::greater)) return order.less(right, left, false);
  if (is(Operator::greater_equal)) return order.less(right, left, true);
  return std::nullopt;
}

}  // namespace

std::optional<Value> tree_operator(const Applier& applier, const InterpreterHost& host, const ops::Entry* op,
                                   const Value& left, const Value& right, Span span, const Frame& f) {
  if (left.is(ObjectKind::list) && right.is(ObjectKind::list) && op == host.operator_of(Operator::add).entry) {
    std::vector<Value> items;
    const std::vector<Value>& first = left.list().items();
    const std::vector<Value>& more = right.list().items();
    if (Memory* const memory = Memory::current()) memory->need((first.size() + more.size()) * sizeof(Value));
    items.reserve(first.size() + more.size());
    items.insert(items.end(), first.begin(), first.end());
    items.insert(items.end(), more.begin(), more.end());
    for (Value& item : items) item = new_item(applier.builder().context(), std::move(item));
    return make_list(std::move(items));
  }
  if (!left.is(ObjectKind::tuple) || !right.is(ObjectKind::tuple) || !is_ordering(host, op)) return std::nullopt;
  std::unordered_set<const Object*> seen;
  if (!has_order(left, seen) || !has_order(right, seen)) return std::nullopt;
  return compared(InOrder(applier, host, span, f), host, op, left, right);
}

}  // namespace covec
