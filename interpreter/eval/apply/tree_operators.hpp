// Operators whose operands are both lists or both tuples: `list + list` puts them together, and tuples compare in
// order, item by item. Everything else of such operands is the operator's own to accept or turn away.
#pragma once

#include <optional>

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/report/host.hpp"

namespace covec {

// The result, or nothing where the operator itself has to answer.
std::optional<Value> tree_operator(const Applier& applier, const InterpreterHost& host, const ops::Entry* op,
                                   const Value& left, const Value& right, Span span, const Frame& f);

}  // namespace covec
