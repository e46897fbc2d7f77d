#include "jit/simd/machine/draw_emitter.hpp"

#include <bit>
#include <cstddef>

#include "stdlib/ops/random/ahead.hpp"

namespace covec::simd {

using ops::Random;
using Buffer = ops::DrawnAhead::Buffer;

void DrawEmitter::begin() {
  random_ = cc_.newIntPtr("random");
  drawn_ = cc_.newIntPtr("drawn");
  cc_.mov(random_, calls_.field(offsetof(loops::ActivationRecord, random)));
  cc_.mov(drawn_, calls_.field(offsetof(loops::ActivationRecord, drawn)));
}

void DrawEmitter::draw(const loops::instruction::Draw& i) {
  Label again = cc_.newLabel(), none = cc_.newLabel();
  x86::Gp call = r_.word(), place = r_.word();
  const auto in_buffer = [&](size_t member) {
    return static_cast<int32_t>(offsetof(ops::DrawnAhead, buffers) + i.buffer * sizeof(Buffer) + member);
  };
  const x86::Mem calls = x86::qword_ptr(random_, offsetof(Random, calls));
  cc_.bind(again);
  if (i.key)
    cc_.mov(place, r_.gp(*i.key));
  else
    cc_.mov(place, x86::qword_ptr(random_, offsetof(Random, key)));
  cc_.cmp(place, x86::qword_ptr(drawn_, in_buffer(offsetof(Buffer, key))));
  cc_.jne(none);
  cc_.mov(call, calls);
  cc_.mov(place, call);
  cc_.sub(place, x86::qword_ptr(drawn_, in_buffer(offsetof(Buffer, first))));
  cc_.cmp(place, x86::qword_ptr(drawn_, in_buffer(offsetof(Buffer, count))));
  cc_.jae(none);
  e_.check(Helper::check_drawn, drawn_, place, imm(0));
  const auto shift = static_cast<uint32_t>(std::countr_zero(size_of(r_.dtype(i.to))));
  memory_.load(i.to, x86::ptr(drawn_, place, shift, in_buffer(offsetof(Buffer, numbers))));
  if (i.takes) {
    cc_.add(call, 1);
    cc_.mov(calls, call);
  }
  e_.out_of_line([&] {
    cc_.bind(none);
    slots_.save(i.saves);
    calls_.cold_step(i.step);
    cc_.jmp(again);
  });
}

void DrawEmitter::next_call(const loops::instruction::NextCall& i) {
  memory_.load(i.to, x86::qword_ptr(random_, offsetof(Random, calls)));
}

void DrawEmitter::set_next_call(const loops::instruction::SetNextCall& i) {
  memory_.store(x86::qword_ptr(random_, offsetof(Random, calls)), i.from);
}

}  // namespace covec::simd
