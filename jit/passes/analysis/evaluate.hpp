// Evaluates operations on constants (numbers, and tensors of a few elements) with the eager engine. The eager engine
// defines the meaning of every operator, so results cannot differ.
#pragma once

#include <optional>

#include "jit/ir/graph.hpp"

namespace covec::passes {

class Evaluator {
 public:
  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  ~Evaluator();
  // Nothing where it would fail, where it has effects, or where an operand or the result is not a small constant.
  std::optional<Value> run(const ir::Operation& operation);
  std::optional<Value> run(const ops::Entry& entry, std::vector<Value> args, std::vector<Value> rest = {},
                           uint32_t literals = 0);
  // The same, and a tensor may be made of numbers.
  std::optional<Value> run_any(const ops::Entry& entry, std::vector<Value> args, std::vector<Value> rest);
  // i64 elements first, first + 1, …, row by row.
  Value numbered(const Shape& shape, int64_t first);
  // A small whole number in a dtype.
  static Value number(int32_t whole, Dtype dtype);

 private:
  std::optional<Value> apply(const ops::Entry& entry, std::vector<Value>& args, std::vector<Value>& rest,
                             uint32_t literals, bool any);
  Pool& pool();

  Pool* pool_ = nullptr;  // for what comes out of numbers alone; it lives on while its tensors do
};

constexpr int64_t small_constant = 64;  // elements

}  // namespace covec::passes
