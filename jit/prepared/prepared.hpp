// A prepared call: a function's code for fixed types, which outlives its session. It never changes, so threads share
// it; each thread runs it with a worker of its own (worker.hpp). prepare() makes it (jit/compiler/prepare.hpp). Start
// at Prepared.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "jit/pipeline.hpp"
#include "jit/prepared/plan_copy.hpp"

namespace covec::jit {

// Of a number (no extents) or a tensor.
struct FixedType {
  Dtype dtype = Dtype::f64;
  std::vector<int64_t> extents;
  int64_t elements() const;
  size_t bytes() const { return static_cast<size_t>(elements()) * size_of(dtype); }
  Shape shape() const { return Shape(extents.data(), extents.size()); }
};

// A place in a program, as text: the program itself may be gone.
struct SourcePosition {
  std::string file;
  unsigned line = 0, column = 0;
  bool operator==(const SourcePosition&) const = default;
};

// How the program's errors in one place of a graph are told: what stands before and behind the operator's message, and
// where. An error may speak of an operand, which then is the place.
struct ErrorText {
  std::string before, after;
  SourcePosition whole;
  std::vector<SourcePosition> operands;
};

// A plan as an image, of which each worker makes its own.
struct Image {
  std::unique_ptr<loops::Plan> plan;
  std::vector<ErrorText> texts;  // by place of the plan's graph
};

// What goes into a slot: argument number `argument`, or the same value in each call.
struct PreparedInput {
  static constexpr size_t no_argument = SIZE_MAX;
  size_t argument = no_argument;
  Value value;
};

// Where an output is found when the code has run.
struct PreparedOutput {
  loops::Operand from;
  std::vector<loops::Operand> numbers;  // if there are some: its elements one by one, in place of `from`
};

class Prepared {
 public:
  Prepared();
  ~Prepared();
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  struct PoolRelease {
    void operator()(Pool* pool) const { pool->release(); }
  };

  std::unique_ptr<Pool, PoolRelease> pool;  // of all Values here: first, as it goes last
  std::string name;
  Code code;  // without graphs and plans
  Image main;
  std::vector<Image> functions;
  std::vector<PreparedInput> places;    // by parameter of the graph
  std::vector<PreparedOutput> results;  // by output
  std::vector<FixedType> inputs, outputs;
  ErrorText itself;  // in no place of it
  ops::Isa isa = ops::Isa::baseline;
  uint64_t memory_limit = 0;
  bool guarded = false;
  // Held by who copies Values.
  mutable std::mutex copying;
};

}  // namespace covec::jit
