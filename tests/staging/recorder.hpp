// An engine that records: what is applied to Symbols is written down with the type that its rule gives, and can be run
// afterwards on numbers. Every type and dimension that was claimed is then checked against what comes out. Start at
// Recorder, then run().
#pragma once

#include <optional>
#include <vector>

#include "stdlib/autodiff/eager.hpp"
#include "stdlib/ops/builder.hpp"
#include "stdlib/ops/entry.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::test {

class Recorder final : public ops::Builder {
 public:
  explicit Recorder(ops::Context& context) : Builder(context), eager_(context) {}

  // Stands for a value of this dtype and rank, whose sizes only the run knows.
  Value input(Dtype dtype, unsigned rank);
  // Every tensor and number of a tree as inputs, in order; the run is given the same tree's leaves.
  Value inputs_like(const Value& tree);
  // What a tree of results is when the inputs are these.
  Value run(const Value& result, const std::vector<Value>& inputs);
  size_t steps() const { return steps_.size(); }

  Value apply(ops::Call& call) override;
  Value apply_traced(ops::Call& call) override;
  Value extent(Dim dim) override;
  Dim unknown_dim() override;
  Dim dim_of(const Value& number) override;
  bool is_extent(const Value& number) const override;

 protected:
  void guard_equal(Dim, Dim, const ops::Mismatch&) override {}
  Dim symbolic_add(Dim a, Dim b) override { return dimension({Rule::add, 0, 0, a, b}); }
  Dim symbolic_multiply(Dim a, Dim b) override { return dimension({Rule::multiply, 0, 0, a, b}); }
  Dim symbolic_broadcast(Dim a, Dim b, const ops::Mismatch&) override {
    return dimension({Rule::broadcast, 0, 0, a, b});
  }

 private:
  enum class Rule : uint8_t { pending, axis_of, number, add, multiply, broadcast };
  struct Expression {
    Rule rule = Rule::pending;
    uint32_t value = 0, axis = 0;
    Dim left = 0, right = 0;
    bool operator==(const Expression&) const = default;
  };
  struct Step {
    const ops::Entry* entry = nullptr;  // null: the extent `dim`
    std::vector<Value> args, rest;
    uint32_t literals = 0;
    Dim dim = 0;
    uint32_t result = 0;
  };
  Value symbol(const Type& type);
  Dim dimension(const Expression& expression);
  int64_t size_of_dim(Dim dim, const std::vector<Value>& values) const;
  Value filled(const Value& tree, const std::vector<Value>& values) const;
  Value run_step(const Step& step, const std::vector<Value>& values);
  void check(uint32_t id, const std::vector<Value>& values) const;

  autodiff::EagerBuilder eager_;
  std::vector<Type> types_;
  std::vector<uint32_t> inputs_;
  std::vector<Expression> dims_;
  std::vector<Step> steps_;
  std::vector<std::pair<uint32_t, Dim>> extents_;  // Symbols that are extents
};

}  // namespace covec::test
