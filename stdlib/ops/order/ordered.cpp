#include "stdlib/ops/order/ordered.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "stdlib/kernels/sort.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/number_row.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- any keys ---

int compare_numbers(const Value& a, const Value& b) {
  if (!is_float(a.scalar_dtype()) && !is_float(b.scalar_dtype())) {
    const int64_t x = a.integer(), y = b.integer();
    return x < y ? -1 : x > y;
  }
  const double x = a.real(), y = b.real();
  if (x != x || y != y) return (x != x) - (y != y);  // nan is larger than all numbers
  return x < y ? -1 : x > y;
}

int compare(const Value& a, const Value& b) {
  if (a.is_scalar() && b.is_scalar()) return compare_numbers(a, b);
  if (a.is(ObjectKind::string) && b.is(ObjectKind::string)) return a.string().text.compare(b.string().text);
  if (!a.is(ObjectKind::tuple) || !b.is(ObjectKind::tuple)) fail(message("sort_mixed"), {describe(a), describe(b)});
  const std::vector<Value>&x = a.tuple().items, &y = b.tuple().items;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (const int order = compare(x[i], y[i])) return order;
  }
  return x.size() < y.size() ? -1 : x.size() > y.size();
}

std::vector<int64_t> compared_places(std::span<const Value> keys, bool descending) {
  std::vector<int64_t> places(keys.size());
  std::iota(places.begin(), places.end(), int64_t{0});
  std::stable_sort(places.begin(), places.end(), [&](int64_t x, int64_t y) {
    const int order = compare(keys[static_cast<size_t>(x)], keys[static_cast<size_t>(y)]);
    return descending ? order > 0 : order < 0;
  });
  return places;
}

// --- strings ---

struct TextKey {
  uint64_t beginning;  // as a number: strings whose beginnings differ are in the order of these
  int64_t place;
};

uint64_t beginning_of(const std::string& text) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, text.data(), std::min(text.size(), sizeof bytes));
  return __builtin_bswap64(bytes);
}

std::vector<int64_t> places_of_texts(std::span<const Value> keys, bool descending) {
  std::vector<TextKey> order;
  order.reserve(keys.size());
  for (const Value& key : keys) order.push_back({beginning_of(key.string().text), static_cast<int64_t>(order.size())});
  const auto text = [&](const TextKey& key) -> const std::string& {
    return keys[static_cast<size_t>(key.place)].string().text;
  };
  const auto ascends = [&](const TextKey& a, const TextKey& b) {
    return a.beginning != b.beginning ? a.beginning < b.beginning : text(a) < text(b);
  };
  const auto before = [&](const TextKey& a, const TextKey& b) { return descending ? ascends(b, a) : ascends(a, b); };
  const auto descends = [&](const TextKey& a, const TextKey& b) { return !before(b, a); };
  const bool in_order = std::is_sorted(order.begin(), order.end(), before);
  const bool reversed = !in_order && std::adjacent_find(order.begin(), order.end(), descends) == order.end();
  if (reversed) std::reverse(order.begin(), order.end());
  if (!in_order && !reversed) std::stable_sort(order.begin(), order.end(), before);
  std::vector<int64_t> places;
  places.reserve(order.size());
  for (const TextKey& key : order) places.push_back(key.place);
  return places;
}

// --- numbers ---

bool are_numbers_of(std::span<const Value> keys, Dtype dtype) {
  return std::all_of(keys.begin(), keys.end(),
                     [&](const Value& key) { return key.is_scalar() && key.scalar_dtype() == dtype; });
}

std::vector<int64_t> places_of_numbers(Builder& b, std::span<const Value> keys, bool descending) {
  const Value numbers = tensor_of_numbers(b.pool(), keys);
  const auto count = static_cast<int64_t>(keys.size());
  std::vector<int64_t> places(keys.size());
  kernels::sort_positions(b.context(), {numbers.tensor().data(), numbers.tensor().dtype(), 1, count, descending}, count,
                          places.data());
  return places;
}

bool are_texts(std::span<const Value> keys) {
  return std::all_of(keys.begin(), keys.end(), [](const Value& key) { return key.is(ObjectKind::string); });
}

bool are_plain_numbers(std::span<const Value> keys) {
  return !keys.empty() && keys[0].is_scalar() && !is_narrow(keys[0].scalar_dtype()) &&
         are_numbers_of(keys, keys[0].scalar_dtype());
}

}  // namespace

bool are_plain_keys(std::span<const Value> keys) { return are_plain_numbers(keys) || are_texts(keys); }

std::vector<int64_t> ordered_places(Builder& b, std::span<const Value> keys, bool descending) {
  if (are_plain_numbers(keys)) return places_of_numbers(b, keys, descending);
  return are_texts(keys) ? places_of_texts(keys, descending) : compared_places(keys, descending);
}

}  // namespace covec::ops
