// Private to simplify*.cpp: the rules, by family.
#pragma once

#include "jit/passes/rewriter.hpp"

namespace covec::passes {

using Rule = Rewriter::Rule;

// For an entry, or nullptr.
Rule arithmetic_rule(const ops::Entry& entry);
Rule logic_rule(const ops::Entry& entry);
Rule shape_rule(const ops::Entry& entry);
// Of every pointwise operation: operands that are one number, or a smaller tensor, repeated.
bool use_small_operands(Rewriter& rewriter, ir::Operation& operation);

// --- what rules are written with ---

// The result is that value: its type must be the result's.
bool becomes(Rewriter& rewriter, ir::Operation& operation, const Value& value);
// The operation is another one, on operands that it has: the result's type must be what it was.
bool becomes(Rewriter& rewriter, ir::Operation& operation, const ops::Entry& entry, std::vector<Value> args,
             uint32_t literals = 0);
Value result_of(Rewriter& rewriter, const ir::Operation& operation);

// A constant number that a value is, or is filled with; unbound when there is none.
Value constant_of(const Rewriter& rewriter, const Value& value);
bool is_number(const Value& constant, double number);  // of a value; -0.0 and 0.0 are two
bool is_any_zero(const Value& constant);
// Whether a float is surely not -0 (in any element).
bool never_negative_zero(const Rewriter& rewriter, const Value& value, unsigned depth = 0);

}  // namespace covec::passes
