// Rules for bools, comparisons and choices. Most serve the code that staging makes of `return` and `break`: numbers
// that say how a statement ended, chosen by one condition and compared with constants.
#include <unordered_map>

#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/simplify.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::passes {

using namespace ir;
using ops::entry_of;

namespace {

Dtype result_dtype(Rewriter& rewriter, const Operation& operation) {
  return rewriter.type(result_of(rewriter, operation)).dtype;
}

enum class Bits : uint8_t { unknown, none, all };

// A constant with no bits, or with all of them.
Bits bits_of_constant(const Value& c) {
  if (c.tag() == Tag::boolean) return c.boolean() ? Bits::all : Bits::none;
  if (!c.is_integer()) return Bits::unknown;
  const int64_t number = c.integer();
  return number == 0 ? Bits::none : number == -1 ? Bits::all : Bits::unknown;
}

Value negated(const Rewriter& rewriter, const Value& value) {
  for (const ops::Entry* entry : {&entry_of<ops::LogicalNot>(), &entry_of<ops::BitNot>()}) {
    if (const Operation* negation = rewriter.maker(value, *entry)) return negation->args[0];
  }
  return Value::unbound();
}

// x & ones is x, x & zeros is zeros; x & x is x, and so are x & (x | y) and x | (x & y); x & (x & y) is x & y.
bool join_bits(Rewriter& rewriter, Operation& operation, Bits neutral, const ops::Entry& other) {
  if (same_operand(operation.args[0], operation.args[1])) return becomes(rewriter, operation, Value(operation.args[0]));
  for (size_t i = 0; i < 2; ++i) {
    const Value x = operation.args[i], y = operation.args[1 - i];
    const Bits bits = bits_of_constant(constant_of(rewriter, y));
    if (bits != Bits::unknown && becomes(rewriter, operation, bits == neutral ? x : y)) return true;
    for (const ops::Entry* entry : {operation.entry, &other}) {
      const Operation* inner = rewriter.maker(y, *entry);
      if (inner == nullptr || (!same_operand(inner->args[0], x) && !same_operand(inner->args[1], x))) continue;
      if (becomes(rewriter, operation, entry == &other ? x : y)) return true;
    }
  }
  return false;
}

bool conjunction(Rewriter& rewriter, Operation& operation) {
  return join_bits(rewriter, operation, Bits::all, entry_of<ops::BitOr>());
}

bool disjunction(Rewriter& rewriter, Operation& operation) {
  return join_bits(rewriter, operation, Bits::none, entry_of<ops::BitAnd>());
}

// x ^ zeros is x, x ^ ones is ~x.
bool exclusive(Rewriter& rewriter, Operation& operation) {
  for (size_t i = 0; i < 2; ++i) {
    const Bits bits = bits_of_constant(constant_of(rewriter, operation.args[1 - i]));
    const Value x = operation.args[i];
    if (bits == Bits::none && becomes(rewriter, operation, x)) return true;
    if (bits == Bits::all && rewriter.same_type(result_of(rewriter, operation), x) &&
        becomes(rewriter, operation, entry_of<ops::BitNot>(), {x})) {
      return true;
    }
  }
  return false;
}

const ops::Entry* opposite(const ops::Entry* comparison, bool floats) {
  if (comparison == &entry_of<ops::Equal>()) return &entry_of<ops::NotEqual>();
  if (comparison == &entry_of<ops::NotEqual>()) return &entry_of<ops::Equal>();
  if (floats) return nullptr;  // a NaN is neither less nor not less
  if (comparison == &entry_of<ops::Less>()) return &entry_of<ops::GreaterEqual>();
  if (comparison == &entry_of<ops::GreaterEqual>()) return &entry_of<ops::Less>();
  if (comparison == &entry_of<ops::Greater>()) return &entry_of<ops::LessEqual>();
  if (comparison == &entry_of<ops::LessEqual>()) return &entry_of<ops::Greater>();
  return nullptr;
}

// not not x is x; not a == b is a != b, also of NaNs; not a < b is a >= b of integers.
bool negation(Rewriter& rewriter, Operation& operation) {
  const Value x = negated(rewriter, operation.args[0]);
  if (!x.is_unbound()) return becomes(rewriter, operation, x);
  const Operation* inner = rewriter.maker(operation.args[0]);
  if (inner == nullptr || inner->kind != Kind::apply || inner->entry->pointwise == nullptr || inner->args.size() != 2) {
    return false;
  }
  const bool floats = is_float(rewriter.type(inner->args[0]).dtype) || is_float(rewriter.type(inner->args[1]).dtype);
  const ops::Entry* other = opposite(inner->entry, floats);
  return other != nullptr && becomes(rewriter, operation, *other, inner->args, inner->literals);
}

// A comparison of a choice between constants with a constant: the condition, its opposite, or known.
bool compare_choice(Rewriter& rewriter, Operation& operation) {
  for (size_t i = 0; i < 2; ++i) {
    const Operation* choice = rewriter.maker(operation.args[i], entry_of<ops::Where>());
    const Value& other = operation.args[1 - i];
    if (choice == nullptr || !other.is_scalar()) continue;
    Value outcome[2];
    unsigned known = 0;
    for (size_t k = 0; k < 2; ++k) {
      if (!choice->args[k + 1].is_scalar()) continue;
      if (choice->args[k + 1].scalar_dtype() != rewriter.type(operation.args[i]).dtype) continue;
      std::vector<Value> args = operation.args;
      args[i] = choice->args[k + 1];
      outcome[k] = rewriter.evaluator().run(*operation.entry, args, {}, operation.literals).value_or(Value());
      known += outcome[k].tag() == Tag::boolean;
    }
    const Value condition = choice->args[0];
    if (known == 2) {
      if (same_operand(outcome[0], outcome[1])) return becomes(rewriter, operation, outcome[0]);
      if (outcome[0].boolean()) return becomes(rewriter, operation, condition);
      return becomes(rewriter, operation, entry_of<ops::LogicalNot>(), {condition});
    }
    // One is known: where(c, 3, x) == 3 is c | x == 3, and so on, with the comparison of x alone.
    if (known == 0 || operation.literals != 0) continue;
    if (!rewriter.type(choice->args[0]).shape.empty() || !rewriter.type(operation.args[i]).shape.empty()) continue;
    const size_t open = outcome[0].tag() == Tag::boolean ? 1 : 0;
    if (rewriter.maker(choice->args[open + 1], entry_of<ops::Where>()) == nullptr) continue;
    std::vector<Value> args = operation.args;
    args[i] = choice->args[open + 1];
    if (rewriter.type(args[i]).dtype != rewriter.type(operation.args[i]).dtype) continue;
    outcome[open] = rewriter.insert(operation, *operation.entry, args, Type{Dtype::boolean, {}});
    return becomes(rewriter, operation, entry_of<ops::Where>(), {condition, outcome[0], outcome[1]});
  }
  return false;
}

// A comparison of a branch's number with a constant, where a path gives a constant: each path can say.
bool compare_on_paths(Rewriter& rewriter, Operation& operation) {
  for (size_t i = 0; i < 2; ++i) {
    const Value x = operation.args[i];
    const Operation* branch = rewriter.maker(x);
    if (branch == nullptr || branch->kind != Kind::if_ || !operation.args[1 - i].is_scalar()) continue;
    if (rewriter.is_boxed(x) || !rewriter.type(x).shape.empty()) continue;
    const Value result = rewriter.on_paths(*branch, id_of(x), operation, i);
    if (!result.is_unbound()) return rewriter.replace(operation, result);
  }
  return false;
}

// x == x of integers and bools, x < x of anything.
bool compare(Rewriter& rewriter, Operation& operation) {
  if (same_operand(operation.args[0], operation.args[1])) {
    const ops::Entry* entry = operation.entry;
    const bool strict = entry == &entry_of<ops::Less>() || entry == &entry_of<ops::Greater>();
    const bool unequal = entry == &entry_of<ops::NotEqual>();
    const bool floats = is_float(rewriter.type(operation.args[0]).dtype);
    if ((strict || !floats) && becomes(rewriter, operation, Value(!strict && !unequal))) return true;
  }
  return compare_choice(rewriter, operation) || compare_on_paths(rewriter, operation);
}

// A choice of bools is logic. The condition itself is true where it chooses the first, and false where the second.
bool choose_bools(Rewriter& rewriter, Operation& operation) {
  const Value condition = operation.args[0], a = operation.args[1], b = operation.args[2];
  const Value first = same_operand(a, condition) ? Value(true) : constant_of(rewriter, a);
  const Value second = same_operand(b, condition) ? Value(false) : constant_of(rewriter, b);
  const bool first_known = first.tag() == Tag::boolean, second_known = second.tag() == Tag::boolean;
  const auto logic = [&](const ops::Entry& entry, const Value& x) {
    return becomes(rewriter, operation, entry, {condition, x});
  };
  if (first_known && second_known) {
    if (first.boolean() == second.boolean()) return becomes(rewriter, operation, first);
    if (first.boolean() && !second.boolean()) return becomes(rewriter, operation, condition);
    return !first.boolean() && second.boolean() && rewriter.same_type(result_of(rewriter, operation), condition) &&
           becomes(rewriter, operation, entry_of<ops::LogicalNot>(), {condition});
  }
  const bool numbers = rewriter.type(result_of(rewriter, operation)).shape.empty();
  if (!numbers) return false;
  if (first_known && first.boolean()) return logic(entry_of<ops::BitOr>(), b);
  if (second_known && !second.boolean()) return logic(entry_of<ops::BitAnd>(), a);
  return false;
}

// where(c, x, x) is x; what one condition has decided it need not decide again.
bool choose(Rewriter& rewriter, Operation& operation) {
  const Value condition = operation.args[0];
  if (same_operand(operation.args[1], operation.args[2])) return becomes(rewriter, operation, Value(operation.args[1]));
  const Value opposite = negated(rewriter, condition);
  if (!opposite.is_unbound()) {
    const uint32_t literals = (operation.literals & 2) << 1 | (operation.literals & 4) >> 1;
    return becomes(rewriter, operation, *operation.entry, {opposite, operation.args[2], operation.args[1]}, literals);
  }
  for (size_t i = 1; i < 3; ++i) {
    const Operation* inner = rewriter.maker(operation.args[i], *operation.entry);
    if (inner == nullptr || !same_operand(inner->args[0], condition)) continue;
    if (!rewriter.same_type(operation.args[i], inner->args[i])) continue;
    std::vector<Value> args = operation.args;
    args[i] = inner->args[i];
    if (becomes(rewriter, operation, *operation.entry, args, operation.literals & ~(1u << i))) return true;
  }
  return result_dtype(rewriter, operation) == Dtype::boolean && choose_bools(rewriter, operation);
}

}  // namespace

Rule logic_rule(const ops::Entry& entry) {
  static const std::unordered_map<const ops::Entry*, Rule> rules = {
      {&entry_of<ops::BitAnd>(), conjunction},   {&entry_of<ops::BitOr>(), disjunction},
      {&entry_of<ops::Xor>(), exclusive},        {&entry_of<ops::BitNot>(), negation},
      {&entry_of<ops::LogicalNot>(), negation},  {&entry_of<ops::Less>(), compare},
      {&entry_of<ops::LessEqual>(), compare},    {&entry_of<ops::Greater>(), compare},
      {&entry_of<ops::GreaterEqual>(), compare}, {&entry_of<ops::Equal>(), compare},
      {&entry_of<ops::NotEqual>(), compare},     {&entry_of<ops::Where>(), choose},
  };
  const auto found = rules.find(&entry);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace covec::passes
