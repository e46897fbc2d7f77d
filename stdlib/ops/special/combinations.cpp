// comb: how many ways there are to choose. Of whole numbers exactly, of others by the gamma function.
#include <algorithm>

#include "stdlib/ops/special/entries.hpp"

namespace covec::ops {

namespace {

// --- of whole numbers ---

// Each factor leaves a number of combinations, none less than the one before: no product passes 126 bits.
int64_t combinations(int64_t n, int64_t k) {
  if (k < 0 || n < 0 || k > n) return 0;
  __int128 count = 1;
  for (int64_t i = 1, times = std::min(k, n - k); i <= times; ++i) {
    count = count * (n - times + i) / i;
    if (count > INT64_MAX) {
      fail(message("bad_attribute"), {"comb", "n", "a float where the result does not fit in i64",
                                      std::to_string(n) + " and k = " + std::to_string(k)});
    }
  }
  return static_cast<int64_t>(count);
}

Value whole_combinations_eager(Builder& builder, Call& call) {
  const Shape shape = special::common_shape(builder, call);
  const auto operand = [&](unsigned i) {
    return contiguous(builder.pool(),
                      broadcast_value(builder.pool(), cast_to(builder, call.args[i], Dtype::i64), shape));
  };
  const Value n = operand(0), k = operand(1);
  const auto* const from = static_cast<const int64_t*>(data_of(n));
  const auto* const chosen = static_cast<const int64_t*>(data_of(k));
  if (shape.empty()) return Value(combinations(*from, *chosen));
  Value result = make_tensor(builder.pool(), Dtype::i64, shape);
  int64_t* const to = result.tensor().as<int64_t>();
  constexpr int64_t steps = 32;  // about as many as the longest takes
  kernels::InterruptPolls polls(builder.context());
  polls.in_chunks(result.tensor().size(), steps, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = combinations(from[i], chosen[i]);
  });
  kernels::poll_interrupt(builder.context());
  return result;
}

const Entry& whole_combinations_entry() {
  static const Entry entry{.name = "whole_combinations",
                           .doc = "`comb` of integers.",
                           .parameters = {tensor_parameter("n"), tensor_parameter("k")},
                           .type =
                               [](ShapeBuilder& shapes, const Call& call) {
                                 return Type{Dtype::i64, special::common_shape(shapes, call)};
                               },
                           .eager = whole_combinations_eager,
                           .derivative = Derivative::none("gives whole numbers"),
                           .batch = broadcast_batch,
                           .effects = {.may_fail = true},
                           .internal = true,
                           .part_of = "comb"};
  return entry;
}

// --- comb ---

Value comb_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Type n = operand_of(builder, call, 0), k = operand_of(builder, call, 1);
  Value operands[] = {call.args[0], call.args[1]};  // as they are given: errors speak of them
  if (!is_float(n.dtype) && !is_float(k.dtype)) return ops::call(builder, whole_combinations_entry(), operands);
  return steps.cast(ops::call(builder, special::real_combinations_entry(), operands), steps.common_float(call, 2));
}

const Entry& comb_entry() {
  static const Entry entry{
      .name = "comb",
      .doc =
          "In how many ways `k` of `n` things can be chosen, n! / (k! (n − k)!), elementwise; 0 where k is negative or "
          "larger than n.\n\n"
          "Of integers it is exact, and an error where it does not fit in `i64`. Of floats it is within 2 units in "
          "the last place (docs/accuracy.md), exact where it is a whole number up to 2⁵³, and differentiable by both.",
      .parameters = {any_parameter("n"), any_parameter("k")},
      .widens_integers = true,
      .eager = comb_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "5, [0, 1, 2, 5, 6, -1]", .expected = "[1, 5, 10, 1, 0, 0]", .source = "scipy"},
                  {.arguments = "[[66], [62]], [33, 1]",
                   .expected = "[[7219428434016265740, 66], [409894288378212890, 62]]",
                   .source = "python"},
                  {.arguments = "[5.0, 10.0, 3.0], [2.0, 5.0, 4.0]",
                   .expected = "[10.0, 252.0, 0.0]",
                   .source = "scipy",
                   .differentiate = true},
                  {.arguments = "[5.5, 10.0], [2.5, 0.25]",
                   .expected = "[14.4375, 1.9802283858368523]",
                   .source = "mpmath",
                   .ulp = 1,
                   .differentiate = true},
                  {.arguments = "[nan, 2.0], 1", .expected = "[nan, 2.0]"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family special::combination_entries() {
  static const Entry* const entries[] = {&comb_entry(), &whole_combinations_entry()};
  return entries;
}

}  // namespace covec::ops
