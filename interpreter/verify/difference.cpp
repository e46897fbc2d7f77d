#include "interpreter/verify/difference.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

using Found = std::optional<std::string>;

std::string digits(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}
template <class T>
std::string digits(T number) {
  return std::to_string(number);
}

std::string both(const std::string& place, const std::string& a, const std::string& b) {
  return place + ": " + a + " and " + b;
}

template <class T>
bool same_bits(T a, T b) {
  if (std::memcmp(&a, &b, sizeof a) == 0) return true;
  if constexpr (std::is_floating_point_v<T>) return std::isnan(a) && std::isnan(b);
  return false;
}

std::string index_text(const Tensor& tensor, int64_t element) {
  std::string text;
  for (unsigned axis = tensor.rank(); axis-- > 0;) {
    const int64_t extent = tensor.dim(axis);
    text = std::to_string(element % extent) + (text.empty() ? "" : ", ") + text;
    element /= extent;
  }
  return "[" + text + "]";
}

template <class T>
Found elements(const Tensor& a, const Tensor& b, const std::string& place) {
  for (int64_t i = 0; i < a.size(); ++i) {
    const T x = a.as<T>()[i], y = b.as<T>()[i];
    if (!same_bits(x, y)) return both(place + index_text(a, i), digits(x), digits(y));
  }
  return std::nullopt;
}

Found elements_of_half(const Tensor& a, const Tensor& b, const std::string& place) {
  for (int64_t i = 0; i < a.size(); ++i) {
    const float x = float_of_half(a.dtype(), a.as<uint16_t>()[i]), y = float_of_half(a.dtype(), b.as<uint16_t>()[i]);
    if (!same_bits(x, y)) return both(place + index_text(a, i), digits(x), digits(y));
  }
  return std::nullopt;
}

Found numbers(const Value& a, const Value& b, const std::string& place) {
  const Dtype dtype = a.scalar_dtype();
  if (dtype != b.scalar_dtype())
    return both(place, std::string(name_of(dtype)), std::string(name_of(b.scalar_dtype())));
  if (dtype == Dtype::f64 && !same_bits(a.f64(), b.f64())) return both(place, digits(a.f64()), digits(b.f64()));
  if (dtype == Dtype::f32 && !same_bits(a.f32(), b.f32())) return both(place, digits(a.f32()), digits(b.f32()));
  if (is_half(dtype) && !same_bits(a.half(), b.half())) return both(place, digits(a.half()), digits(b.half()));
  if (!is_float(dtype) && text_of(a) != text_of(b)) return both(place, text_of(a), text_of(b));
  return std::nullopt;
}

Found tensors(const Value& left, const Value& right, const std::string& place) {
  if (describe(left) != describe(right)) return both(place, describe(left), describe(right));
  const Value x = contiguous(left.tensor().pool(), left), y = contiguous(right.tensor().pool(), right);
  const Tensor &a = x.tensor(), &b = y.tensor();
  if (is_half(a.dtype())) return elements_of_half(a, b, place);
  return with_element(a.dtype(), [&]<class T>(T) { return elements<T>(a, b, place); });
}

// A function may be compiled in one engine only; what the functions captured may not differ.
Found functions(const Value& left, const Value& right, const std::string& place) {
  const Value* inner[2] = {left.function().compiled_from(), right.function().compiled_from()};
  if (inner[0] != nullptr || inner[1] != nullptr) {
    return difference(inner[0] != nullptr ? *inner[0] : left, inner[1] != nullptr ? *inner[1] : right, place);
  }
  const Callable &a = left.function(), &b = right.function();
  if (a.name() != b.name()) return both(place, a.name(), b.name());
  const std::vector<Value> x = a.captures(), y = b.captures();
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (Found found = difference(x[i], y[i], place + " (captured)")) return found;
  }
  return std::nullopt;
}

Found leaves(const Value& a, const Value& b, const std::string& place) {
  if (a.is_scalar() && b.is_scalar()) return numbers(a, b, place);
  if (a.is_tensor() && b.is_tensor()) return tensors(a, b, place);
  if (a.is(ObjectKind::function) && b.is(ObjectKind::function)) return functions(a, b, place);
  if (a.is(ObjectKind::module) && b.is(ObjectKind::module)) return std::nullopt;
  const auto shown = [](const Value& value) { return is_tree(value) ? describe(value) : text_of(value); };
  const std::string x = shown(a), y = shown(b);
  if (x != y) return both(place, x, y);
  return std::nullopt;
}

// Two values side by side, without recursion: programs make trees that are deeper than any stack.
class Walk {
 public:
  explicit Walk(std::string root) : root_(std::move(root)) {}

  Found run(const Value& a, const Value& b) {
    if (Found found = visit(a, b)) return found;
    while (!levels_.empty()) {
      Level& level = levels_.back();
      const std::vector<Value>& items = *children(*level.a);
      if (level.next == items.size()) {
        levels_.pop_back();
        continue;
      }
      const size_t i = level.next++;
      if (Found found = visit(items[i], *matching_child(*level.a, *level.b, i))) return found;
    }
    return std::nullopt;
  }

 private:
  struct Level {
    const Value *a, *b;
    size_t next = 0;  // child
  };

  Found visit(const Value& a, const Value& b) {
    if (!is_tree(a) || !is_tree(b)) return leaves(a, b, place());
    if (!match(a, b)) return both(place(), describe(a), describe(b));
    levels_.push_back({&a, &b});
    return std::nullopt;
  }

  static bool match(const Value& a, const Value& b) {
    const size_t size = children(a)->size();
    if (a.object()->kind != b.object()->kind || size != children(b)->size()) return false;
    for (size_t i = 0; i < size; ++i) {
      if (matching_child(a, b, i) == nullptr) return false;
    }
    return true;
  }

  std::string place() const {
    std::string text = root_;
    for (const Level& level : levels_) {
      const size_t i = level.next - 1;
      const bool named = level.a->is(ObjectKind::record);
      text += named ? "." + level.a->record().layout->names[i] : "[" + std::to_string(i) + "]";
    }
    return text;
  }

  const std::string root_;
  std::vector<Level> levels_;
};

}  // namespace

Found difference(const Value& a, const Value& b, const std::string& place) { return Walk(place).run(a, b); }

}  // namespace covec
