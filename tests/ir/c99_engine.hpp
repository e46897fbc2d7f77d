// The C99 engine of the tests: graphs become C text, cc makes a library of them, and their functions run on values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jit/loops/loop_ir.hpp"
#include "stdlib/ops/builder.hpp"

namespace covec::tests {

class C99Engine {
 public:
  C99Engine();
  ~C99Engine();
  // Gives the number to run it by. The graph is kept.
  size_t add(ir::Graph graph);
  void build();  // after the last add: throws std::runtime_error with cc's words when the text does not compile

  struct Outcome {
    std::vector<Value> results;
    std::optional<uint32_t> failed_operation;  // of the graph: a guard of it, or its computation, failed
  };
  Outcome run(size_t number, std::vector<Value> arguments, Pool& pool) const;
  const ir::Graph& graph(size_t number) const { return functions_[number]->graph; }

 private:
  struct Function {
    ir::Graph graph;
    loops::Program program;
    std::string name;
    void* dimensions = nullptr;
    void* run = nullptr;
  };
  std::vector<std::unique_ptr<Function>> functions_;
  std::string folder_;
  void* library_ = nullptr;
};

// Equal bit for bit, but that all NaNs are one value.
bool same_bits(const Value& a, const Value& b);

}  // namespace covec::tests
