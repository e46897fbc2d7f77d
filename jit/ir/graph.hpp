// The tensor IR: a function as a list of operations on values whose types have symbolic dimensions, in program order.
// An operation is an entry with its operands; there is no second list of operators. Dimensions are values of their own
// (DimTable). Start at Graph; lower.hpp makes one, print() shows it.
#pragma once

#include <string>
#include <vector>

#include "frontend/source/source.hpp"
#include "stdlib/ops/entry.hpp"
#include "stdlib/value/dtype.hpp"
#include "stdlib/value/value.hpp"

namespace covec::ir {

// How a symbolic dimension is computed. Dimension d of the table is Dim::symbol(d).
struct DimExpression {
  enum class Kind : uint8_t { input, add, multiply, broadcast } kind = Kind::input;
  uint32_t parameter = 0;  // input: the axis of a parameter
  uint32_t axis = 0;
  Dim left = 0;            // otherwise: of two dimensions; broadcast is the one that is not 1
  Dim right = 0;
};

// One application. Operands are numbers, attributes, and Symbols (values of the graph: parameters first, then results).
struct Operation {
  const ops::Entry* entry = nullptr;
  std::vector<Value> args;
  std::vector<Value> rest;
  uint32_t literals = 0;
  uint32_t result = 0;  // the value's number
  Type type;
  Span span;
};

// Two dimensions that must be equal (or broadcast) when the function runs, checked before operation `operation`. When the
// check fails, the operation's own type rule is run on the numbers and raises the error that eager code raises.
struct Guard {
  enum class Kind : uint8_t { equal, broadcast } kind = Kind::equal;
  Dim left = 0;
  Dim right = 0;
  uint32_t operation = 0;
};

struct Graph {
  std::string name;
  std::vector<std::string> parameter_names;
  std::vector<Type> types;  // of every value, by number; the first parameter_names.size() are the parameters'
  std::vector<DimExpression> dims;
  std::vector<Operation> operations;
  std::vector<Guard> guards;    // in program order
  std::vector<Value> results;   // Symbols or numbers
  bool returns_tuple = false;

  size_t parameters() const { return parameter_names.size(); }
};

std::string print(const Graph& graph);
std::string print(const Graph& graph, Dim dim);
// What is wrong with a graph (a value used before it is made, a type that its rule does not give…), or "".
std::string verify(const Graph& graph);

}  // namespace covec::ir
