// What the tests of the runtime share: a session's context, errors with their places, graphs made by hand, and two ways
// to run one: compiled for the reference back end, and eagerly, operation by operation.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "jit/pipeline.hpp"
#include "jit/runtime/run.hpp"
#include "stdlib/autodiff/eager.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/function_ref.hpp"
#include "tests/jit_runtime/reference.hpp"

namespace covec::test {

// A program's error, as the tests' host raises it.
struct Located {
  std::string code, message;
  uint32_t place = 0;
  bool operator==(const Located&) const = default;
};

class Machine final : public runtime::Host {
 public:
  Machine();
  ~Machine() override { pool_->release(); }
  ops::Context& context() { return context_; }
  Pool& pool() { return *pool_; }
  [[noreturn]] void raise(const OpError& error, const ir::Graph& graph, uint32_t place) override;
  int64_t interpret(const ir::Operation& op, const ir::Graph& graph, std::span<Value> live,
                    std::span<Value> results) override;
  Value within(FunctionRef<Value()> f, const ir::Graph&, uint32_t) override { return f(); }
  Value call(const Value& function, std::span<Value> args, const ir::Graph& graph, uint32_t place) override;

  int64_t calls_left(size_t) const override { return 1000; }

  template <class T>
  Value tensor(std::vector<int64_t> dims, const std::vector<T>& elements) {
    Value value = make_tensor(*pool_, dtype_of_element<T>(), Shape(dims.begin(), dims.size()));
    for (size_t i = 0; i < elements.size(); ++i) value.tensor().as<T>()[i] = elements[i];
    return value;
  }
  Value random(Dtype dtype, const std::vector<int64_t>& dims);  // mixed numbers, reproducible
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  uint64_t next();
  std::string printed;
  std::function<int64_t(const ir::Operation&, std::span<Value>, std::span<Value>)> statements;

 private:
  template <class T>
  static constexpr Dtype dtype_of_element() {
    if constexpr (std::is_same_v<T, double>) return Dtype::f64;
    if constexpr (std::is_same_v<T, float>) return Dtype::f32;
    if constexpr (std::is_same_v<T, int64_t>) return Dtype::i64;
    if constexpr (std::is_same_v<T, int32_t>) return Dtype::i32;
    return Dtype::boolean;
  }
  struct Recorder final : ops::Output {
    explicit Recorder(std::string& t) : text(t) {}
    void write(std::string_view line) override { text += line; }
    void warn(std::string_view) override {}
    std::string& text;
  };
  Pool* pool_;
  Recorder output_{printed};
  ops::Context context_;
  autodiff::EagerBuilder builder_;
  uint64_t state_ = 1;
};

// A graph under construction.
class GraphMaker {
 public:
  explicit GraphMaker(std::string name = "f");
  Dim dim();  // a symbolic dimension of its own
  Value parameter(const Type& type);
  Value boxed_parameter();
  // An elementwise operator: its type follows.
  Value apply(std::string_view entry, std::vector<Value> args, uint32_t literals = 0);
  Value apply_as(const Type& type, const ops::Entry& entry, std::vector<Value> args, std::vector<Value> rest = {});
  Value apply_as(const Type& type, std::string_view entry, std::vector<Value> args, std::vector<Value> rest = {});
  Value reduce(std::string_view entry, Value x, Value axis = {}, bool keepdims = false);
  Value read(const Type& type, Value x, std::vector<Value> items);  // x[items], all numbers
  Value write(Value x, Value value, std::vector<Value> items, bool adds = false);
  std::vector<Value> if_(Value condition, const std::vector<Type>& types,
                         const std::function<std::vector<Value>()>& then,
                         const std::function<std::vector<Value>()>& other);
  std::vector<Value> for_(Value count, std::vector<Value> carried,
                          const std::function<std::vector<Value>(Value index, std::vector<Value>)>& body,
                          bool exits = false);
  std::vector<Value> while_(std::vector<Value> carried, const std::function<Value(std::vector<Value>)>& condition,
                            const std::function<std::vector<Value>(std::vector<Value>)>& body, bool exits = false);
  Value dimension(Value x, unsigned axis);
  Value box(Value tree);
  Value unbox(Value boxed, const Type& type);
  void push(uint32_t stack, Value value);
  Value pop(uint32_t stack, const Type& type);
  uint32_t stack() { return graph_->stacks++; }
  ir::Operation& append(ir::Kind kind);  // for what has no method
  Value result_of(ir::Operation& operation, const Type& type);
  Value boxed_result_of(ir::Operation& operation);
  std::shared_ptr<const ir::Graph> finish(Value result);
  const Type& type(const Value& value) const;

 private:
  Type type_of_value(const Value& value) const;
  std::vector<Value> parameters_like(ir::Region& region, const std::vector<Value>& values);
  std::shared_ptr<ir::Graph> graph_;
  std::vector<ir::Region*> open_;
};

// The result, or the error.
struct Outcome {
  Value value;
  std::optional<Located> error;
  std::string printed;
};
Outcome run_compiled(Machine& machine, const std::shared_ptr<const ir::Graph>& graph, std::vector<Value> inputs,
                     const loops::BuildOptions& options = {});
Outcome run_plan(Machine& machine, const loops::Plan& plan, std::vector<Value> inputs);
Outcome run_plan(Machine& machine, const loops::Plan& plan, const runtime::Backend& backend, std::vector<Value> inputs);
Outcome run_eagerly(Machine& machine, const ir::Graph& graph, const std::vector<Value>& inputs);
// Same structure, types and bits (NaNs are one).
::testing::AssertionResult same(const Value& a, const Value& b);
// The same value and output, or the same error in the same place.
void expect_equal(const Outcome& got, const Outcome& wanted, const std::string& program);
// Compiled (fused and not) against eager; gives the plan's result.
Value expect_same(Machine& machine, const std::shared_ptr<const ir::Graph>& graph, const std::vector<Value>& inputs);

}  // namespace covec::test
