// Operations of numbers, which scalarize.cpp writes in place of operations of tensors. What is known is computed now.
// Start at combine(), which makes an element of the numbers that its recipe takes.
#pragma once

#include <utility>
#include <vector>

#include "jit/passes/analysis/scalar_recipe.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::passes {

class ScalarWriter {
 public:
  explicit ScalarWriter(ir::Graph& graph) : graph_(graph) {}
  // Where operations go from here on; gives where they have gone.
  std::vector<ir::Operation>* write_to(std::vector<ir::Operation>* out) { return std::exchange(out_, out); }
  void set_place(uint32_t place) { place_ = place; }
  uint32_t place() const { return place_; }
  Value symbol(ir::Id id) const { return graph_.symbol(id); }
  Evaluator& evaluator() { return evaluator_; }

  void add(ir::Operation operation) { out_->push_back(std::move(operation)); }
  ir::Operation& append(const ops::Entry& entry, std::vector<Value> args, const Type& type);
  // The last operation gives this value instead.
  void rename_last(ir::Id result) { out_->back().results = {result}; }
  // The entry of numbers, which gives one of this dtype.
  Value apply(const ops::Entry& entry, std::vector<Value> args, Dtype dtype);
  Value converted(Value number, Dtype to);
  // The next element of a draw; `last`: of its elements.
  Value draw(const ir::Operation& operation, size_t element, bool last, Dtype dtype);
  // Where the first largest (smallest) of the numbers is.
  Value extreme(const std::vector<Value>& numbers, bool smallest);
  Value combine(const Recipe& recipe, const ir::Operation& operation, std::vector<Value> numbers, Dtype dtype);
  // A product in an adjoint: elements that are NaN are computed again. `numbers` are those that made each element.
  std::vector<Value> repaired(const Recipe& recipe, std::vector<Value> elements,
                              const std::vector<std::vector<Value>>& numbers, Dtype dtype);

 private:
  Dtype dtype_of_number(const Value& number) const;
  Value unless_zero(std::vector<Value> numbers, Dtype dtype);
  Value of_elements(const Recipe& recipe, const ir::Operation& operation, std::vector<Value> numbers, Dtype dtype);
  Value reduced(const Recipe& recipe, const ops::ReduceOperator& reduce, std::vector<Value> numbers);
  Value lanes(ops::Combine combine, std::vector<Value> numbers, Dtype dtype);
  Value product(const Recipe& recipe, std::vector<Value> numbers, Dtype dtype);
  bool may_need_repair(const Recipe& recipe, const std::vector<std::vector<Value>>& numbers) const;
  Value product_again(const Recipe& recipe, std::vector<Value> numbers, Dtype dtype);
  Value both(ops::Combine combine, const Value& a, const Value& b, Dtype dtype);

  ir::Graph& graph_;
  Evaluator evaluator_;
  std::vector<ir::Operation>* out_ = nullptr;
  uint32_t place_ = 0;
};

}  // namespace covec::passes
