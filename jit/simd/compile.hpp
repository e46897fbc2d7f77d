// The machine-code back end. It turns a loop program into x86-64 code with AVX2 and FMA, or with AVX-512. The
// trade-off: code is emitted in one walk and asmjit allocates registers, so compiling takes about a microsecond per
// instruction. Start at compile(). Kernels are emitted by kernel_emitter.cpp, the function by code_emitter.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jit/loops/program.hpp"
#include "jit/simd/machine/executable.hpp"
#include "jit/simd/places/code_options.hpp"
#include "stdlib/ops/contract/activity.hpp"
#include "stdlib/value/context.hpp"

namespace covec::simd {

class Compiled {
 public:
  Compiled(std::unique_ptr<Executable> executable, std::vector<size_t> entries, size_t kernels, std::string listing,
           size_t cells, ops::PlacedCode placed)
      : executable_(std::move(executable)),
        entries_(std::move(entries)),
        kernels_(kernels),
        listing_(std::move(listing)),
        cells_(cells),
        placed_(std::move(placed)) {
    placed_.begin = reinterpret_cast<uintptr_t>(executable_->at(0));
    placed_.bytes = bytes();
  }

  loops::CodeFunction code() const { return reinterpret_cast<loops::CodeFunction>(address(0)); }
  loops::KernelFunction kernel(size_t number) const {
    return reinterpret_cast<loops::KernelFunction>(address(number + 1));
  }
  loops::LaneFunction lane_loop(size_t number) const {
    return reinterpret_cast<loops::LaneFunction>(address(1 + kernels_ + number));
  }
  size_t bytes() const { return executable_->bytes(); }
  // Where the function lies, with what it is cut into, then each kernel and each loop in lanes.
  struct Range {
    uintptr_t begin = 0;
    size_t bytes = 0;
  };
  std::vector<Range> ranges() const;
  const std::string& listing() const { return listing_; }  // where one was asked for
  size_t cells() const { return cells_; }                  // that an activation needs (loops::ActivationRecord)
  ops::PlacedCode& placed() { return placed_; }

 private:
  void* address(size_t entry) const { return const_cast<void*>(executable_->at(entries_[entry])); }
  std::unique_ptr<Executable> executable_;
  std::vector<size_t> entries_;  // offsets: the function's, then the kernels' and those of loops in lanes
  size_t kernels_;
  std::string listing_;
  size_t cells_;
  ops::PlacedCode placed_;
};

// Iterations of a lane loop that are computed at once.
constexpr int lanes(ops::Isa isa) { return isa == ops::Isa::avx512 ? 8 : 4; }

// Null where the program cannot be compiled: on a processor without AVX2, FMA and BMI2, for code that is too long, or
// for want of memory. The program must be well formed (loops::verify).
std::unique_ptr<Compiled> compile(const loops::Program& program, ops::Isa isa, CodeOptions options = {});

}  // namespace covec::simd
