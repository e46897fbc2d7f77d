// See equality.hpp. The known structure decides first, in the order of values_equal.
#include "stdlib/ops/contract/equality.hpp"

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/tensor/equal.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

struct Comparison {
  Builder& builder;
  std::string_view what;

  Value values(const Value& a, const Value& b) const {
    if (is_tree(a) && is_tree(b)) return trees(a, b);
    if (is_open(a) || is_open(b)) fail_not_staged(std::string(what));
    if (is_numbers(a) != is_numbers(b)) return Value(false);
    if (!is_numbers(a) || (a.is_numeric() && b.is_numeric())) return Value(values_equal(a, b));
    if (!is_plain(a) || !is_plain(b)) fail_not_staged(std::string(what));
    return numbers(a, b);
  }
  static bool is_open(const Value& v) {
    return is_run_list(v) || is_boxed_symbol(v) || is_chosen(v) ||
           (v.is(ObjectKind::sequence) && v.sequence().only_the_run_knows());
  }
  // A function that a branch of the run chooses (jit/lower/paths/chosen.hpp).
  static bool is_chosen(const Value& v) { return v.is(ObjectKind::function) && v.function().only_the_run_knows(); }
  static bool is_numbers(const Value& v) { return is_operand(v) || v.is(ObjectKind::sequence); }
  static bool is_plain(const Value& v) { return v.is_numeric() || v.is_symbol(); }

  // Integers and floats meet in f64 there, elsewhere not always.
  Value numbers(const Value& a, const Value& b) const {
    const Type left = logical_type(a), right = logical_type(b);
    if (left.shape.rank() != right.shape.rank()) return Value(false);
    const bool alike = left.dtype == right.dtype || (!is_float(left.dtype) && !is_float(right.dtype));
    if (!left.shape.empty() || !alike) fail_not_staged(std::string(what));
    return call(builder, handles().equal, {a, b});
  }

  Value trees(const Value& a, const Value& b) const {
    const std::vector<Value>& items = *children(a);
    if (a.object()->kind != b.object()->kind || items.size() != children(b)->size()) return Value(false);
    Value all(true);
    for (size_t i = 0; i < items.size(); ++i) {
      const Value* const other = matching_child(a, b, i);
      if (other == nullptr) return Value(false);
      Value part = values(items[i], *other);
      if (part.tag() == Tag::boolean && !part.boolean()) return part;
      if (part.tag() == Tag::boolean) continue;
      all = all.tag() == Tag::boolean ? std::move(part) : call(builder, handles().bit_and, {all, part});
    }
    return all;
  }
};

}  // namespace

Value equality(Builder& builder, const Value& a, const Value& b, std::string_view what) {
  return builder.is_eager() ? Value(values_equal(a, b)) : Comparison{builder, what}.values(a, b);
}

}  // namespace covec::ops
