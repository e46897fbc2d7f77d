// The loop IR: kernels as nests of loops over the scalar vocabulary (stdlib/ops/scalar_builder.hpp). A nest computes one buffer: a map
// stores the body's value for every element, a reduction combines the values of its inner loops in the language's fixed order.
// Written by build.cpp from a tensor graph, read by every back end. Start at Nest, then Program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jit/ir/graph.hpp"
#include "stdlib/ops/scalar_builder.hpp"

namespace covec::loops {

// An element of a buffer: axis a of it is indexed by loop `loop[a]`. An axis of extent 1 has stride 0, so broadcasting is
// decided by the strides when the program runs.
struct Access {
  static constexpr uint32_t fixed = UINT32_MAX;  // an axis of extent 1 that no loop runs over
  uint32_t buffer = 0;
  std::vector<uint32_t> loop;
  std::optional<Shape> shape = {};               // the buffer's elements, row-major, seen in another shape
};

struct Instruction {
  enum class Kind : uint8_t { load, constant, argument, scalar } kind = Kind::scalar;
  Dtype dtype = Dtype::f64;
  Access access;                           // load
  uint64_t bits = 0;                       // constant: the number's bytes; argument: its number
  ops::ScalarOp op = ops::ScalarOp::add;   // scalar
  uint32_t operands[3] = {0, 0, 0};
  uint8_t arity = 0;
};

// Straight-line code; instruction i gives value i.
struct Body {
  std::vector<Instruction> code;
  uint32_t value = 0;                      // what it computes
  std::optional<uint32_t> fails;           // a bool: where true, the operation cannot be computed
};

// The combination of two partial results: a body of arguments 0 and 1.
struct Combine {
  // lanes: the last axis is reduced, partial results in 256 bytes of lanes; chain: one chain for each result; any: no order,
  // the first element starts; position: the body is a bool (does the right one take over), the result its position.
  enum class Order : uint8_t { lanes, chain, any, position } order = Order::chain;
  Body body;
  Dtype accumulator = Dtype::f64;
  uint64_t start_bits = 0;                 // −0 for sums, 1 for products…
  uint64_t empty_bits = 0;                 // the result over no elements
  bool must_have_elements = false;         // there is none over no elements: the operation fails
};

struct Nest {
  uint32_t operation = 0;                  // of the graph, for places and names
  std::vector<Dim> loops;                  // outermost first; the last `reduced` of them are combined
  unsigned reduced = 0;
  Body body;
  std::optional<Combine> combine;
  std::vector<Dim> divisor;                // the result is divided by their product (mean)
  Access target;                           // indexed by the first loops
  Dtype dtype = Dtype::f64;                // of the target
};

struct Buffer {
  Type type;
  uint32_t graph_value = 0;                // parameters and results of operations; others are temporaries
  bool is_parameter = false;
};

struct Program {
  const ir::Graph* graph = nullptr;        // dimensions, guards, names
  std::vector<Buffer> buffers;             // the parameters first
  std::vector<Nest> nests;                 // in program order
  std::vector<uint32_t> results;           // buffers, one per result of the graph
};

std::string print(const Program& program);

}  // namespace covec::loops
