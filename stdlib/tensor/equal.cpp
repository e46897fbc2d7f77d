// Leaf by leaf, records by the names of their fields. What functions have captured is compared by bits, so that a
// function equals itself whatever it holds. Start at equal_at.
#include "stdlib/tensor/equal.hpp"

#include <cstring>

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

using CompareParts = bool (*)(const Value& left, const Value& right, unsigned depth);

void check_depth(unsigned depth) {
  if (depth > depth_limit) fail(message("too_deep"), {std::to_string(depth_limit)});
}

bool trees_equal(const Value& a, const Value& b, unsigned depth, CompareParts equal) {
  check_depth(depth);
  const std::vector<Value>& left = *children(a);
  if (left.size() != children(b)->size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    const Value* other = matching_child(a, b, i);
    if (other == nullptr || !equal(left[i], *other, depth)) return false;
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

bool functions_equal(const Value& a, const Value& b, unsigned depth);

bool same_numbers(const Value& a, const Value& b) {
  if (dtype_of(a) != dtype_of(b) || rank_of(a) != rank_of(b)) return false;
  if (a.is_scalar()) return std::memcmp(a.scalar_data(), b.scalar_data(), size_of(dtype_of(a))) == 0;
  if (a.tensor().shape() != b.tensor().shape()) return false;
  for (int64_t i = 0; i < a.tensor().dim(0); ++i) {
    if (!same_numbers(item_of(a, i), item_of(b, i))) return false;
  }
  return true;
}

bool same_symbol(const Value& a, const Value& b) {
  const bool same = a.is_symbol() && b.is_symbol() &&
                    static_cast<const Symbol*>(a.object())->id == static_cast<const Symbol*>(b.object())->id;
  if (!same) fail_not_staged("whether two functions are equal");
  return true;
}

bool parts_same(const std::vector<Value>& a, const std::vector<Value>& b, unsigned depth);

// As captured values are.
bool same_at(const Value& left, const Value& right, unsigned depth) {
  if (left.is_object() && right.is_object() && left.object() == right.object()) return true;
  if ((left.is_traced() || right.is_traced()) && is_operand(left) != is_operand(right)) return false;
  const Value& a = without_traces(left);
  const Value& b = without_traces(right);
  if (a.is_symbol() || b.is_symbol()) return same_symbol(a, b);
  if (a.is_numeric() && b.is_numeric()) return same_numbers(a, b);
  if (!a.is_object() || !b.is_object()) return a.tag() == b.tag() && !a.is_scalar();
  if (a.object() == b.object()) return true;
  if (a.object()->kind != b.object()->kind) return false;
  if (is_tree(a)) return trees_equal(a, b, depth + 1, same_at);
  if (a.is(ObjectKind::string)) return a.string().text == b.string().text;
  if (a.is(ObjectKind::function)) return functions_equal(a, b, depth + 1);
  return a.is(ObjectKind::sequence) && a.sequence().staging_key() == b.sequence().staging_key() &&
         parts_same(parts_of(a), parts_of(b), depth + 1);
}

bool parts_same(const std::vector<Value>& a, const std::vector<Value>& b, unsigned depth) {
  check_depth(depth);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [depth](const Value& x, const Value& y) { return same_at(x, y, depth); });
}

const Callable& uncompiled(const Value& function) {
  const Callable* at = &function.function();
  while (const Value* from = at->compiled_from()) at = &from->function();
  return *at;
}

bool functions_equal(const Value& a, const Value& b, unsigned depth) {
  const Callable &left = uncompiled(a), &right = uncompiled(b);
  if (&left == &right) return true;
  if (left.entry() != nullptr || right.entry() != nullptr) return left.entry() == right.entry();
  return left.known_by_parts() && right.known_by_parts() && left.same_but_captures(right) &&
         parts_same(left.captures(), right.captures(), depth);
}

bool equal_at(const Value& left, const Value& right, unsigned depth) {
  if ((left.is_traced() || right.is_traced()) && is_operand(left) != is_operand(right)) return false;  // of any example
  const Value& a = without_traces(left);
  const Value& b = without_traces(right);
  if (a.is_numeric() && b.is_numeric()) return tensors_equal(a, b);
  if (!a.is_object() || !b.is_object()) return a.tag() == b.tag() && !a.is_scalar();
  if (a.object() == b.object())
    return !is_tree(a) || trees_equal(a, b, depth + 1, equal_at);  // a NaN inside equals nothing
  if (a.object()->kind != b.object()->kind) return false;
  if (is_tree(a)) return trees_equal(a, b, depth + 1, equal_at);
  if (a.is(ObjectKind::string)) return a.string().text == b.string().text;
  if (a.is(ObjectKind::function)) return functions_equal(a, b, depth + 1);
  return a.is(ObjectKind::sequence) && ranges_equal(a, b);
}

}  // namespace

bool values_equal(const Value& a, const Value& b) { return equal_at(a, b, 0); }

}  // namespace covec
