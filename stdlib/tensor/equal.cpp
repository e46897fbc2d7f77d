// One walk answers two questions: whether values are equal as numbers, and whether they are identical, as the captures
// of two functions must be. Start at Comparison::values.
#include "stdlib/tensor/equal.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

// equal: 1 equals 1.0, -0 equals 0, NaN equals nothing, not even itself inside of a tree. same: of one dtype and to the
// bit, but that all NaNs are one.
enum class Question : uint8_t { equal, same };

// --- numbers ---

bool equal_numbers(const Value& a, const Value& b) {
  if (is_float(a.scalar_dtype()) || is_float(b.scalar_dtype())) return a.real() == b.real();
  return a.integer() == b.integer();
}

bool same_numbers(const Value& a, const Value& b) {
  const Dtype dtype = a.scalar_dtype();
  if (dtype != b.scalar_dtype()) return false;
  if (is_float(dtype) && std::isnan(a.real())) return std::isnan(b.real());
  return std::memcmp(a.scalar_data(), b.scalar_data(), size_of(dtype)) == 0;
}

template <class T>
bool elements_alike(const Tensor& a, const Tensor& b, Question question) {
  const auto alike = [question](T x, T y) {
    if (question == Question::equal) return x == y;
    return std::memcmp(&x, &y, sizeof(T)) == 0 || (x != x && y != y);
  };
  return std::equal(a.as<T>(), a.as<T>() + a.size(), b.as<T>(), alike);
}

// Of tensors of one dtype that lie row-major; narrow ones go element by element.
bool can_run_through(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.contiguous() && b.contiguous() && !is_narrow(a.dtype());
}
bool run_through(const Tensor& a, const Tensor& b, Question question) {
  return with_element(a.dtype(), [&]<class T>(T) { return elements_alike<T>(a, b, question); });
}

bool numbers_alike(const Value& a, const Value& b, Question question) {
  if (rank_of(a) != rank_of(b)) return false;
  if (a.is_scalar()) return question == Question::equal ? equal_numbers(a, b) : same_numbers(a, b);
  const Tensor &x = a.tensor(), &y = b.tensor();
  if (x.shape() != y.shape() || (question == Question::same && x.dtype() != y.dtype())) return false;
  if (can_run_through(x, y)) return run_through(x, y, question);
  for (int64_t i = 0; i < x.dim(0); ++i) {
    if (!numbers_alike(item_of(a, i), item_of(b, i), question)) return false;
  }
  return true;
}

// --- the walk ---

// Among the examples of a vmap each is compared by itself; a pattern depends on what is compared, as concrete() has it.
const Value& without_traces(const Value& v) {
  const Value* at = &v;
  for (; at->is_traced(); at = &at->traced().primal) {
    const Traced& traced = at->traced();
    if (traced.trace == TraceKind::batch) throw BatchedControl{traced.level};
    if (traced.deciding != nullptr) *traced.deciding |= traced.node;
  }
  return *at;
}

bool ranges_equal(const Value& a, const Value& b) {
  const auto* left = dynamic_cast<const Range*>(&a.sequence());
  const auto* right = dynamic_cast<const Range*>(&b.sequence());
  if (left == nullptr || right == nullptr || left->length() != right->length()) return false;
  const int64_t count = left->length();
  return count == 0 || (left->start == right->start && (count == 1 || left->stride == right->stride));
}

const Callable& uncompiled(const Value& function) {
  const Callable* at = &function.function();
  while (const Value* from = at->compiled_from()) at = &from->function();
  return *at;
}

class Comparison {
 public:
  bool values(const Value& left, const Value& right, Question question) {
    if (question == Question::same && left.is_object() && right.is_object() && left.object() == right.object())
      return true;
    if ((left.is_traced() || right.is_traced()) && is_operand(left) != is_operand(right)) return false;
    const Value& a = without_traces(left);
    const Value& b = without_traces(right);
    if (a.is_symbol() || b.is_symbol()) return same_symbol(a, b);
    if (a.is_numeric() && b.is_numeric()) return numbers_alike(a, b, question);
    if (!a.is_object() || !b.is_object()) return a.tag() == b.tag() && !a.is_scalar();
    if (a.object()->kind != b.object()->kind) return false;
    switch (a.object()->kind) {
      case ObjectKind::string: return a.string().text == b.string().text;
      case ObjectKind::sequence:
        if (ranges_equal(a, b)) return true;
        break;
      case ObjectKind::function: question = Question::same; break;
      case ObjectKind::tuple:
      case ObjectKind::list:
      case ObjectKind::record:
      case ObjectKind::map:
      case ObjectKind::complex: break;
      default: return a.object() == b.object();
    }
    if (is_known(a, b, question)) return true;
    enter();
    const bool alike = is_tree(a)                   ? trees(a, b, question)
                       : a.is(ObjectKind::function) ? functions(a, b)
                                                    : sequences(a, b, question);
    --depth_;
    if (alike) keep(a, b, question);
    return alike;
  }

 private:
  static constexpr unsigned depth_limit = 5000;  // levels; chosen: a stack of 8 MB takes as many even under ASan
  static constexpr size_t few = 64;              // objects that are compared before any is kept

  void enter() {
    if (depth_ == depth_limit) fail(message("too_deep"), {std::to_string(depth_limit)});
    ++depth_;
  }

  // What is held in several places may be met again and again: in a large walk, what is known of it is kept. (Not
  // inlined: the walk is deep.)
  [[gnu::noinline]] bool is_known(const Value& a, const Value& b, Question question) {
    return ++met_ > few && known_.contains({{a.object(), b.object()}, question});
  }
  [[gnu::noinline]] void keep(const Value& a, const Value& b, Question question) {
    if (met_ <= few || (a.unique() && b.unique())) return;
    if (known_.insert({{a.object(), b.object()}, question}).second) held_.insert(held_.end(), {a, b});
  }

  bool trees(const Value& a, const Value& b, Question question) {
    const std::vector<Value>& left = *children(a);
    if (left.size() != children(b)->size()) return false;
    for (size_t i = 0; i < left.size(); ++i) {
      const Value* other = matching_child(a, b, i);
      if (other == nullptr || !values(left[i], *other, question)) return false;
    }
    return true;
  }

  bool sequences(const Value& a, const Value& b, Question question) {
    return a.sequence().staging_key() == b.sequence().staging_key() && parts(parts_of(a), parts_of(b), question);
  }

  bool functions(const Value& a, const Value& b) {
    const Callable &left = uncompiled(a), &right = uncompiled(b);
    if (&left == &right) return true;
    if (left.entry() != nullptr || right.entry() != nullptr) return left.entry() == right.entry();
    return left.known_by_parts() && right.known_by_parts() && left.same_but_captures(right) &&
           parts(left.captures(), right.captures(), Question::same);
  }

  bool parts(const std::vector<Value>& a, const std::vector<Value>& b, Question question) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const Value& x, const Value& y) { return values(x, y, question); });
  }

  static bool same_symbol(const Value& a, const Value& b) {
    const auto id = [](const Value& symbol) { return static_cast<const Symbol*>(symbol.object())->id; };
    if (!a.is_symbol() || !b.is_symbol() || id(a) != id(b)) fail_not_staged("whether two functions are equal");
    return true;
  }

  using Pair = std::pair<std::pair<const Object*, const Object*>, Question>;
  struct Hash {
    size_t operator()(const Pair& pair) const {
      const std::hash<const Object*> hash;
      return hash(pair.first.first) * 31 + hash(pair.first.second);
    }
  };
  std::unordered_set<Pair, Hash> known_;  // to be alike
  std::vector<Value> held_;               // so that their addresses stay theirs
  size_t met_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

bool values_equal(const Value& a, const Value& b) { return Comparison().values(a, b, Question::equal); }

}  // namespace covec
