// Kernels for tests: a small builder, and arrays with guards around them.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>

#include "jit/simd/compile.hpp"
#include "tests/jit_simd/reference.hpp"

namespace covec::tests {

using loops::Kernel;
using loops::KernelInstruction;

class KernelBuilder {
 public:
  using Kind = KernelInstruction::Kind;
  Kernel kernel;

  uint32_t add(KernelInstruction i) {
    kernel.code.push_back(i);
    return static_cast<uint32_t>(kernel.code.size() - 1);
  }
  uint32_t input(Dtype dtype, bool uniform = false) {
    kernel.inputs.push_back({dtype, uniform});
    KernelInstruction i;
    i.kind = Kind::load;
    i.dtype = dtype;
    i.index = static_cast<uint32_t>(kernel.inputs.size() - 1);
    return add(i);
  }
  uint32_t number(Dtype dtype) {
    kernel.numbers.push_back(dtype);
    KernelInstruction i;
    i.kind = Kind::number;
    i.dtype = dtype;
    i.index = static_cast<uint32_t>(kernel.numbers.size() - 1);
    return add(i);
  }
  uint32_t constant(Dtype dtype, Word bits) {
    KernelInstruction i;
    i.kind = Kind::constant;
    i.dtype = dtype;
    i.bits = bits;
    return add(i);
  }
  uint32_t scalar(ops::ScalarOp op, Dtype dtype, uint32_t a, uint32_t b = 0, uint32_t c = 0) {
    KernelInstruction i;
    i.op = op;
    i.dtype = dtype;
    i.arity = loops::info_of(op).arity;
    i.operands[0] = a;
    i.operands[1] = b;
    i.operands[2] = c;
    return add(i);
  }
  void rare(uint32_t condition) {
    KernelInstruction i;
    i.kind = Kind::rare;
    i.operands[0] = condition;
    add(i);
  }
  uint32_t end_rare(Dtype dtype, uint32_t condition, uint32_t slow, uint32_t usual) {
    KernelInstruction i;
    i.kind = Kind::end_rare;
    i.dtype = dtype;
    i.operands[0] = condition;
    i.operands[1] = slow;
    i.operands[2] = usual;
    return add(i);
  }
  uint32_t rare_result(Dtype dtype, uint32_t condition, uint32_t slow, uint32_t usual) {
    const uint32_t made = end_rare(dtype, condition, slow, usual);
    kernel.code[made].kind = Kind::rare_result;
    return made;
  }
  void output(uint32_t value) { kernel.outputs.push_back({value, kernel.code[value].dtype}); }
};

// n elements with a page behind them that nobody may touch; what is before them may not be written. With `at_front` it
// is the other way round.
class Array {
 public:
  Array(Dtype dtype, size_t n, bool at_front = false) : dtype_(dtype), at_front_(at_front) {
    const size_t bytes = n * size_of(dtype);
    inside_ = (bytes + guard + page - 1) / page * page;
    memory_ = static_cast<uint8_t*>(mmap(nullptr, inside_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + page, inside_, PROT_READ | PROT_WRITE);
    std::memset(memory_ + page, 0xa5, inside_);
    data_ = at_front ? memory_ + page : memory_ + page + inside_ - bytes;
    guard_ = at_front ? data_ + bytes : data_ - guard;
  }
  Array(Array&& other) noexcept { *this = std::move(other); }
  Array& operator=(Array&& other) noexcept {
    std::memcpy(static_cast<void*>(this), &other, sizeof other);
    other.memory_ = nullptr;
    return *this;
  }
  ~Array() {
    if (memory_ != nullptr) munmap(memory_, inside_ + 2 * page);
  }
  Word operator[](size_t k) const {
    Word w = 0;
    std::memcpy(&w, data_ + k * size_of(dtype_), size_of(dtype_));
    return w;
  }
  void set(size_t k, Word w) { std::memcpy(data_ + k * size_of(dtype_), &w, size_of(dtype_)); }
  void* data() { return data_; }
  bool guards_are_whole() const {
    return std::all_of(guard_, guard_ + guard, [](uint8_t byte) { return byte == 0xa5; });
  }

 private:
  static constexpr size_t guard = 64, page = 4096;
  Dtype dtype_;
  bool at_front_;
  size_t inside_;
  uint8_t* memory_;
  uint8_t* data_;
  uint8_t* guard_;
};

inline const std::vector<ops::Isa>& instruction_sets() {
  static const std::vector<ops::Isa> sets = [] {
    std::vector<ops::Isa> all = {ops::Isa::avx2};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
      all.push_back(ops::Isa::avx512);
    return all;
  }();
  return sets;
}

inline std::unique_ptr<simd::Compiled> compile_kernel(const Kernel& kernel, ops::Isa isa, bool listing = false) {
  loops::Program program;
  program.kernels.push_back(kernel);
  auto compiled = simd::compile(program, isa, {.listing = listing});
  EXPECT_NE(compiled, nullptr) << loops::print(kernel);
  return compiled;
}

}  // namespace covec::tests
