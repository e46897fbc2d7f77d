// Assembles a whole program at once: the table of C++ functions, the function, and the kernels, each with its constants
// behind it.
#include "jit/simd/compile.hpp"

#include <new>

#include "jit/simd/code_emitter.hpp"
#include "jit/simd/lanes/lane_emitter.hpp"
#include "jit/simd/vector/kernel_emitter.hpp"

namespace covec::simd {

namespace {

constexpr size_t longest_kernel = 400'000;  // registers are allotted in more than linear time

class FirstError : public asmjit::ErrorHandler {
 public:
  // The assembler crashes if it goes on after it could not allocate memory.
  void handleError(asmjit::Error error, const char*, asmjit::BaseEmitter*) override {
    if (error == asmjit::kErrorOutOfMemory) throw std::bad_alloc();
    if (error_ == asmjit::kErrorOk) error_ = error;
  }
  // What is returned and not told.
  void note(asmjit::Error error) {
    if (error != asmjit::kErrorOk) handleError(error, "", nullptr);
  }
  bool any() const { return error_ != asmjit::kErrorOk; }

 private:
  asmjit::Error error_ = asmjit::kErrorOk;
};

// What libgcc has found out at the start. asmjit's CpuInfo would ask the processor again, dozens of questions that take
// a tenth of a millisecond on a virtual machine.
bool supported(ops::Isa isa) {
  if (isa == ops::Isa::baseline || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2")) {
    return false;
  }
  return isa == ops::Isa::avx2 || (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"));
}

bool too_long(const loops::Program& program) {
  if (program.routine && program.routine->code.instructions.size() > longest_kernel) return true;
  for (const loops::Kernel& kernel : program.kernels) {
    if (kernel.code.size() > longest_kernel) return true;
  }
  return false;
}

class Assembly {
 public:
  Assembly(ops::Isa isa, CodeOptions options, size_t outlined)
      : options_(options), table_words_(helper_count + outlined) {
    error_.note(code_.init(asmjit::Environment::host()));
    if (options.listing) code_.setLogger(&logger_);
    attach();
    code_.setErrorHandler(&error_);
    table_ = compiler_.newLabel();
    compiler_.bind(table_);
    const std::vector<uint64_t> none(table_words_, 0);
    compiler_.embed(none.data(), table_words_ * sizeof none[0]);
    isa_ = isa;
  }

  std::unique_ptr<Compiled> compile(const loops::Program& program) {
    std::vector<asmjit::FuncNode*> functions;
    Emitter emitter(compiler_, isa_, table_, options_);
    Label routine;
    CodeEmitter::Parts parts;
    emitter.set_place(0);
    if (program.routine) CodeEmitter::of_routine(emitter, program, parts, routine).function();
    const Lengths& lengths = options_.checked ? lengths_of_tests : usual_lengths;
    const bool cut = is_long(program.code, lengths);
    const InParts pieces = cut ? in_parts(program.code, lengths) : InParts();
    parts.all = pieces.parts;
    for (const Part& part : pieces.parts) {
      if (error_.any()) return nullptr;
      emitter.set_place(0);
      CodeEmitter::of_part(emitter, program, part, parts, routine).function();
    }
    if (error_.any()) return nullptr;
    emitter.set_place(0);
    const loops::Code& code = cut ? pieces.code : program.code;
    functions.push_back(CodeEmitter(emitter, program, code, parts, routine).function());
    cells_ = pieces.cells;
    for (const loops::Kernel& kernel : program.kernels) {
      if (error_.any()) return nullptr;
      emitter.set_place(0);
      functions.push_back(KernelEmitter(emitter, kernel).function());
    }
    for (const loops::LaneLoop& loop : program.lane_loops) {
      if (error_.any()) return nullptr;
      emitter.set_place(0);
      functions.push_back(LaneEmitter(emitter, loop).function());
    }
    emitter.set_place(0);
    emitter.emit_outlined_call();
    emitter.emit_cold_call();
    if (error_.any()) return nullptr;
    error_.note(emitter.finalize(placed_));
    if (error_.any()) return nullptr;
    return finished(functions, program.kernels.size(), emitter.table(table_words_));
  }

 private:
  // It may not throw: it has no handler yet. A failed attach leaves a pointer with which the compiler's destructor
  // would crash.
  void attach() {
    const asmjit::Error attached = code_.attach(&compiler_);
    if (attached != asmjit::kErrorOk) compiler_._code = nullptr;
    error_.note(attached);
  }

  std::unique_ptr<Compiled> finished(const std::vector<asmjit::FuncNode*>& functions, size_t kernels,
                                     std::span<const void* const> table) {
    error_.note(code_.flatten());
    error_.note(code_.resolveUnresolvedLinks());
    if (error_.any()) return nullptr;
    error_.note(code_.relocateToBase(0));
    std::vector<uint8_t> bytes(code_.codeSize());
    error_.note(code_.copyFlattenedData(bytes.data(), bytes.size()));
    if (error_.any() || code_.hasUnresolvedLinks()) return nullptr;
    std::vector<size_t> entries;
    for (const asmjit::FuncNode* function : functions) {
      entries.push_back(static_cast<size_t>(code_.labelOffsetFromBase(function->label())));
    }
    auto executable = Executable::make(bytes, table);
    if (executable == nullptr) return nullptr;
    return std::make_unique<Compiled>(std::move(executable), std::move(entries), kernels,
                                      std::string(logger_.data(), logger_.dataSize()), cells_, std::move(placed_));
  }

  CodeOptions options_;
  FirstError error_;
  asmjit::StringLogger logger_;
  asmjit::CodeHolder code_;
  x86::Compiler compiler_;
  Label table_;
  size_t table_words_;
  ops::Isa isa_;
  size_t cells_ = 0;
  ops::PlacedCode placed_;
};

}  // namespace

// In order of their addresses, but for the function, in front of which its parts and the table lie.
std::vector<Compiled::Range> Compiled::ranges() const {
  std::vector<Range> all;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const size_t begin = i == 0 ? 0 : entries_[i], end = i + 1 < entries_.size() ? entries_[i + 1] : bytes();
    all.push_back({reinterpret_cast<uintptr_t>(executable_->at(begin)), end - begin});
  }
  return all;
}

std::unique_ptr<Compiled> compile(const loops::Program& program, ops::Isa isa, CodeOptions options) {
  if (!supported(isa) || too_long(program)) return nullptr;
  size_t outlined = 0;
  for (const loops::Kernel& kernel : program.kernels) outlined += kernel.outlined.size();
  return Assembly(isa, options, outlined).compile(program);
}

}  // namespace covec::simd
