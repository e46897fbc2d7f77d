// Combines the numbers of one group: sums and their like, in order of the rows. It skips nan, as the builtins nansum
// and nanmean do. Sums of floats are compensated (Kahan, 1965).
#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/table/columns.hpp"
#include "stdlib/ops/table/family.hpp"
#include "stdlib/ops/table/groups.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

Codes::Codes(const Call& call, unsigned codes, unsigned count) : vector(i64_argument(call, codes)) {
  data = vector.tensor().as<int64_t>();
  size = vector.tensor().size();
  groups = integer_argument(call, count);
  const bool fit = std::all_of(data, data + size, [&](int64_t code) { return code >= 0 && code < groups; });
  constexpr int64_t most = int64_t{1} << 40;  // groups
  if (groups < 0 || groups > most || !fit) fail_attribute(call, codes, "a vector of numbers of groups");
}

GroupedRows::GroupedRows(Builder& b, const Codes& codes) {
  b.pool().need(static_cast<uint64_t>(codes.size + 2 * codes.groups) * sizeof(int64_t));
  starts.resize(static_cast<size_t>(codes.groups) + 1);
  rows.resize(static_cast<size_t>(codes.size));
  for (int64_t i = 0; i < codes.size; ++i) ++starts[static_cast<size_t>(codes.data[i]) + 1];
  for (size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
  std::vector<int64_t> next(starts.begin(), starts.end());
  kernels::poll_interrupt(b.context());
  for (int64_t i = 0; i < codes.size; ++i) rows[static_cast<size_t>(next[static_cast<size_t>(codes.data[i])]++)] = i;
}

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t between_polls = 1 << 16;  // rows

template <class T>
bool is_missing(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}

// Calls each(row, group) for the rows whose number is there.
template <class T, class F>
void each_number(Builder& b, const T* x, const Codes& codes, F each) {
  for (int64_t begin = 0; begin < codes.size; begin += between_polls) {
    kernels::poll_interrupt(b.context());
    const int64_t end = std::min(codes.size, begin + between_polls);
    for (int64_t i = begin; i < end; ++i) {
      if (!is_missing(x[i])) each(i, codes.data[i]);
    }
  }
}

template <class T>
Value filled(Builder& b, const Codes& codes, Dtype dtype, T with) {
  Value made = make_tensor(b.pool(), dtype, Shape{Dim(codes.groups)});
  std::fill_n(made.tensor().as<T>(), codes.groups, with);
  return made;
}

template <class T>
Value counts(Builder& b, const T* x, const Codes& codes) {
  Value made = filled<int64_t>(b, codes, Dtype::i64, 0);
  auto* const to = made.tensor().as<int64_t>();
  each_number(b, x, codes, [&](int64_t, int64_t group) { ++to[group]; });
  return made;
}

struct Sum {
  double value = 0, lost = 0;
  void add(double x) {
    const double y = x - lost, next = value + y;
    lost = std::isfinite(next) ? (next - value) - y : 0;
    value = next;
  }
};

template <class T>
std::vector<Sum> float_sums(Builder& b, const T* x, const Codes& codes) {
  b.pool().need(static_cast<uint64_t>(codes.groups) * sizeof(Sum));
  std::vector<Sum> sums(static_cast<size_t>(codes.groups));
  each_number(b, x, codes,
              [&](int64_t i, int64_t group) { sums[static_cast<size_t>(group)].add(static_cast<double>(x[i])); });
  return sums;
}

template <class T>
Value sum(Builder& b, const T* x, const Codes& codes) {
  if constexpr (std::is_floating_point_v<T>) {
    Value made = filled<double>(b, codes, Dtype::f64, 0);
    const std::vector<Sum> sums = float_sums(b, x, codes);
    for (int64_t k = 0; k < codes.groups; ++k) made.tensor().as<double>()[k] = sums[static_cast<size_t>(k)].value;
    return made;
  } else {
    Value made = filled<int64_t>(b, codes, Dtype::i64, 0);
    auto* const to = reinterpret_cast<uint64_t*>(made.tensor().as<int64_t>());
    each_number(b, x, codes,
                [&](int64_t i, int64_t group) { to[group] += static_cast<uint64_t>(static_cast<int64_t>(x[i])); });
    return made;
  }
}

template <class T>
Value mean(Builder& b, const T* x, const Codes& codes) {
  const Value count = counts(b, x, codes);
  const std::vector<Sum> sums = float_sums(b, x, codes);
  Value made = filled<double>(b, codes, Dtype::f64, missing);
  for (int64_t k = 0; k < codes.groups; ++k) {
    const int64_t n = count.tensor().as<int64_t>()[k];
    if (n > 0) made.tensor().as<double>()[k] = sums[static_cast<size_t>(k)].value / static_cast<double>(n);
  }
  return made;
}

// With n - 1 in the denominator: nan of fewer than two.
template <class T>
Value variance(Builder& b, const T* x, const Codes& codes, bool root) {
  const Value count = counts(b, x, codes), middle = mean(b, x, codes);
  const double* const at = middle.tensor().as<double>();
  std::vector<Sum> squares(static_cast<size_t>(codes.groups));
  each_number(b, x, codes, [&](int64_t i, int64_t group) {
    const double off = static_cast<double>(x[i]) - at[group];
    squares[static_cast<size_t>(group)].add(off * off);
  });
  Value made = filled<double>(b, codes, Dtype::f64, missing);
  for (int64_t k = 0; k < codes.groups; ++k) {
    const int64_t n = count.tensor().as<int64_t>()[k];
    if (n < 2) continue;
    const double v = squares[static_cast<size_t>(k)].value / static_cast<double>(n - 1);
    made.tensor().as<double>()[k] = root ? std::sqrt(v) : v;
  }
  return made;
}

template <class T>
Value median(Builder& b, const T* x, const Codes& codes) {
  const GroupedRows grouped(b, codes);
  Value made = filled<double>(b, codes, Dtype::f64, missing);
  std::vector<T> numbers;
  for (int64_t k = 0; k < codes.groups; ++k) {
    if (k % 1024 == 0) kernels::poll_interrupt(b.context());
    numbers.clear();
    for (int64_t r = grouped.starts[static_cast<size_t>(k)]; r < grouped.starts[static_cast<size_t>(k) + 1]; ++r) {
      const T number = x[grouped.rows[static_cast<size_t>(r)]];
      if (!is_missing(number)) numbers.push_back(number);
    }
    if (numbers.empty()) continue;
    const auto half = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), half, numbers.end());
    const double upper = static_cast<double>(*half);
    const bool odd = numbers.size() % 2 == 1;
    const double lower = odd ? upper : static_cast<double>(*std::max_element(numbers.begin(), half));
    made.tensor().as<double>()[k] = lower == upper ? upper : lower + (upper - lower) / 2;
  }
  return made;
}

// Where in each group the number stands that `better` chooses, -1 where there is none.
template <class T, class Better>
Value places(Builder& b, const T* x, const Codes& codes, Better better) {
  Value made = filled<int64_t>(b, codes, Dtype::i64, -1);
  auto* const to = made.tensor().as<int64_t>();
  each_number(b, x, codes, [&](int64_t i, int64_t group) {
    if (to[group] < 0 || better(x[i], x[to[group]])) to[group] = i;
  });
  return made;
}

constexpr std::string_view words[] = {"count", "sum", "mean", "var", "std", "median", "min", "max", "first", "last"};

template <class T>
Value reduced(Builder& b, const T* x, const Codes& codes, std::string_view how) {
  if (how == "count") return counts(b, x, codes);
  if (how == "sum") return sum(b, x, codes);
  if (how == "mean") return mean(b, x, codes);
  if (how == "var" || how == "std") return variance(b, x, codes, how == "std");
  if (how == "median") return median(b, x, codes);
  if (how == "min") return places(b, x, codes, [](T one, T best) { return one < best; });
  if (how == "max") return places(b, x, codes, [](T one, T best) { return best < one; });
  if (how == "first") return places(b, x, codes, [](T, T) { return false; });
  return places(b, x, codes, [](T, T) { return true; });
}

Value group_reduce(Builder& b, Call& call) {
  const Value& x = call.args[0];
  if (!x.is_tensor() || x.tensor().rank() != 1) fail_attribute(call, 0, "a vector of numbers");
  const Codes codes(call, 1, 2);
  if (x.tensor().dim(0) != codes.size) fail_attribute(call, 1, "as long as x");
  const Value& how = call.args[3];
  if (!how.is(ObjectKind::string) ||
      std::find(std::begin(words), std::end(words), how.string().text) == std::end(words))
    fail_attribute(
        call, 3, "\"count\", \"sum\", \"mean\", \"var\", \"std\", \"median\", \"min\", \"max\", \"first\" or \"last\"");
  const std::string_view word = how.string().text;
  const Value whole =
      contiguous(b.pool(), is_narrow(x.tensor().dtype()) ? cast_to(b, x, computing_dtype(x.tensor().dtype())) : x);
  const Tensor& tensor = whole.tensor();
  return with_element(tensor.dtype(), [&]<class T>(T) { return reduced(b, tensor.as<T>(), codes, word); });
}

Value grouped_positions(Builder& b, Call& call) {
  const Codes codes(call, 0, 1);
  const GroupedRows grouped(b, codes);
  const auto vector = [&](const std::vector<int64_t>& items) {
    Value made = make_tensor(b.pool(), Dtype::i64, Shape{Dim(static_cast<int64_t>(items.size()))});
    std::copy(items.begin(), items.end(), made.tensor().as<int64_t>());
    return made;
  };
  return make_tuple({vector(grouped.rows), vector(grouped.starts)});
}

const Entry& group_reduce_entry() {
  static const Entry entry{
      .name = "group_reduce",
      .doc =
          "What the numbers of each group come to: of group k those x[i] with codes[i] = k, in order, without nan.\n\n"
          "`how` is \"count\", \"sum\" (i64 of integers and bools, f64 of floats, compensated), \"mean\", \"var\" and "
          "\"std\" (n - 1 in the denominator) or \"median\", f64[groups]; or \"min\", \"max\", \"first\" or \"last\", "
          "which give the position of that number, i64[groups], -1 where a group has none. Others of nothing are nan, "
          "a "
          "sum is 0. `factorize` makes codes.",
      .parameters = {tensor_parameter("x"), any_parameter("codes"), attribute("groups"), attribute("how")},
      .widens_integers = true,
      .eager = group_reduce,
      .derivative = Derivative::none("groups by given numbers"),
      .effects = table_effects(),
      .example = R"(codes = [0, 1, 0, 1]
print(group_reduce([1.0, 2.0, 3.0, nan], codes, 2, "mean"))  # expect: [2.0, 2.0]
print(group_reduce([1.0, 2.0, 3.0, nan], codes, 2, "max"))  # expect: [2, 1])",
  };
  return entry;
}

const Entry& group_positions_entry() {
  static const Entry entry{
      .name = "group_positions",
      .doc =
          "The positions of each group: `(positions, starts)`, those of group k are positions[starts[k]:starts[k + "
          "1]], "
          "in order.",
      .parameters = {any_parameter("codes"), attribute("groups")},
      .widens_integers = true,
      .eager = grouped_positions,
      .derivative = Derivative::none("gives positions"),
      .effects = table_effects(),
      .example = R"(print(group_positions([1, 0, 1], 2))  # expect: ([1, 0, 2], [0, 1, 3]))",
  };
  return entry;
}

}  // namespace

Family table_group_entries() {
  static const Entry* const entries[] = {&group_reduce_entry(), &group_positions_entry()};
  return entries;
}

}  // namespace covec::ops
