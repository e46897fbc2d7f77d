// Random kernels and functions against a plain interpreter of the loop IR: registers run out, regions nest, calls come
// in between. The number of programs is small here; set COVEC_RANDOM_PROGRAMS for more.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "jit/loops/coalesce.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "tests/jit_simd/code_support.hpp"
#include "tests/jit_simd/kernels_support.hpp"

namespace covec::tests {

namespace {

uint64_t programs_to_try(uint64_t usual) {
  const char* wanted = std::getenv("COVEC_RANDOM_PROGRAMS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : usual;
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  uint64_t word() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1du;
  }
  size_t below(size_t n) { return static_cast<size_t>((word() >> 33) % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  Word number(Dtype dtype) {
    if (chance(30)) return of(values_of(dtype));
    const auto small = static_cast<int64_t>(below(200)) - 100;
    return with_type(dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) return to_word(static_cast<T>(small) * T(0.37));
      if constexpr (std::is_same_v<T, bool>) return to_word(small > 0);
      return to_word(static_cast<T>(small));
    });
  }

 private:
  uint64_t state_;
};

bool is_shift(ops::ScalarOp op) {
  using enum ops::ScalarOp;
  return op == shift_left || op == shift_right || op == shift_right_logical;
}

// --- kernels ---

struct KernelMaker {
  KernelBuilder b;
  Random random;
  std::vector<OpCase> cases;
  std::vector<uint32_t> values;  // that may be used
  std::vector<bool> is_uniform_input;

  KernelMaker(uint64_t seed) : random(seed), cases(all_cases()) {}

  std::vector<uint32_t> of_dtype(Dtype dtype) {
    std::vector<uint32_t> found;
    for (uint32_t v : values) {
      if (b.kernel.code[v].dtype == dtype) found.push_back(v);
    }
    return found;
  }
  uint32_t any(Dtype dtype) {
    const auto found = of_dtype(dtype);
    if (!found.empty() && !random.chance(15)) return random.of(found);
    const uint32_t made = random.chance(60) ? b.constant(dtype, random.number(dtype)) : b.number(dtype);
    values.push_back(made);
    return made;
  }
  void operation() {
    OpCase c = random.of(cases);
    while (narrow && (size_of(c.to) == 8 || size_of(c.operands[c.arity - 1]) == 8)) c = random.of(cases);
    uint32_t operands[3] = {};
    for (unsigned k = 0; k < c.arity; ++k) operands[k] = any(c.operands[k]);
    if (c.arity == 2 && is_shift(c.op)) operands[1] = b.constant(c.to, random.below(8 * size_of(c.to)));
    values.push_back(b.scalar(c.op, c.to, operands[0], operands[1], operands[2]));
  }
  void region(unsigned depth) {
    const uint32_t condition = any(Dtype::boolean);
    std::vector<Dtype> dtypes(1 + random.below(3));
    std::vector<uint32_t> usual, slow;
    for (Dtype& dtype : dtypes) {
      dtype = narrow ? Dtype::f32 : all_dtypes[random.below(5)];
      usual.push_back(any(dtype));
    }
    const std::vector<uint32_t> before = values;
    b.rare(condition);
    for (size_t k = random.below(6); k-- > 0;) operation();
    if (depth > 0 && random.chance(40)) region(depth - 1);
    for (const Dtype dtype : dtypes) slow.push_back(any(dtype));
    values = before;
    values.push_back(b.end_rare(dtypes[0], condition, slow[0], usual[0]));
    for (size_t k = 1; k < dtypes.size(); ++k) values.push_back(b.rare_result(dtypes[k], condition, slow[k], usual[k]));
  }
  void make() {
    narrow = random.chance(40);
    for (size_t k = 1 + random.below(4); k-- > 0;) {
      Dtype dtype = all_dtypes[random.below(5)];
      if (narrow && size_of(dtype) == 8) dtype = Dtype::f32;
      values.push_back(b.input(dtype, random.chance(25)));
    }
    for (size_t k = random.chance(20) ? 80 : 1 + random.below(25); k-- > 0;) {
      if (random.chance(8))
        region(2);
      else
        operation();
    }
    for (size_t k = 1 + random.below(3); k-- > 0;) b.output(random.of(values));
    const auto bools = of_dtype(Dtype::boolean);
    if (!bools.empty() && random.chance(20)) b.kernel.fails = random.of(bools);
  }
  bool narrow = false;
};

// The value of all instructions for one element.
std::vector<Word> evaluate(const Kernel& kernel, const std::vector<Word>& inputs, const std::vector<Word>& numbers) {
  std::vector<Word> v(kernel.code.size());
  for (size_t k = 0; k < v.size(); ++k) {
    const KernelInstruction& i = kernel.code[k];
    const auto at = [&](unsigned n) { return n < 3 ? v[i.operands[n]] : 0; };
    switch (i.kind) {
      case KernelInstruction::Kind::load: v[k] = inputs[i.index]; break;
      case KernelInstruction::Kind::number: v[k] = numbers[i.index]; break;
      case KernelInstruction::Kind::constant: v[k] = i.bits; break;
      case KernelInstruction::Kind::scalar:
        v[k] = reference(i.op, i.dtype, kernel.code[i.operands[i.arity - 1]].dtype, at(0), at(1), at(2));
        break;
      case KernelInstruction::Kind::outlined:  // tests/jit_simd/outlined_test.cpp
      case KernelInstruction::Kind::rare: break;
      case KernelInstruction::Kind::rare_result:
      case KernelInstruction::Kind::end_rare: v[k] = at(0) != 0 ? at(1) : at(2); break;
    }
  }
  return v;
}

void check_kernel(uint64_t seed) {
  KernelMaker maker(seed);
  maker.make();
  const Kernel& kernel = maker.b.kernel;
  ASSERT_EQ(loops::verify({{}, {kernel}}), "");
  Random random(seed + 77);
  for (ops::Isa isa : instruction_sets()) {
    const auto compiled = compile_kernel(kernel, isa);
    ASSERT_NE(compiled, nullptr);
    for (int round = 0; round < 3; ++round) {
      const size_t n = random.below(80);
      std::vector<Array> in, out;
      std::vector<const void*> inputs;
      std::vector<void*> outputs;
      std::vector<Word> numbers;
      for (Dtype dtype : kernel.numbers) numbers.push_back(random.number(dtype));
      for (const Kernel::Input& input : kernel.inputs) {
        in.emplace_back(input.dtype, input.uniform ? 1 : n, random.chance(50));
        for (size_t e = 0; e < (input.uniform ? 1 : n); ++e) in.back().set(e, random.number(input.dtype));
      }
      for (const Kernel::Output& output : kernel.outputs) out.emplace_back(output.dtype, n, random.chance(50));
      for (Array& array : in) inputs.push_back(array.data());
      for (Array& array : out) outputs.push_back(array.data());
      const int64_t failed =
          compiled->kernel(0)(outputs.data(), inputs.data(), static_cast<int64_t>(n), numbers.data());
      for (const Array& array : out) ASSERT_TRUE(array.guards_are_whole());
      for (size_t e = 0; e < n; ++e) {
        std::vector<Word> words;
        for (size_t k = 0; k < in.size(); ++k) words.push_back(in[k][kernel.inputs[k].uniform ? 0 : e]);
        const std::vector<Word> expected = evaluate(kernel, words, numbers);
        if (kernel.fails != Kernel::never && expected[kernel.fails] != 0) {
          ASSERT_EQ(failed, static_cast<int64_t>(e)) << "seed " << seed << "\n" << loops::print(kernel);
          break;
        }
        ASSERT_NE(failed, static_cast<int64_t>(e)) << "seed " << seed << "\n" << loops::print(kernel);
        for (size_t k = 0; failed < 0 && k < out.size(); ++k) {
          ASSERT_TRUE(same_number(kernel.outputs[k].dtype, out[k][e], expected[kernel.outputs[k].value]))
              << "seed " << seed << " isa " << static_cast<int>(isa) << " n = " << n << " output " << k << " at " << e
              << std::hex << ": " << out[k][e] << ", not " << expected[kernel.outputs[k].value] << "\n"
              << loops::print(kernel);
        }
      }
    }
  }
}

TEST(JitRandom, Kernels) {
  for (uint64_t seed = 1; seed <= programs_to_try(400); ++seed) {
    check_kernel(seed);
    if (HasFatalFailure()) return;
  }
}

// --- functions ---

// Slots 0…7 are given, 8…15 are results; slot 7 is a tensor f64[5].
struct CodeMaker {
  CodeBuilder b;
  Random random;
  std::vector<OpCase> cases;
  std::vector<Register> readable;  // written on every path to here
  Register one;
  unsigned loops = 0;  // that are open

  CodeMaker(uint64_t seed) : random(seed), cases(all_cases()) { one = b.integer(1); }

  Register any(Dtype dtype) {
    std::vector<Register> found;
    for (Register r : readable) {
      if (b.program.code.registers[r] == dtype) found.push_back(r);
    }
    if (!found.empty() && !random.chance(15)) return random.of(found);
    const Register made = b.constant(dtype, random.number(dtype));
    if (random.chance(50)) readable.push_back(made);
    return made;
  }
  Register target(Dtype dtype) {
    if (random.chance(35)) {
      std::vector<Register> found;
      for (Register r : readable) {
        if (b.program.code.registers[r] == dtype && r != one) found.push_back(r);
      }
      if (!found.empty()) return random.of(found);
    }
    const Register made = b.reg(dtype);
    return made;
  }
  void operation() {
    const Register to = operation([this](Dtype dtype) { return target(dtype); });
    readable.push_back(to);
  }
  // A number of its own, moved a little later.
  void moved() {
    const Register made = operation([this](Dtype dtype) { return b.reg(dtype); });
    if (random.chance(30)) operation();
    if (loops > 0 && random.chance(30)) b.add(instruction::BreakUnless{condition()});
    if (random.chance(20)) readable.push_back(made);
    const Register to = target(b.program.code.registers[made]);
    const bool written = std::find(readable.begin(), readable.end(), to) != readable.end();
    const bool maybe = written && random.chance(20);
    if (maybe) b.add(instruction::If{condition()});
    b.move(to, made);
    if (maybe) b.add(instruction::EndIf{});
    readable.push_back(to);
  }
  Register operation(const std::function<Register(Dtype)>& place) {
    const OpCase& c = random.of(cases);
    Register operands[3] = {};
    for (unsigned k = 0; k < c.arity; ++k) operands[k] = any(c.operands[k]);
    if (c.arity == 2 && is_shift(c.op)) {
      const Register bits = b.constant(c.to, 8 * size_of(c.to) - 1);
      operands[1] = b.scalar(c.to, ops::ScalarOp::bit_and, operands[1], bits);
    }
    const Register to = place(c.to);
    b.scalar(to, c.op, operands[0], operands[1], operands[2]);
    return to;
  }
  void statement(unsigned depth) {
    const size_t kind = random.below(depth > 0 ? 100 : 70);
    const std::vector<Register> before = readable;
    if (kind < 35) {
      operation();
    } else if (kind < 50) {
      moved();
    } else if (kind < 54) {
      b.step(static_cast<uint32_t>(random.below(4)));
    } else if (kind < 60) {
      const Register index = any(Dtype::i64);
      readable.push_back(b.element(Dtype::f64, 7, {index}, 9));
    } else if (kind < 64) {
      b.set_element(7, {random.chance(70) ? b.integer(static_cast<int64_t>(random.below(12)) - 6) : any(Dtype::i64)},
                    any(Dtype::f64), 10);
    } else if (kind < 70) {
      const Dtype dtype = all_dtypes[random.below(5)];
      b.store(8 + static_cast<uint32_t>(random.below(8)), any(dtype));
    } else if (kind < 85) {
      b.add(instruction::If{condition()});
      for (size_t k = random.below(5); k-- > 0;) statement(depth - 1);
      if (random.chance(5)) b.add(instruction::Leave{});
      readable = before;
      if (random.chance(50)) {
        b.add(instruction::Else{});
        for (size_t k = random.below(5); k-- > 0;) statement(depth - 1);
        readable = before;
      }
      b.add(instruction::EndIf{});
    } else {
      loop(depth);
      readable = before;
    }
  }
  Register condition() {
    if (!random.chance(70)) return any(Dtype::boolean);
    using enum ops::ScalarOp;
    const Dtype dtype = all_dtypes[random.below(5)];
    const Register x = any(dtype), y = any(dtype);
    return b.scalar(Dtype::boolean, std::vector{lt, le, eq, ne}[random.below(4)], x, y);
  }
  // Its counter is written by nothing else.
  void loop(unsigned depth) {
    const Register i = b.reg(Dtype::i64), n = b.integer(static_cast<int64_t>(random.below(6)));
    b.set(i, 0);
    b.add(instruction::Loop{});
    b.poll(0);
    b.add(instruction::BreakUnless{b.scalar(Dtype::boolean, ops::ScalarOp::lt, i, n)});
    b.scalar(i, ops::ScalarOp::add, i, one);
    ++loops;
    for (size_t k = random.below(6); k-- > 0;) statement(depth - 1);
    if (random.chance(30)) {
      const bool where_it_holds = random.chance(50);
      const Register met = condition();
      b.add(where_it_holds ? Instruction(instruction::BreakIf{met}) : instruction::BreakUnless{met});
    }
    for (size_t k = random.below(3); k-- > 0;) statement(depth - 1);
    --loops;
    b.add(instruction::EndLoop{});
  }
  void make() {
    for (uint32_t slot = 0; slot < 7; ++slot) readable.push_back(b.load(all_dtypes[slot % 5], slot));
    for (size_t k = random.chance(20) ? 60 : 1 + random.below(20); k-- > 0;) statement(3);
    for (uint32_t slot = 8; slot < 16; ++slot) b.store(slot, random.of(readable));
  }
};

// Runs a function the plain way, on words.
class Interpreter {
 public:
  Interpreter(const loops::Code& code, std::vector<Word> slots, std::vector<Word> tensor)
      : code_(code), registers_(code.registers.size()), slots(std::move(slots)), tensor(std::move(tensor)) {
    std::vector<size_t> open;
    partner_.resize(code.instructions.size());
    else_.resize(code.instructions.size());
    for (size_t k = 0; k < partner_.size(); ++k) {
      const Instruction& i = code.instructions[k];
      if (loops::is<instruction::If, instruction::Loop>(i)) open.push_back(k);
      if (loops::is<instruction::Else>(i)) else_[open.back()] = k;
      if (loops::is<instruction::EndIf, instruction::EndLoop>(i)) {
        partner_[k] = open.back();
        partner_[open.back()] = k;
        if (else_[open.back()] != 0) partner_[else_[open.back()]] = k;
        open.pop_back();
      }
    }
  }
  int32_t run();

 private:
  void run(const instruction::Constant& i) { registers_[i.to] = i.bits; }
  void run(const instruction::Move& i) { registers_[i.to] = registers_[i.from]; }
  void run(const instruction::Scalar& i) {
    const auto operand = [&](unsigned k) { return registers_[i.operands[k]]; };
    registers_[i.to] = reference(i.op, code_.registers[i.to], code_.registers[i.operands[i.arity - 1]], operand(0),
                                 operand(1), operand(2));
  }
  void run(const instruction::If& i) {
    if (registers_[i.condition] == 0) at_ = else_[at_] != 0 ? else_[at_] : partner_[at_];
  }
  void run(const instruction::Else&) { at_ = partner_[at_]; }
  void run(const instruction::Loop&) { open_.push_back(at_); }
  void run(const instruction::EndLoop&) { at_ = partner_[at_]; }
  void run(const instruction::BreakIf& i) { leave_loop(registers_[i.condition] != 0); }
  void run(const instruction::BreakUnless& i) { leave_loop(registers_[i.condition] == 0); }
  void run(const instruction::Leave&) { status_ = 0; }
  void run(const instruction::Load& i) { registers_[i.to] = slots[i.slot]; }
  void run(const instruction::Store& i) { slots[i.slot] = registers_[i.from]; }
  void run(const instruction::CallStep& i) { steps.push_back(i.step); }
  void run(const instruction::Element& i) {
    if (Word* const element = place(i)) registers_[i.to] = *element;
  }
  void run(const instruction::SetElement& i) {
    if (Word* const element = place(i)) *element = registers_[i.from];
  }
  void run(const OneOf<instruction::EndIf, instruction::Poll, instruction::LookUp> auto&) {}
  template <class Other>
  void run(const Other&) {
    throw std::logic_error("an instruction that no program of these tests has");
  }

  void leave_loop(bool leaves) {
    if (!leaves) return;
    at_ = partner_[open_.back()];
    open_.pop_back();
  }
  Word* place(const instruction::ElementPlace& i) {
    auto index = static_cast<int64_t>(registers_[i.indices[0]]);
    if (index < 0) index += static_cast<int64_t>(tensor.size());
    if (index >= 0 && static_cast<size_t>(index) < tensor.size()) return &tensor[static_cast<size_t>(index)];
    status_ = static_cast<int32_t>(i.step);
    return nullptr;
  }

  const loops::Code& code_;
  std::vector<size_t> partner_, else_;
  std::vector<Word> registers_;
  std::vector<size_t> open_;  // loops
  size_t at_ = 0;
  std::optional<int32_t> status_;  // it has ended

 public:
  std::vector<Word> slots, tensor;
  std::vector<uint32_t> steps;
};

int32_t Interpreter::run() {
  for (at_ = 0; at_ < code_.instructions.size() && !status_; ++at_)
    match(code_.instructions[at_], [&](const auto& i) { run(i); });
  return status_.value_or(0);
}

// The tensor's elements by way of a view of it, looked up at the beginning.
void use_view(loops::Code& code) {
  code.views = {{7, Dtype::f64, 1, true}};
  for (Instruction& i : code.instructions) {
    if (auto* const read = std::get_if<instruction::Element>(&i)) read->view = 0;
    if (auto* const set = std::get_if<instruction::SetElement>(&i)) set->view = 0;
  }
  code.instructions.insert(code.instructions.begin(), instruction::LookUp{0, {}});
}

void check_code(uint64_t seed, size_t& saved) {
  CodeMaker maker(seed);
  maker.make();
  CodeBuilder made = maker.b;
  if (seed % 3 == 0) use_view(made.program.code);
  if (seed % 2 == 0) {
    loops::coalesce(made.program.code);
    saved += maker.b.program.code.instructions.size() + (seed % 3 == 0) - made.program.code.instructions.size();
  }
  const auto compiled = compile_code(made);
  ASSERT_NE(compiled, nullptr);
  Random random(seed + 99);
  Pool* pool = &*Pool::create();
  {
    Runtime runtime;
    runtime.on_step = [](uint32_t index) { return index >= 9 ? static_cast<int32_t>(index) : 0; };
    for (int round = 0; round < 5; ++round) {
      std::vector<Word> slots(16), tensor;
      runtime.slots[7] = make_tensor(*pool, Dtype::f64, {5});
      for (int k = 0; k < 5; ++k) {
        tensor.push_back(random.number(Dtype::f64));
        std::memcpy(runtime.slots[7].tensor().data() + 8 * k, &tensor.back(), 8);
      }
      for (uint32_t slot = 0; slot < 7; ++slot) {
        slots[slot] = random.number(all_dtypes[slot % 5]);
        runtime.slots[slot] = Value::scalar(all_dtypes[slot % 5], &slots[slot]);
      }
      for (uint32_t slot = 8; slot < 16; ++slot) runtime.slots[slot] = int64_t{0};
      runtime.steps.clear();
      Interpreter plain(maker.b.program.code, slots, tensor);
      const int32_t expected = plain.run(), status = runtime.run(*compiled);
      ASSERT_EQ(status, expected) << "seed " << seed << "\n" << loops::print(maker.b.program);
      if (status == 0) {
        ASSERT_EQ(runtime.steps, plain.steps) << "seed " << seed;
      }
      for (uint32_t slot = 8; slot < 16; ++slot) {
        const Value& value = runtime.slots[slot];
        ASSERT_TRUE(same_number(value.scalar_dtype(), static_cast<Word>(value.i64()), plain.slots[slot]))
            << "seed " << seed << " slot " << slot << std::hex << ": " << value.i64() << ", not " << plain.slots[slot]
            << "\n"
            << loops::print(maker.b.program);
      }
      for (int k = 0; k < 5; ++k) {
        Word w = 0;
        std::memcpy(&w, runtime.slots[7].tensor().data() + 8 * k, 8);
        ASSERT_TRUE(same_number(Dtype::f64, w, plain.tensor[static_cast<size_t>(k)])) << "seed " << seed;
      }
    }
  }
  pool->release();
}

TEST(JitRandom, Functions) {
  size_t saved = 0;
  for (uint64_t seed = 1; seed <= programs_to_try(400); ++seed) {
    check_code(seed, saved);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(saved, 100);  // of moves
}

}  // namespace

}  // namespace covec::tests
