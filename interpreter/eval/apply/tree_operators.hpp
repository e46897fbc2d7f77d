// Operators on two lists or two tuples: `list + list` joins them, and tuples compare in order, item by item. Every
// other operator accepts or refuses such operands by itself.
#pragma once

#include <optional>

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/report/host.hpp"

namespace covec {

// The result, or nothing where the operator itself has to answer.
std::optional<Value> tree_operator(const Applier& applier, const InterpreterHost& host, const ops::Entry* op,
                                   const Value& left, const Value& right, Span span, const Frame& f);

}  // namespace covec
