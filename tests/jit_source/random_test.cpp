// Random loop programs through cc and through the machine-code back end: the same bits, the same calls of the runtime
// in the same order, nothing written past the end. COVEC_TEST_ROUNDS=n makes it longer, COVEC_TEST_SEED begins
// elsewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "jit/simd/compile.hpp"
#include "jit/source/engine.hpp"
#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"
#include "tests/jit_source/random_programs.hpp"

namespace {

using namespace covec;
using namespace covec::tests;
using loops::Program;  // there is a covec::Program, too

uint64_t setting(const char* name, uint64_t usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

std::vector<ops::Isa> isas() {
  std::vector<ops::Isa> found;
  for (ops::Isa isa : {ops::Isa::avx2, ops::Isa::avx512}) {
    if (isa <= ops::detect_isa()) found.push_back(isa);
  }
  return found;
}

// All NaNs are one value.
bool same(Dtype dtype, const void* a, const void* b) {
  if (std::memcmp(a, b, size_of(dtype)) == 0) return true;
  if (is_half(dtype)) return std::isnan(real_at(dtype, a)) && std::isnan(real_at(dtype, b));
  if (dtype == Dtype::f32)
    return std::isnan(*static_cast<const float*>(a)) && std::isnan(*static_cast<const float*>(b));
  if (dtype == Dtype::f64)
    return std::isnan(*static_cast<const double*>(a)) && std::isnan(*static_cast<const double*>(b));
  return false;
}

std::string hex(Dtype dtype, const void* number) {
  uint64_t bits = 0;
  std::memcpy(&bits, number, size_of(dtype));
  char text[32];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(bits));
  return text;
}

// --- kernels ---

constexpr size_t guard = 64;  // bytes around an output that must stay
constexpr uint8_t untouched = 0xa5;

struct Arguments {
  Arguments(Random& random, const Kernel& kernel) : n(random.chance(70) ? random.below(80) : random.below(3000)) {
    for (const Kernel::Input& input : kernel.inputs) {
      const size_t count = input.uniform ? 1 : n, size = size_of(input.dtype), skip = random.below(3) * size;
      std::vector<uint8_t> bytes(skip + count * size);
      for (size_t i = 0; i < count; ++i) {
        const uint64_t number = random_number(random, input.dtype);
        std::memcpy(bytes.data() + skip + i * size, &number, size);
      }
      arrays.push_back(std::move(bytes));
      inputs.push_back(arrays.back().data() + skip);
    }
    for (Dtype dtype : kernel.numbers) {
      numbers.push_back(random_number(random, dtype));
      if (size_of(dtype) < 8 && random.chance(50)) numbers.back() |= random.bits() << 8 * size_of(dtype);
    }
  }
  size_t n;
  std::vector<std::vector<uint8_t>> arrays;
  std::vector<const void*> inputs;
  std::vector<uint64_t> numbers;
};

struct Results {
  Results(const Kernel& kernel, loops::KernelFunction function, const Arguments& arguments) {
    std::vector<void*> outputs;
    for (const Kernel::Output& output : kernel.outputs) {
      arrays.emplace_back(2 * guard + arguments.n * size_of(output.dtype), untouched);
      outputs.push_back(arrays.back().data() + guard);
    }
    failed =
        function(outputs.data(), arguments.inputs.data(), static_cast<int64_t>(arguments.n), arguments.numbers.data());
  }
  std::vector<std::vector<uint8_t>> arrays;
  int64_t failed = 0;
};

std::string difference(const Kernel& kernel, const Arguments& arguments, const Results& a, const Results& b) {
  if (a.failed != b.failed) return "fails at " + std::to_string(a.failed) + " and " + std::to_string(b.failed);
  for (size_t o = 0; o < kernel.outputs.size(); ++o) {
    const size_t size = size_of(kernel.outputs[o].dtype), end = guard + arguments.n * size;
    for (size_t k = 0; k < guard; ++k) {
      if (b.arrays[o][k] != untouched || b.arrays[o][end + k] != untouched)
        return "wrote outside output " + std::to_string(o);
    }
    for (size_t i = 0; a.failed < 0 && i < arguments.n; ++i) {
      const void* x = &a.arrays[o][guard + i * size];
      const void* y = &b.arrays[o][guard + i * size];
      if (same(kernel.outputs[o].dtype, x, y)) continue;
      return "output " + std::to_string(o) + " differs at " + std::to_string(i) + " of " + std::to_string(arguments.n) +
             ": " + hex(kernel.outputs[o].dtype, x) + " and " + hex(kernel.outputs[o].dtype, y);
    }
  }
  return "";
}

// The smallest kernel that differs is shown: it says most.
struct Differences {
  void add(const std::string& difference, ops::Isa isa, const Kernel& kernel) {
    if (difference.empty()) return;
    ++count;
    if (count > 1 && kernel.code.size() >= size) return;
    size = kernel.code.size();
    smallest = difference + ", isa " + std::to_string(static_cast<int>(isa)) + "\n" + loops::print(kernel);
  }
  int count = 0;
  size_t size = 0;
  std::string smallest;
};

TEST(RandomKernels, GiveTheSameBitsFromBothBackEnds) {
  Random random(setting("COVEC_TEST_SEED", 1));
  Differences differences;
  for (uint64_t round = setting("COVEC_TEST_ROUNDS", 3); round > 0; --round) {
    Program program{{"f", {}, {}, {}}, {}};
    for (int k = 0; k < 100; ++k) program.kernels.push_back(random_kernel(random));
    ASSERT_EQ(loops::verify(program), "");
    const auto oracle = source::compile(program);
    for (ops::Isa isa : isas()) {
      const auto machine = simd::compile(program, isa);
      ASSERT_NE(machine, nullptr);
      for (size_t k = 0; k < program.kernels.size(); ++k) {
        for (int call = 0; call < 3; ++call) {
          const Kernel& kernel = program.kernels[k];
          const Arguments arguments(random, kernel);
          const Results a(kernel, oracle->kernel(k), arguments), b(kernel, machine->kernel(k), arguments);
          differences.add(difference(kernel, arguments, a, b), isa, kernel);
        }
      }
    }
  }
  EXPECT_EQ(differences.count, 0) << differences.smallest;
}

// --- the function ---

// What running a function leaves: slots, tensors, and the calls that it made, each with what it saw.
class Trace {
 public:
  Trace(uint64_t seed, loops::CodeFunction function) : random_(seed) {
    for (Dtype dtype : all_dtypes) slots_.push_back(number(dtype));
    for (const TensorType& type : tensor_types) slots_.push_back(tensor(type));
    if (random_.chance(30)) shared_ = slots_[first_tensor_slot + random_.below(std::size(tensor_types))];
    struct Record : loops::ActivationRecord {
      Trace* owner;
    } activation;
    activation.step = [](loops::ActivationRecord* a, uint32_t index) noexcept {
      return static_cast<Record*>(a)->owner->step(index);
    };
    activation.poll = activation.step;
    activation.interrupt = &interrupt_;
    activation.slots = slots_.data();
    activation.stacks = &stack_;
    activation.owner = this;
    status_ = function(&activation);
    record(static_cast<uint32_t>(status_));
    for (size_t k = 0; k < std::size(tensor_types); ++k) record_tensor(slots_[first_tensor_slot + k]);
    record(static_cast<uint64_t>(stack_.top - stack_.base));
  }
  ~Trace() {
    slots_.clear();
    shared_ = Value();
    pool_->release();
  }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  const std::vector<uint64_t>& words() const { return words_; }

 private:
  Value number(Dtype dtype) {
    const uint64_t bits = random_number(random_, dtype);
    return Value::scalar(dtype, &bits);
  }

  // Row-major, or transposed: then it cannot be written in place.
  Value tensor(const TensorType& type) {
    Shape shape;
    for (unsigned axis = 0; axis < type.rank; ++axis) shape.push_back(static_cast<int64_t>(3 + random_.below(8)));
    Value value = make_tensor(*pool_, type.dtype, shape);
    Tensor& x = value.tensor();
    const size_t size = size_of(type.dtype);
    for (int64_t i = 0; i < x.size(); ++i) {
      const uint64_t bits = random_number(random_, type.dtype);
      std::memcpy(x.data() + static_cast<size_t>(i) * size, &bits, size);
    }
    if (!random_.chance(30)) return value;
    std::vector<int64_t> strides(x.strides().rbegin(), x.strides().rend());
    Shape transposed;
    for (unsigned axis = type.rank; axis-- > 0;) transposed.push_back(shape[axis]);
    return Tensor::view(value, x.data(), transposed, strides);
  }

  int32_t step(uint32_t index) {
    record(index);
    if (index == 2000) return more_room();
    for (size_t k = 0; k < first_tensor_slot; ++k) record_number(slots_[k]);
    if (index == 7 || (index >= 1000 && random_.chance(50))) return static_cast<int32_t>(index);  // an error
    if (index % 5 == 0) slots_[2] = static_cast<int64_t>(random_.below(10));
    return 0;
  }
  int32_t more_room() {
    const auto used = stack_.top - stack_.base;
    room_.resize(room_.size() + 3);
    stack_ = {room_.data() + used, room_.data() + room_.size(), room_.data()};
    return 0;
  }

  void record(uint64_t word) { words_.push_back(word); }
  void record_bits(Dtype dtype, const void* number) {
    uint64_t bits = 0;
    std::memcpy(&bits, number, size_of(dtype));
    record(is_float(dtype) && std::isnan(real_at(dtype, number)) ? 0x4e614e : bits);
  }
  void record_number(const Value& value) {
    record(static_cast<uint64_t>(value.tag()));
    record_bits(value.scalar_dtype(), value.scalar_data());
  }
  void record_tensor(const Value& value) {
    const Value x = contiguous(*pool_, value);
    const size_t size = size_of(x.tensor().dtype());
    for (int64_t i = 0; i < x.tensor().size(); ++i) {
      record_bits(x.tensor().dtype(), x.tensor().data() + static_cast<size_t>(i) * size);
    }
  }

  Random random_;
  Pool* pool_ = Pool::create();
  std::vector<Value> slots_;
  Value shared_;
  std::vector<uint64_t> room_;
  loops::NumberStack stack_;
  std::atomic<bool> interrupt_ = false;
  int32_t status_ = 0;
  std::vector<uint64_t> words_;
};

// Where two traces part.
std::string difference(const Trace& a, const Trace& b) {
  size_t k = 0;
  while (k < a.words().size() && k < b.words().size() && a.words()[k] == b.words()[k]) ++k;
  if (k == a.words().size() && k == b.words().size()) return "";
  const auto word = [k](const Trace& t) { return k < t.words().size() ? std::to_string(t.words()[k]) : "nothing"; };
  return "word " + std::to_string(k) + " of " + std::to_string(a.words().size()) + ": " + word(a) + " and " + word(b);
}

std::string difference_of(const Program& program, const source::CompiledC& oracle, ops::Isa isa, Random& random) {
  const auto machine = simd::compile(program, isa);
  if (machine == nullptr) return "not compiled";
  std::string wrong;
  for (int call = 0; call < 20 && wrong.empty(); ++call) {
    const uint64_t seed = random.bits();
    wrong = difference(Trace(seed, oracle.code()), Trace(seed, machine->code()));
  }
  return wrong;
}

// The end of the instruction, or of the block that begins there.
size_t end_of(const loops::Code& code, size_t begin) {
  int depth = 0;
  for (size_t k = begin; k < code.instructions.size(); ++k) {
    const Instruction& i = code.instructions[k];
    if (loops::is<instruction::If, instruction::Loop>(i)) ++depth;
    if (loops::is<instruction::EndIf, instruction::EndLoop>(i)) --depth;
    if (depth <= 0) return k + 1;
  }
  return begin + 1;
}

// What ends a loop stays.
bool is_needed(const Instruction& i) {
  const auto* const scalar = std::get_if<instruction::Scalar>(&i);
  const bool counts = scalar != nullptr && scalar->op == ScalarOp::add && scalar->to == scalar->operands[0];
  return counts || loops::is<instruction::BreakIf, instruction::BreakUnless>(i);
}

// Drops instructions and blocks while the back ends still differ.
Program smaller(Program program, ops::Isa isa, Random& random) {
  for (size_t k = program.code.instructions.size(); k-- > 0;) {
    Program candidate = program;
    auto& list = candidate.code.instructions;
    if (k >= list.size() || is_needed(list[k])) continue;
    list.erase(list.begin() + static_cast<ptrdiff_t>(k),
               list.begin() + static_cast<ptrdiff_t>(end_of(program.code, k)));
    if (loops::verify(candidate).empty() && !difference_of(candidate, *source::compile(candidate), isa, random).empty())
      program = candidate;
  }
  return program;
}

TEST(RandomCode, DoesTheSameInBothBackEnds) {
  Random random(setting("COVEC_TEST_SEED", 1));
  for (uint64_t round = 10 * setting("COVEC_TEST_ROUNDS", 3); round > 0; --round) {
    Program program{random_code(random), {}};
    program.code.name = "f";
    ASSERT_EQ(loops::verify(program), "") << loops::print(program);
    const auto oracle = source::compile(program);
    for (ops::Isa isa : isas()) {
      const std::string wrong = difference_of(program, *oracle, isa, random);
      ASSERT_EQ(wrong, "") << "isa " << static_cast<int>(isa) << "\n" << loops::print(smaller(program, isa, random));
    }
  }
}

}  // namespace
