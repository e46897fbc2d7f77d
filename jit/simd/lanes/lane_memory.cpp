#include "jit/simd/lanes/lane_memory.hpp"

#include "jit/simd/machine/access.hpp"

namespace covec::simd {

x86::Reg LaneMemory::lane_numbers() {
  const int64_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  x86::Reg d = v_.make(Dtype::i64);
  v_.move(d, cc_.newConst(asmjit::ConstPoolScope::kLocal, numbers, v_.bytes(Dtype::i64)), Dtype::i64);
  return d;
}

x86::Mem LaneMemory::first(const LanePlaces& at, Dtype dtype) {
  x86::Gp address = cc_.newIntPtr();
  cc_.lea(address, x86::ptr(at.data, at.base, at.shift));
  return x86::ptr(address, 0, v_.bytes(dtype));
}

x86::Mem LaneMemory::apart(const LanePlaces& at, Dtype dtype) {
  return x86::ptr(first(at, dtype).baseReg().as<x86::Gp>(), at.offsets.as<x86::Vec>(), at.shift);
}

// --- loads ---

x86::Reg LaneMemory::load(const LanePlaces& at, Dtype dtype, x86::Reg active) {
  if (moves_lane_by_lane(dtype, false)) {
    copy_lanes(at, dtype, active, false);
    return values_.memory().load(lanes_place_, dtype, nullptr);
  }
  x86::Reg to = v_.make(dtype);
  if (!at.stride) {
    gather(at, to, dtype, active);
    return to;
  }
  Label apart = cc_.newLabel(), back = cc_.newLabel();
  cc_.cmp(*at.stride, 1);
  cc_.jne(apart);
  load_adjacent(at, to, dtype, active);
  cc_.bind(back);
  e_.out_of_line([&] {
    cc_.bind(apart);
    gather(at, to, dtype, active);
    cc_.jmp(back);
  });
  return to;
}

void LaneMemory::load_adjacent(const LanePlaces& at, x86::Reg to, Dtype dtype, x86::Reg active) {
  const x86::Mem from = first(at, dtype);
  if (e_.avx512()) {
    cc_.k(active.as<x86::KReg>()).z();
    v_.move(to, from, dtype);
  } else {
    cc_.emit(v_.element(dtype) == 8 ? Inst::kIdVmaskmovpd : Inst::kIdVmaskmovps, to, v_.mask_for(active, dtype), from);
  }
}

void LaneMemory::gather(const LanePlaces& at, x86::Reg to, Dtype dtype, x86::Reg active) {
  const x86::Mem from = apart(at, dtype);
  const InstId id = v_.element(dtype) == 8 ? Inst::kIdVgatherqpd : Inst::kIdVgatherqps;
  cc_.emit(e_.avx512() ? Inst::kIdVpxord : Inst::kIdVpxor, to, to, to);
  if (e_.avx512()) {
    cc_.k(values_.masks().copy(active).as<x86::KReg>()).emit(id, to, from);
  } else {
    x86::Vec mask = v_.vector(v_.bytes(dtype));
    v_.move(mask, v_.mask_for(active, dtype), dtype);
    cc_.emit(id, to, from, mask);
  }
}

// --- stores ---

void LaneMemory::store(const LanePlaces& at, x86::Reg from, Dtype dtype, x86::Reg active) {
  if (moves_lane_by_lane(dtype, true)) {
    if (!lanes_place_.hasBase()) lanes_place_ = cc_.newStack(64, 64);
    values_.memory().store(lanes_place_, from, dtype, nullptr);
    copy_lanes(at, dtype, active, true);
    return;
  }
  if (!at.stride) return scatter(at, from, dtype, active);
  Label apart = cc_.newLabel(), back = cc_.newLabel();
  cc_.cmp(*at.stride, 1);
  cc_.jne(apart);
  values_.memory().store(first(at, dtype), from, dtype, &active.as<x86::KReg>());
  cc_.bind(back);
  e_.out_of_line([&] {
    cc_.bind(apart);
    scatter(at, from, dtype, active);
    cc_.jmp(back);
  });
}

void LaneMemory::scatter(const LanePlaces& at, x86::Reg from, Dtype dtype, x86::Reg active) {
  const x86::Mem to = apart(at, dtype);
  const InstId id = v_.element(dtype) == 8 ? Inst::kIdVscatterqpd : Inst::kIdVscatterqps;
  cc_.k(values_.masks().copy(active).as<x86::KReg>()).emit(id, to, from);
}

// --- lane by lane ---

// Where there is no instruction for it, and in checked code.
bool LaneMemory::moves_lane_by_lane(Dtype dtype, bool writes) const {
  return e_.checked() || dtype == Dtype::boolean || is_narrow(dtype) || (writes && !e_.avx512());
}

// From memory to the place on the stack, or back.
void LaneMemory::copy_lanes(const LanePlaces& at, Dtype dtype, x86::Reg active, bool writes) {
  if (!lanes_place_.hasBase()) lanes_place_ = cc_.newStack(64, 64);
  if (!offsets_place_.hasBase()) offsets_place_ = cc_.newStack(64, 64);
  v_.move(offsets_place_, at.offsets, Dtype::i64);
  const auto size = static_cast<uint32_t>(size_of(dtype));
  x86::Gp bits = values_.masks().bits(active), lane = cc_.newInt64(), place = cc_.newInt64(), offsets = cc_.newIntPtr();
  x86::Gp side_by_side = cc_.newIntPtr(), word = cc_.newInt64();
  Label again = cc_.newLabel(), done = cc_.newLabel();
  cc_.lea(offsets, offsets_place_);
  cc_.lea(side_by_side, lanes_place_);
  cc_.bind(again);
  cc_.test(bits, bits);
  cc_.jz(done);
  cc_.tzcnt(lane.r32(), bits);
  cc_.blsr(bits, bits);
  cc_.mov(place, x86::qword_ptr(offsets, lane, 3));
  cc_.add(place, at.base);
  if (e_.checked()) at.check(place);
  const x86::Mem element = x86::ptr(at.data, place, at.shift, 0, size);
  const x86::Mem packed = x86::ptr(side_by_side, lane, shift_of(dtype), 0, size);
  const x86::Gp part = size == 8 ? word : size == 4 ? word.r32() : size == 2 ? x86::Gp(word.r16()) : x86::Gp(word.r8());
  cc_.mov(part, writes ? packed : element);
  cc_.mov(writes ? element : packed, part);
  cc_.jmp(again);
  cc_.bind(done);
}

}  // namespace covec::simd
