// Leaf by leaf, records by the names of their fields. Start at equal_at.
#include "stdlib/tensor/equal.hpp"

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

constexpr unsigned depth_limit = 5000;

// Among the examples of a vmap each is compared by itself.
const Value& without_traces(const Value& v) {
  const Value* at = &v;
  for (; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::batch) throw BatchedControl{at->traced().level};
  }
  return *at;
}

bool numbers_equal(const Value& a, const Value& b) {
  const auto real = [](const Value& v) {
    switch (v.scalar_dtype()) {
      case Dtype::f16:
      case Dtype::bf16:
      case Dtype::f32:
      case Dtype::f64: return real_at(v.scalar_dtype(), v.scalar_data());
      case Dtype::i32: return static_cast<double>(v.i32());
      default: return static_cast<double>(v.i64());
    }
  };
  const auto integer = [](const Value& v) { return v.scalar_dtype() == Dtype::i32 ? int64_t{v.i32()} : v.i64(); };
  if (is_float(a.scalar_dtype()) || is_float(b.scalar_dtype())) return real(a) == real(b);
  return integer(a) == integer(b);
}

bool tensors_equal(const Value& a, const Value& b) {
  if (rank_of(a) != rank_of(b)) return false;
  if (a.is_scalar()) return numbers_equal(a, b);
  if (a.tensor().shape() != b.tensor().shape()) return false;
  for (int64_t i = 0; i < a.tensor().dim(0); ++i) {
    if (!tensors_equal(item_of(a, i), item_of(b, i))) return false;
  }
  return true;
}

bool equal_at(const Value& left, const Value& right, unsigned depth);

bool trees_equal(const Value& a, const Value& b, unsigned depth) {
  if (depth > depth_limit) fail(message("too_deep"), {std::to_string(depth_limit)});
  const std::vector<Value>& left = *children(a);
  if (left.size() != children(b)->size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    const Value* other = matching_child(a, b, i);
    if (other == nullptr || !equal_at(left[i], *other, depth)) return false;
  }
  return true;
}

bool ranges_equal(const Value& a, const Value& b) {
  const auto* left = dynamic_cast<const Range*>(&a.sequence());
  const auto* right = dynamic_cast<const Range*>(&b.sequence());
  if (left == nullptr || right == nullptr || left->length() != right->length()) return false;
  const int64_t count = left->length();
  return count == 0 || (left->start == right->start && (count == 1 || left->stride == right->stride));
}

bool equal_at(const Value& left, const Value& right, unsigned depth) {
  if ((left.is_traced() || right.is_traced()) && is_operand(left) != is_operand(right)) return false;  // of any example
  const Value& a = without_traces(left);
  const Value& b = without_traces(right);
  if (a.is_numeric() && b.is_numeric()) return tensors_equal(a, b);
  if (!a.is_object() || !b.is_object()) return a.tag() == b.tag() && !a.is_scalar();
  if (a.object() == b.object()) return !is_tree(a) || trees_equal(a, b, depth + 1);  // a NaN inside equals nothing
  if (a.object()->kind != b.object()->kind) return false;
  if (is_tree(a)) return trees_equal(a, b, depth + 1);
  if (a.is(ObjectKind::string)) return a.string().text == b.string().text;
  if (a.is(ObjectKind::function))
    return a.function().entry() != nullptr && a.function().entry() == b.function().entry();
  return a.is(ObjectKind::sequence) && ranges_equal(a, b);
}

}  // namespace

bool values_equal(const Value& a, const Value& b) { return equal_at(a, b, 0); }

}  // namespace covec
