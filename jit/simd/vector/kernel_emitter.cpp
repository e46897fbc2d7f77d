#include "jit/simd/vector/kernel_emitter.hpp"

namespace covec::simd {

using loops::Kernel;

KernelEmitter::KernelEmitter(Emitter& emitter, const Kernel& kernel)
    : e_(emitter),
      cc_(emitter.cc),
      kernel_(kernel),
      plan_(kernel, emitter.avx512()),
      registers_(emitter, plan_.lanes, plan_.widest),
      values_(emitter, kernel, plan_, loop_, registers_),
      body_(emitter, kernel, plan_, loop_, registers_, values_) {}

asmjit::FuncNode* KernelEmitter::function() {
  using Signature = asmjit::FuncSignatureT<int64_t, void* const*, const void* const*, int64_t, const uint64_t*>;
  asmjit::FuncNode* function = cc_.addFunc(Signature());
  if (function == nullptr) return nullptr;
  function->frame().setAvxEnabled();
  function->frame().setAvxCleanup();
  if (e_.avx512()) function->frame().setAvx512Enabled();
  if (plan_.outlines) {
    function->frame().addAttributes(asmjit::FuncAttributes::kHasFuncCalls);
    function->frame().updateCallStackSize(sizeof(OutlinedCall));
  }
  e_.begin_cold_part();
  arguments(function);
  values_.keep_uniform_values();
  if (plan_.vectors > 1) loop_of_several();
  loop_of_one();
  x86::Gp none = cc_.newInt64();
  cc_.mov(none, -1);
  cc_.ret(none);
  cc_.endFunc();
  return function;
}

void KernelEmitter::arguments(asmjit::FuncNode* function) {
  loop_.output_array = cc_.newIntPtr("outputs");
  loop_.input_array = cc_.newIntPtr("inputs");
  loop_.n = cc_.newInt64("n");
  loop_.numbers = cc_.newIntPtr("numbers");
  function->setArg(0, loop_.output_array);
  function->setArg(1, loop_.input_array);
  function->setArg(2, loop_.n);
  function->setArg(3, loop_.numbers);
  for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
    loop_.inputs.push_back(cc_.newIntPtr("in%u", static_cast<unsigned>(k)));
    if (!kernel_.inputs[k].uniform)
      cc_.mov(loop_.inputs[k], x86::qword_ptr(loop_.input_array, 8 * static_cast<int>(k)));
  }
  for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
    loop_.outputs.push_back(cc_.newIntPtr("out%u", static_cast<unsigned>(k)));
    cc_.mov(loop_.outputs[k], x86::qword_ptr(loop_.output_array, 8 * static_cast<int>(k)));
  }
  loop_.i = cc_.newInt64("i");
  cc_.xor_(loop_.i.r32(), loop_.i.r32());
}

void KernelEmitter::loop_of_several() {
  const int step = plan_.vectors * plan_.lanes;
  x86::Gp limit = cc_.newInt64();
  Label again = cc_.newLabel(), done = cc_.newLabel();
  cc_.lea(limit, x86::ptr(loop_.n, -step));
  cc_.cmp(loop_.i, limit);
  cc_.jg(done);
  if (kernel_.fails != Kernel::never && !e_.avx512()) {
    loop_.base = cc_.newInt64("base");
    loop_.active_lanes = cc_.newInt32("active");
    cc_.xor_(loop_.base.r32(), loop_.base.r32());
    cc_.mov(loop_.active_lanes, -1);
  }
  cc_.bind(again);
  loop_.masked = false;
  body_.emit(plan_.vectors);
  cc_.add(loop_.i, step);
  cc_.cmp(loop_.i, limit);
  cc_.jle(again);
  cc_.bind(done);
}

void KernelEmitter::loop_of_one() {
  limit_ = cc_.newInt64("limit");
  cc_.lea(limit_, x86::ptr(loop_.n, -plan_.lanes));
  if (e_.avx512()) {
    loop_.active = cc_.newKw("active");
    x86::Gp all = cc_.newInt32();
    cc_.mov(all, (1 << plan_.lanes) - 1);
    cc_.kmovw(loop_.active, all);
  } else {
    loop_.tail = cc_.newInt64("tail");
    loop_.base = cc_.newInt64("base");
    loop_.active_lanes = cc_.newInt32("active");
    cc_.xor_(loop_.tail.r32(), loop_.tail.r32());
    cc_.xor_(loop_.base.r32(), loop_.base.r32());
    cc_.mov(loop_.active_lanes, -1);
  }
  Label again = cc_.newLabel(), check = cc_.newLabel(), done = cc_.newLabel();
  cc_.jmp(check);
  cc_.bind(again);
  loop_.masked = e_.avx512();
  body_.emit(1);
  cc_.add(loop_.i, plan_.lanes);
  cc_.bind(check);
  cc_.cmp(loop_.i, limit_);
  cc_.jle(again);
  go_on(done);
  cc_.jmp(again);
  cc_.bind(done);
}

// After the whole vectors: prepares the pass for the elements that are left, or ends.
void KernelEmitter::go_on(Label done) {
  x86::Gp rest = cc_.newInt64("rest");
  if (!e_.avx512()) {
    Label first = cc_.newLabel();
    cc_.test(loop_.tail, loop_.tail);
    cc_.jz(first);
    bounce_out();
    cc_.jmp(done);
    cc_.bind(first);
  }
  cc_.mov(rest, loop_.n);
  cc_.sub(rest, loop_.i);
  cc_.jle(done);
  if (e_.avx512())
    mask_the_last(rest);
  else
    bounce_in(rest);
}

void KernelEmitter::mask_the_last(x86::Gp rest) {
  x86::Gp bits = cc_.newInt32();
  cc_.mov(bits, -1);
  cc_.bzhi(bits, bits, rest.r32());
  cc_.kmovw(loop_.active, bits);
}

void KernelEmitter::bounce_in(x86::Gp rest) {
  x86::Gp from = cc_.newIntPtr(), to = cc_.newIntPtr();
  x86::Xmm zeros = cc_.newXmm();
  cc_.vpxor(zeros, zeros, zeros);
  for (size_t k = 0; k < kernel_.inputs.size(); ++k) {
    const Dtype dtype = kernel_.inputs[k].dtype;
    bounce_inputs_.emplace_back();
    if (kernel_.inputs[k].uniform) continue;
    x86::Mem place = bounce_inputs_[k] = cc_.newStack(32, 32);
    cc_.vmovups(place.cloneAdjusted(0), zeros);
    cc_.vmovups(place.cloneAdjusted(16), zeros);
    cc_.lea(from, values_.element(loop_.inputs[k], dtype));
    cc_.lea(to, place);
    copy_elements(to, from, rest, size_of(dtype));
    cc_.mov(loop_.inputs[k], to);
  }
  for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
    bounce_outputs_.push_back(cc_.newStack(32, 32));
    cc_.lea(loop_.outputs[k], bounce_outputs_[k]);
  }
  cc_.mov(loop_.tail, rest);
  cc_.mov(loop_.base, loop_.i);
  cc_.bzhi(loop_.active_lanes, loop_.active_lanes, rest.r32());
  cc_.xor_(loop_.i.r32(), loop_.i.r32());
  cc_.mov(limit_, -1);
}

// Emitted before bounce_in(), which makes the buffers: the outputs' pointers show where they are.
void KernelEmitter::bounce_out() {
  for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
    const size_t size = size_of(kernel_.outputs[k].dtype);
    x86::Gp to = cc_.newIntPtr();
    cc_.mov(to, x86::qword_ptr(loop_.output_array, 8 * static_cast<int>(k)));
    cc_.lea(to, x86::ptr(to, loop_.base, static_cast<uint32_t>(std::countr_zero(size))));
    copy_elements(to, loop_.outputs[k], loop_.tail, size);
  }
}

void KernelEmitter::copy_elements(x86::Gp to, x86::Gp from, x86::Gp count, size_t size) {
  const auto shift = static_cast<uint32_t>(std::countr_zero(size));
  x86::Gp k = cc_.newInt64(), element = cc_.newInt64();
  Label again = cc_.newLabel();
  cc_.xor_(k.r32(), k.r32());
  cc_.bind(again);
  if (size == 8) {
    cc_.mov(element, x86::qword_ptr(from, k, shift));
    cc_.mov(x86::qword_ptr(to, k, shift), element);
  } else if (size == 4) {
    cc_.mov(element.r32(), x86::dword_ptr(from, k, shift));
    cc_.mov(x86::dword_ptr(to, k, shift), element.r32());
  } else if (size == 2) {
    cc_.movzx(element.r32(), x86::word_ptr(from, k, shift));
    cc_.mov(x86::word_ptr(to, k, shift), element.r16());
  } else {
    cc_.movzx(element.r32(), x86::byte_ptr(from, k));
    cc_.mov(x86::byte_ptr(to, k), element.r8());
  }
  cc_.inc(k);
  cc_.cmp(k, count);
  cc_.jl(again);
}

}  // namespace covec::simd
