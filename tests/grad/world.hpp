// A session's worth of surroundings for tests of derivatives, with functions written as C++ lambdas over Values.
// Operators are found by the names that the language has for them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/eager.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/derivatives/rules_of_functions.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/grad/sparse_comparison.hpp"

namespace covec::test {

class Recorder : public ops::Output {
 public:
  void write(std::string_view text) override { printed += text; }
  void warn(std::string_view text) override { warnings.emplace_back(text); }
  std::string printed;
  std::vector<std::string> warnings;
};

using Body = std::function<Value(std::span<Value>)>;

struct Function : Callable {
  Function(Body b, std::vector<std::string> n, std::string called)
      : Callable(CallableKind::host), body(std::move(b)), names(std::move(n)), title(std::move(called)) {}
  Value call(ops::Builder&, std::span<Value> args, std::span<const std::string_view> keywords) override {
    std::vector<Value> ordered(args.begin(), args.end() - static_cast<ptrdiff_t>(keywords.size()));
    ordered.resize(names.size());
    for (size_t k = 0; k < keywords.size(); ++k) {
      for (size_t i = 0; i < names.size(); ++i) {
        if (names[i] == keywords[k]) ordered[i] = args[args.size() - keywords.size() + k];
      }
    }
    ++calls;
    return body(ordered);
  }
  std::string name() const override { return title; }
  std::vector<std::string_view> parameter_names() const override { return {names.begin(), names.end()}; }
  Body body;
  std::vector<std::string> names;
  std::string title;
  int calls = 0;
};

// A function with a captured value, as closures of the language have.
struct Capturing : Callable {
  using Run = std::function<Value(std::span<Value>, const std::vector<Value>&)>;
  Capturing(Run r, std::vector<Value> c) : Callable(CallableKind::host), run(std::move(r)), captured(std::move(c)) {}
  Value call(ops::Builder&, std::span<Value> args, std::span<const std::string_view>) override {
    return run(args, captured);
  }
  std::string name() const override { return "closure"; }
  std::vector<std::string_view> parameter_names() const override { return {"x"}; }
  std::vector<Value> captures() const override { return captured; }
  Value with_captures(std::vector<Value> values) const override {
    return Value::adopt(new Capturing(run, std::move(values)));
  }
  Run run;
  std::vector<Value> captured;
};

class World : public ::testing::Test {
 protected:
  World() : pool(Pool::create()), builder(prepare()) {}
  ~World() override {
    EXPECT_EQ(context.level, 0u);
    EXPECT_EQ(context.innermost, nullptr);
    EXPECT_TRUE(context.batches.empty());
    EXPECT_EQ(context.output, &output);
    pool->release();
  }
  ops::Context& prepare() {
    context.pool = pool;
    context.output = &output;
    return context;
  }

  // --- values ---
  Value vector(const std::vector<double>& numbers) { return tensor({static_cast<int64_t>(numbers.size())}, numbers); }
  Value tensor(std::vector<int64_t> dims, const std::vector<double>& numbers) {
    Value result = make_tensor(*pool, Dtype::f64, Shape(dims.begin(), dims.size()));
    double* to = result.tensor().as<double>();
    for (size_t i = 0; i < numbers.size(); ++i) to[i] = numbers[i];
    return result;
  }
  std::vector<double> numbers(const Value& value) { return numbers_of(*pool, value); }
  double number(const Value& value) { return numbers(value).at(0); }
  Value record(std::vector<std::string> names, std::vector<Value> items) {
    auto layout = std::make_shared<RecordLayout>();
    layout->names = std::move(names);
    return make_record(layout, std::move(items));
  }

  // --- operators ---
  Value op(std::string_view name, std::vector<Value> args, uint32_t literals = 0) {
    const ops::Entry* entry = ops::find_entry(name);
    if (entry == nullptr) throw std::runtime_error("no operator " + std::string(name));
    if (!args.empty() && args[0].is(ObjectKind::function)) return transform(name, *entry, std::move(args));
    return ops::call(builder, *entry, args, {}, literals);
  }
  Value rest(std::string_view name, std::vector<Value> args, std::vector<Value> more) {
    return ops::call(builder, *ops::find_entry(name), args, more);
  }
  Value add(Value a, Value b) { return op("add", {a, b}); }
  Value sub(Value a, Value b) { return op("subtract", {a, b}); }
  Value mul(Value a, Value b) { return op("multiply", {a, b}); }
  Value sin(Value a) { return op("sin", {a}); }
  Value cos(Value a) { return op("cos", {a}); }
  Value exp(Value a) { return op("exp", {a}); }
  Value sum(Value a) { return op("sum", {a}); }
  Value at(Value x, Value i) { return index(ops::index_read_entry(), {std::move(x), spec()}, std::move(i)); }
  Value put(Value x, Value i, Value v) {
    return index(ops::index_update_entry(), {std::move(x), std::move(v), spec()}, std::move(i));
  }
  bool truth(const Value& v) { return concrete(v).boolean(); }

  // --- functions ---
  Value fn(std::vector<std::string> names, Body body, std::string title = "f") {
    return Value::adopt(new Function(std::move(body), std::move(names), std::move(title)));
  }
  Value fn1(std::function<Value(Value)> body) {
    return fn({"x"}, [body](std::span<Value> args) { return body(std::move(args[0])); });
  }
  Value fn2(std::function<Value(Value, Value)> body) {
    return fn({"x", "y"}, [body](std::span<Value> args) { return body(std::move(args[0]), std::move(args[1])); });
  }
  Value call(const Value& f, std::vector<Value> args, std::vector<std::string_view> keywords = {}) {
    for (size_t i = 0; i < transformed_.size(); ++i) {
      const Transformed made = transformed_[i];  // functions that are called make others
      if (made.result.object() == f.object()) sparse.compare(made.f, made.wrt, args, keywords);
    }
    return f.function().call(builder, args, keywords);
  }
  Value grad(Value f, Value wrt = int64_t{0}) { return op("grad", {f, wrt}); }
  Value vmap(Value f, Value axes = int64_t{0}) { return op("vmap", {f, axes}); }

  // The message of the error that `action` raises; "" when it raises none.
  std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const OpError& error) {
      return error.message;
    }
    return "";
  }

  Pool* pool;
  Recorder output;
  ops::Context context;
  autodiff::EagerBuilder builder;
  SparseComparison sparse{builder, context};  // of all functions that are differentiated at the top

 private:
  struct Transformed {
    Value result, f, wrt;
  };
  std::vector<Transformed> transformed_;

  Value transform(std::string_view name, const ops::Entry& entry, std::vector<Value> args) {
    const Value f = args[0], second = args.size() > 1 ? args[1] : Value();
    if (name == "jvp" || name == "vjp") {
      std::vector<Value> all, primals{second};
      if (second.is(ObjectKind::tuple)) primals = second.tuple().items;
      for (size_t i = 0; i < primals.size(); ++i) all.emplace_back(static_cast<int64_t>(i));
      sparse.compare(f, make_tuple(std::move(all)), primals, {});
    }
    Value result = ops::call(builder, entry, args);
    const bool by_parameters = name == "grad" || name == "value_and_grad" || name == "jacobian" || name == "hessian";
    if (by_parameters) transformed_.push_back({result, f, second.is_none() ? Value(int64_t{0}) : second});
    return result;
  }

  static Value spec() {
    ops::IndexSpec spec;
    spec.push(ops::IndexSpec::Item::at);
    return Value(spec.packed());
  }
  Value index(const ops::Entry& entry, std::vector<Value> args, Value i) {
    std::vector<Value> items = {std::move(i)};
    return ops::call(builder, entry, args, items);
  }
};

inline void expect_near(const std::vector<double>& given, const std::vector<double>& wanted, double tolerance = 1e-12) {
  ASSERT_EQ(given.size(), wanted.size());
  for (size_t i = 0; i < given.size(); ++i) {
    EXPECT_NEAR(given[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << "element " << i;
  }
}

}  // namespace covec::test
