#include "jit/simd/machine/memory_emitter.hpp"

namespace covec::simd {

MemoryEmitter::MemoryEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls)
    : calls_(calls),
      memory_(emitter, registers),
      slots_(emitter, registers, memory_),
      stacks_(emitter, registers, calls, memory_),
      lists_(emitter, registers, calls, memory_, slots_),
      draws_(emitter, registers, calls, memory_, slots_),
      views_(emitter, registers, slots_),
      elements_(emitter, registers, calls, memory_, slots_, views_) {}

void MemoryEmitter::begin(bool has_stacks, bool draws, std::span<const loops::View> views) {
  slots_.begin(calls_);
  if (has_stacks) stacks_.begin();
  if (draws) draws_.begin();
  views_.begin(views);
}

}  // namespace covec::simd
