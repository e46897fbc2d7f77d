// The ends of a function of all ranks together (parallel.grad): its variables, of which each rank holds a copy, and its
// result, which all ranks have. In reverse the cotangents of a variable's copies are added, and the result, which is
// one number, counts once: on rank 0. So the gradient does not depend on how many ranks hold a copy.
#include <charconv>

#include "stdlib/cluster/collective.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/ranks/bits.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/leaf.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

using cluster::Operation;

Type same_type(ShapeBuilder&, const Call& call) { return operand_type(call, 0); }

// The numbers of all examples at once.
Value of_batch(Builder& b, Call& call, const Batching&) { return ops::call(b, call.entry, call.args, call.rest); }

// Raises an error where the ranks have not the same numbers.
void compare(Builder& b, Operation operation, const Value& x, const Value& active, FunctionRef<std::string()> words) {
  if (is_alone(b.context(), operation, active)) return;
  const uint64_t bits = hash_of_bits(b.pool(), x), type = hash_of_leaf(type_of(x), "");
  const cluster::Collective numbers{operation, bits ^ type, words, told_followers(active)};
  cluster::Joined(b.context(), numbers).agree(0);
}

std::string text_of(const Value& number) {
  if (!number.is_scalar()) return type_of(number).text();
  char text[32];
  const double value = real_at(number.scalar_dtype(), number.scalar_data());
  const bool narrow = size_of(number.scalar_dtype()) < size_of(Dtype::f64);
  const auto end = narrow ? std::to_chars(text, text + sizeof text, static_cast<float>(value))
                          : std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

Value compare_variable(Builder& b, Call& call) {
  compare(b, Operation::variable, call.args[0], call.args[3], [&] { return call.args[1].string().text; });
  return std::move(call.args[0]);
}

Value compare_result(Builder& b, Call& call) {
  compare(b, Operation::result, call.args[0], call.args[2], [&] { return text_of(call.args[0]); });
  return std::move(call.args[0]);
}

Value same_tangent(RuleContext&, const Residuals&, std::span<const Value> tangents) { return tangents[0]; }

// To derivatives around the one whose end it is, it is nothing but the value. `own`: the bit of that one.
bool is_end(const Residuals& residuals) {
  const size_t active = residuals.parameters - 1, own = active - 1;
  return residuals.operands[active].i64() == residuals.operands[own].i64();
}

void add_all(RuleContext& rules, const Residuals& residuals, Value cotangent, Cotangents& sums) {
  if (!is_end(residuals)) return sums.add(0, std::move(cotangent));
  sums.add(0, rules.call(parallel_all_sum_entry(), {std::move(cotangent)}));
}

void count_once(RuleContext& rules, const Residuals& residuals, Value cotangent, Cotangents& sums) {
  if (!is_end(residuals)) return sums.add(0, std::move(cotangent));
  sums.add(0, rules.call(rank_part_entry(), {std::move(cotangent), Value(int64_t{0})}));
}

Value part_of_rank(Builder& b, Call& call) {
  if (b.context().ranks->rank() == integer_argument(call, 1)) return std::move(call.args[0]);
  return RuleContext(b, false).zeros(type_of(call.args[0]));
}

Value part_of_cotangent(RuleContext& rules, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rules.call(rank_part_entry(), {cotangent, residuals.operands[1]});
}

Parameter active() { return attribute("active", Value(int64_t{0})); }

constexpr Effects collective{.may_fail = true, .outside = true, .meets = true};

}  // namespace

const Entry& rank_variable_entry() {
  static const Entry entry{
      .name = "_parallel_variable",
      .doc = "A variable of a function of all ranks, which all ranks must hold alike.",
      .parameters = {tensor_parameter("x"), attribute("name"), attribute("own"), active()},
      .carries = true,
      .type = same_type,
      .eager = compare_variable,
      .derivative = Derivative::by_hand(0, same_tangent, add_all),
      .batch = of_batch,
      .effects = collective,
      .internal = true,
      .part_of = "parallel.grad",
  };
  return entry;
}

const Entry& rank_result_entry() {
  static const Entry entry{
      .name = "_parallel_result",
      .doc = "The result of a function of all ranks, which all ranks must have alike.",
      .parameters = {tensor_parameter("x"), attribute("own"), active()},
      .carries = true,
      .type = same_type,
      .eager = compare_result,
      .derivative = Derivative::by_hand(0, same_tangent, count_once),
      .batch = of_batch,
      .effects = collective,
      .internal = true,
      .part_of = "parallel.grad",
  };
  return entry;
}

const Entry& rank_part_entry() {
  static const Entry entry{
      .name = "_parallel_part",
      .doc = "x on one rank, and zeros on the others.",
      .parameters = {tensor_parameter("x"), attribute("root")},
      .carries = true,
      .type = same_type,
      .eager = part_of_rank,
      .derivative = Derivative::linearly(1, part_of_cotangent),
      .batch = of_batch,
      .internal = true,
  };
  return entry;
}

}  // namespace covec::ops
