// Derivatives of reads and updates. They keep only the indices, never x, so a loop of updates keeps no copies. The
// adjoint of a read adds into the positions that it read. That of an update zeroes the positions that it wrote. Both
// work in place.
#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/index/eager.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

std::span<const Value> items_of(const Residuals& residuals) { return residuals.operands.subspan(residuals.parameters); }

// Applies an index operator: its arguments, then the kept items.
template <size_t count>
Value apply(RuleContext& rule, const Entry& entry, Value (&args)[count], const Residuals& residuals) {
  std::array<Value, 3 * IndexSpec::max_items> items;
  const std::span<const Value> given = items_of(residuals);
  std::copy(given.begin(), given.end(), items.begin());
  return ops::call(rule.builder(), entry, args, {items.data(), given.size()});
}

// Repeated places are possible only with tensors of integers.
bool may_repeat(const Residuals& residuals) {
  for (const Value& item : items_of(residuals)) {
    if (!item.is_scalar() && kind_of(logical_type(item).dtype) == DtypeKind::integer &&
        logical_type(item).shape.rank() > 0)
      return true;
  }
  return false;
}

Value read(RuleContext& rule, const Value& from, const Value& spec, const Residuals& residuals) {
  Value args[] = {from, spec};
  return apply(rule, index_read_entry(), args, residuals);
}

// What reached the value of x[items] = value: of several writes to one place, only the last.
Value written_part(RuleContext& rule, const Residuals& residuals, const Value& cotangent) {
  Value part = read(rule, cotangent, residuals.operands[2], residuals);
  if (!may_repeat(residuals)) return part;
  Value args[] = {cotangent, residuals.operands[2]};
  Value last = apply(rule, index_last_entry(), args, residuals);
  const Dtype dtype = logical_type(part).dtype;
  return rule.where(std::move(last), std::move(part), rule.number(0, dtype));
}

// The value's cotangent out of the place's: summed where it was broadcast; spare axes of size 1 in front come back.
Value to_value(RuleContext& rule, Value part, const Type& value) {
  const Shape place = logical_type(part).shape;
  if (value.shape.rank() <= place.rank()) return rule.sum_to(std::move(part), value);
  Type inner = value;
  while (inner.shape.rank() > place.rank()) inner.shape.erase(0);
  return rule.reshape(rule.sum_to(std::move(part), inner), value.shape);
}

Value write_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents, const Entry& entry) {
  if (tangents[0].is_none() && tangents[1].is_none()) return Value();
  const Type& x = residuals.types[0];
  Value args[] = {tangents[0].is_none() ? rule.zeros(x) : tangents[0],
                  tangents[1].is_none() ? rule.number(0, x.dtype) : tangents[1], residuals.operands[2]};
  return apply(rule, entry, args, residuals);
}

}  // namespace

Value index_read_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  return read(rule, tangents[0], residuals.operands[1], residuals);
}

void index_read_vjp(RuleContext&, const Residuals& residuals, Value cotangent, Cotangents& cotangents) {
  if (cotangents.wants(0)) cotangents.add_at(0, residuals.operands[1], items_of(residuals), std::move(cotangent));
}

Value index_update_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return write_jvp(rule, residuals, tangents, index_update_entry());
}

// The value's part is computed first, so that nothing shares the cotangent when its places are zeroed; the
// contributions come in operand order all the same.
void index_update_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& cotangents) {
  Value of_value;
  if (cotangents.wants(1)) of_value = to_value(rule, written_part(rule, residuals, cotangent), residuals.types[1]);
  if (cotangents.wants(0)) {
    Value args[] = {std::move(cotangent), rule.number(0, residuals.types[0].dtype), residuals.operands[2]};
    cotangents.add(0, apply(rule, index_update_entry(), args, residuals));
  }
  if (cotangents.wants(1)) cotangents.add(1, std::move(of_value));
}

Value index_add_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return write_jvp(rule, residuals, tangents, index_add_entry());
}

void index_add_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& cotangents) {
  Value of_value;
  if (cotangents.wants(1))
    of_value = to_value(rule, read(rule, cotangent, residuals.operands[2], residuals), residuals.types[1]);
  if (cotangents.wants(0)) cotangents.add(0, std::move(cotangent));
  if (cotangents.wants(1)) cotangents.add(1, std::move(of_value));
}

}  // namespace covec::ops
