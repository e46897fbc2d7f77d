// Operators whose bodies have long parts that are hardly ever needed: kernels that call the eager kernel there, against
// the eager kernel alone, bit by bit.
#include <cmath>
#include <random>

#include "jit/loops/build_kernel.hpp"
#include "jit/source/engine.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "tests/jit_simd/kernels_support.hpp"

namespace covec::tests {

namespace {

using ops::ScalarRef;

Word word_of(Dtype dtype, double number) {
  if (dtype == Dtype::f64) return std::bit_cast<uint64_t>(number);
  return std::bit_cast<uint32_t>(static_cast<float>(number));
}

Value one(Dtype dtype) { return dtype == Dtype::f64 ? Value(1.0) : Value(1.0f); }

ScalarRef applied(loops::KernelBuilder& builder, const std::string& name, std::vector<ScalarRef> operands) {
  const ops::Entry* entry = ops::find_entry(name);
  std::vector<Value> args;
  for (const ScalarRef& operand : operands) args.push_back(one(operand.dtype));
  const ops::Call call{*entry, args, {}, 0};
  return builder.apply(call, operands);
}

// `usual` numbers with a `cold` one among them here and there.
class Numbers {
 public:
  Numbers(unsigned seed, int cold) : random_(seed), cold_(cold) {}
  double next() {
    static constexpr double odd[] = {1e30, -3e7,   INFINITY, -INFINITY, NAN,    0.0,   -0.0,  1e-42,
                                     -88,  1e-310, 7e8,      2.5e5,     -1e300, 709.9, 1e-45, -745.2};
    if (static_cast<int>(random_() % 100) < cold_) return odd[random_() % std::size(odd)];
    return std::uniform_real_distribution<double>(-20, 20)(random_);
  }

 private:
  std::mt19937 random_;
  int cold_;
};

void eager(const std::string& name, Dtype dtype, Array& out, std::vector<Array>& in, size_t n) {
  const void* operands[3] = {};
  for (size_t k = 0; k < in.size(); ++k) operands[k] = in[k].data();
  const ops::PointwiseOperator& op = *ops::find_entry(name)->pointwise;
  op.rows[0]->by_compute[static_cast<int>(compute_of(dtype))](out.data(), operands, static_cast<int64_t>(n), 0, 0);
}

void compare(loops::KernelFunction function, const std::string& name, Dtype dtype, unsigned arity, size_t n, int cold) {
  Numbers numbers(static_cast<unsigned>(n) * 7 + static_cast<unsigned>(cold), cold);
  std::vector<Array> in;
  std::vector<const void*> inputs;
  for (unsigned k = 0; k < arity; ++k) {
    in.emplace_back(dtype, n, n % 2 == 1);
    for (size_t i = 0; i < n; ++i) in[k].set(i, word_of(dtype, numbers.next()));
    inputs.push_back(in[k].data());
  }
  Array wanted(dtype, n), got(dtype, n, n % 2 == 0);
  eager(name, dtype, wanted, in, n);
  void* outputs[1] = {got.data()};
  ASSERT_EQ(function(outputs, inputs.data(), static_cast<int64_t>(n), nullptr), -1);
  ASSERT_TRUE(got.guards_are_whole());
  for (size_t i = 0; i < n; ++i)
    ASSERT_TRUE(same_number(dtype, got[i], wanted[i])) << name << " n = " << n << " at " << i << std::hex << " of "
                                                       << in[0][i] << " gives " << got[i] << ", not " << wanted[i];
  outputs[0] = in[0].data();  // in place
  function(outputs, inputs.data(), static_cast<int64_t>(n), nullptr);
  for (size_t i = 0; i < n; ++i) ASSERT_TRUE(same_number(dtype, in[0][i], wanted[i])) << name << " in place";
}

Kernel kernel_of(const std::string& name, Dtype dtype, unsigned arity) {
  Kernel kernel;
  loops::KernelBuilder builder(kernel);
  std::vector<ScalarRef> operands;
  for (unsigned k = 0; k < arity; ++k) {
    kernel.inputs.push_back({dtype, false});
    operands.push_back(builder.load(dtype, k));
  }
  kernel.outputs.push_back({applied(builder, name, operands).id, dtype});
  EXPECT_EQ(loops::verify({{}, {kernel}}), "") << loops::print(kernel);
  return kernel;
}

struct Function {
  const char* name;
  unsigned arity;
};
constexpr Function functions[] = {{"sin", 1},  {"cos", 1},          {"sigmoid", 1}, {"exp", 1},
                                  {"log", 1},  {"tanh", 1},         {"pow", 2},     {"atan2", 2},
                                  {"sqrt", 1}, {"floor_divide", 2}, {"mod", 2}};

TEST(Outlined, EveryCountAndMixture) {
  for (const Function& f : functions) {
    for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
      const Kernel kernel = kernel_of(f.name, dtype, f.arity);
      for (const ops::Isa isa : instruction_sets()) {
        const auto compiled = compile_kernel(kernel, isa);
        ASSERT_NE(compiled, nullptr);
        for (size_t n = 0; n <= 70; ++n) {
          for (const int cold : {0, 3, 40, 100}) compare(compiled->kernel(0), f.name, dtype, f.arity, n, cold);
        }
      }
    }
  }
}

TEST(Outlined, IsUsed) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    EXPECT_EQ(kernel_of("sin", dtype, 1).outlined.size(), 1u);
    EXPECT_EQ(kernel_of("exp", dtype, 1).outlined.size(), 0u);  // short enough to stay
    EXPECT_TRUE(loops::expanded(kernel_of("sin", dtype, 1)).outlined.empty());
  }
}

TEST(Outlined, C99HasAllInIt) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    loops::Program program;
    program.kernels = {kernel_of("sin", dtype, 1), kernel_of("pow", dtype, 2)};
    EXPECT_EQ(loops::verify({{}, {loops::expanded(program.kernels[0])}}), "");
    const auto compiled = source::compile(program);
    for (size_t n : {1, 15, 70, 1000}) {
      compare(compiled->kernel(0), "sin", dtype, 1, n, 30);
      compare(compiled->kernel(1), "pow", dtype, 2, n, 30);
    }
  }
}

// Several in one kernel, of two dtypes, with a uniform input, a condition and a failure beside them, over what is kept
// in registers: a call must leave all of them as they were.
Kernel mixed() {
  Kernel kernel;
  loops::KernelBuilder b(kernel);
  kernel.inputs = {{Dtype::f32, false}, {Dtype::f64, false}, {Dtype::f64, true}};
  const ScalarRef x = b.load(Dtype::f32, 0), y = b.load(Dtype::f64, 1), scale = b.load(Dtype::f64, 2);
  const ScalarRef sine = applied(b, "sin", {x}), cosine = applied(b, "cos", {y});
  const ScalarRef nested = applied(b, "sin", {applied(b, "multiply", {cosine, scale})});
  const ScalarRef below = b.emit(ops::ScalarOp::lt, Dtype::boolean, x, sine, {});
  const ScalarRef sum = applied(b, "add", {applied(b, "add", {nested, y}), sine});
  const ScalarRef chosen = b.emit(ops::ScalarOp::select, Dtype::f64, below, sum, applied(b, "sin", {scale}));
  kernel.outputs = {{chosen.id, Dtype::f64}, {below.id, Dtype::boolean}, {sine.id, Dtype::f32}};
  const ScalarRef limit = b.constant(Dtype::f64, word_of(Dtype::f64, 1e301));
  b.fail_where(b.emit(ops::ScalarOp::lt, Dtype::boolean, limit, y, {}));
  return kernel;
}

TEST(Outlined, AmongOthers) {
  const Kernel kernel = mixed();
  ASSERT_EQ(loops::verify({{}, {kernel}}), "") << loops::print(kernel);
  loops::Program program;
  program.kernels = {kernel};
  const auto oracle = source::compile(program);
  for (const ops::Isa isa : instruction_sets()) {
    const auto compiled = compile_kernel(kernel, isa);
    for (size_t n = 0; n <= 70; ++n) {
      Numbers numbers(static_cast<unsigned>(n), static_cast<int>(n % 4) * 20);
      Array x(Dtype::f32, n), y(Dtype::f64, n), scale(Dtype::f64, 1);
      for (size_t i = 0; i < n; ++i) x.set(i, word_of(Dtype::f32, numbers.next()));
      for (size_t i = 0; i < n; ++i) y.set(i, word_of(Dtype::f64, std::min(numbers.next(), 1e300)));
      scale.set(0, word_of(Dtype::f64, n % 3 == 0 ? 1e25 : 0.5));
      if (n > 9 && n % 5 == 0) y.set(n - 3, word_of(Dtype::f64, INFINITY));
      const void* inputs[3] = {x.data(), y.data(), scale.data()};
      std::vector<std::vector<Array>> made(2);
      int64_t failed[2];
      for (size_t engine = 0; engine < 2; ++engine) {
        void* outputs[3];
        for (size_t k = 0; k < 3; ++k) outputs[k] = made[engine].emplace_back(kernel.outputs[k].dtype, n).data();
        failed[engine] =
            (engine == 0 ? oracle->kernel(0) : compiled->kernel(0))(outputs, inputs, static_cast<int64_t>(n), nullptr);
      }
      ASSERT_EQ(failed[0], failed[1]);
      for (size_t k = 0; k < 3 && failed[0] < 0; ++k) {
        for (size_t i = 0; i < n; ++i)
          ASSERT_TRUE(same_number(kernel.outputs[k].dtype, made[0][k][i], made[1][k][i])) << k << " at " << i;
      }
    }
  }
}

}  // namespace

}  // namespace covec::tests
