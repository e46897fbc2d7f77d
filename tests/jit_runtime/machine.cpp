#include "tests/jit_runtime/machine.hpp"

#include <cmath>
#include <cstring>

#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::test {

Machine::Machine() : Host(builder_), pool_(Pool::create()), builder_(context_) {
  context_.pool = pool_;
  context_.output = &output_;
  context_.isa = ops::detect_isa();
}

void Machine::raise(const OpError& error, const ir::Graph&, uint32_t place) {
  throw Located{std::string(error.code), error.message, place};
}

int64_t Machine::interpret(const ir::Operation& op, const ir::Graph&, std::span<Value> live, std::span<Value> results) {
  return statements(op, live, results);
}

Value Machine::call(const Value& function, std::span<Value> args, const ir::Graph&, uint32_t) {
  return function.function().call(builder_, args, {});
}

uint64_t Machine::next() {
  state_ += 0x9e3779b97f4a7c15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Value Machine::random(Dtype dtype, const std::vector<int64_t>& dims) {
  Value value = make_tensor(*pool_, dtype, Shape(dims.begin(), dims.size()));
  Tensor& t = value.tensor();
  for (int64_t i = 0; i < t.size(); ++i) {
    const double x = std::ldexp(unit() - 0.5, static_cast<int>(next() % 6));
    if (is_half(dtype)) {
      t.as<uint16_t>()[i] = half_of(dtype, static_cast<float>(x));
      continue;
    }
    with_element(dtype, [&]<class T>(T) {
      if constexpr (std::is_same_v<T, bool>)
        t.as<T>()[i] = x > 0;
      else
        t.as<T>()[i] = static_cast<T>(std::is_integral_v<T> ? x * 10 : x);
    });
  }
  return value;
}

namespace {

template <class E>
bool same_elements(const Tensor& a, const Tensor& b) {
  const auto* x = a.as<E>();
  const auto* y = b.as<E>();
  for (int64_t i = 0; i < a.size(); ++i) {
    if (x[i] != x[i] && y[i] != y[i]) continue;
    if (std::memcmp(x + i, y + i, sizeof(E)) != 0) return false;
  }
  return true;
}

bool same_tensor(Value a, Value b) {
  if (!(type_of(a) == type_of(b))) return false;
  a = contiguous(a.tensor().pool(), a);
  b = contiguous(b.tensor().pool(), b);
  if (is_half(a.tensor().dtype())) return same_elements<uint16_t>(a.tensor(), b.tensor());
  return with_element(a.tensor().dtype(), [&]<class T>(T) { return same_elements<T>(a.tensor(), b.tensor()); });
}

bool same_number(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (a.tag() == Tag::f64 && a.f64() != a.f64() && b.f64() != b.f64()) return true;
  if (a.tag() == Tag::f32 && a.f32() != a.f32() && b.f32() != b.f32()) return true;
  return std::memcmp(a.scalar_data(), b.scalar_data(), size_of(a.scalar_dtype())) == 0;
}

}  // namespace

::testing::AssertionResult same(const Value& a, const Value& b) {
  const auto wrong = [&] { return ::testing::AssertionFailure() << describe(a) << " against " << describe(b); };
  if (a.is_scalar() && b.is_scalar()) return same_number(a, b) ? ::testing::AssertionSuccess() : wrong() << " (number)";
  if (a.is_tensor() && b.is_tensor()) return same_tensor(a, b) ? ::testing::AssertionSuccess() : wrong() << " (tensor)";
  const auto *x = children(a), *y = children(b);
  if (x == nullptr || y == nullptr) return a.tag() == b.tag() ? ::testing::AssertionSuccess() : wrong();
  if (x->size() != y->size()) return wrong();
  for (size_t i = 0; i < x->size(); ++i) {
    if (auto part = same((*x)[i], (*y)[i]); !part) return part << " in item " << i;
  }
  return ::testing::AssertionSuccess();
}

Outcome run_plan(Machine& machine, const loops::Plan& plan, const runtime::Backend& backend,
                 std::vector<Value> inputs) {
  Outcome outcome;
  machine.printed.clear();
  try {
    outcome.value = runtime::run(plan, backend, machine, inputs);
  } catch (const Located& error) {
    outcome.error = error;
  }
  outcome.printed = machine.printed;
  return outcome;
}

Outcome run_plan(Machine& machine, const loops::Plan& plan, std::vector<Value> inputs) {
  return run_plan(machine, plan, reference_backend(plan.program), std::move(inputs));
}

Outcome run_compiled(Machine& machine, const std::shared_ptr<const ir::Graph>& graph, std::vector<Value> inputs,
                     const loops::BuildOptions& options) {
  const auto plan = jit::make_plan(graph, options);
  EXPECT_EQ(loops::verify(plan->program), "") << loops::print(plan->program);
  return run_plan(machine, *plan, std::move(inputs));
}

void expect_equal(const Outcome& got, const Outcome& wanted, const std::string& program) {
  EXPECT_EQ(got.error.has_value(), wanted.error.has_value()) << program;
  if (got.error && wanted.error) {
    EXPECT_EQ(got.error->code, wanted.error->code) << program;
    EXPECT_EQ(got.error->message, wanted.error->message) << program;
    EXPECT_EQ(got.error->place, wanted.error->place) << program;
  } else {
    EXPECT_TRUE(same(got.value, wanted.value)) << program;
  }
  EXPECT_EQ(got.printed, wanted.printed) << program;
}

Value expect_same(Machine& machine, const std::shared_ptr<const ir::Graph>& graph, const std::vector<Value>& inputs) {
  const Outcome wanted = run_eagerly(machine, *graph, inputs);
  Value result;
  for (const bool fuse : {false, true}) {
    const Outcome got = run_compiled(machine, graph, inputs, {fuse});
    expect_equal(got, wanted, loops::print(jit::make_plan(graph, {fuse})->program));
    result = got.value;
  }
  return result;
}

}  // namespace covec::test
