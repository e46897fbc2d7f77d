#include "jit/simd/lanes/lane_elements.hpp"

#include "jit/simd/machine/access.hpp"

namespace covec::simd {

using loops::Register;
namespace instruction = loops::instruction;
using ops::ScalarOp;

// --- where they lie ---

x86::Reg LaneElements::product(x86::Reg a, x86::Reg b) {
  return ops_.apply({ScalarOp::mul, Dtype::i64, Dtype::i64, {a, b}, {}, {}});
}
x86::Reg LaneElements::sum(x86::Reg a, x86::Reg b) {
  return ops_.apply({ScalarOp::add, Dtype::i64, Dtype::i64, {a, b}, {}, {}});
}

// 0 <= number < extent, of an extent that is not negative.
x86::Reg LaneElements::below(x86::Reg numbers, x86::Reg extent) {
  if (e_.avx512()) {
    constexpr int less = 1;
    x86::Reg d = v_.make(Dtype::boolean);
    cc_.emit(Inst::kIdVpcmpuq, d, numbers, extent, imm(less));
    return d;
  }
  x86::Reg d = v_.emit(Inst::kIdVpcmpgtq, Dtype::i64, extent, numbers);
  cc_.emit(Inst::kIdVblendvpd, d, d, v_.zero(Dtype::i64), numbers);  // negative: the sign
  return d;
}

x86::Reg LaneElements::in_range(Register index, const x86::Gp& extent, x86::Reg active) {
  bool own = false;
  const x86::Reg given = values_.vector(index, own);
  x86::Reg places = v_.make(Dtype::i64);
  v_.move(places, given, Dtype::i64);
  const x86::Reg length = memory_.in_all_lanes(extent);
  Label outside = cc_.newLabel(), back = cc_.newLabel();
  const auto jump_if_any_is_outside = [&](const Label& to) {
    const x86::Reg wrong = v_.inverted_bool(below(places, length));
    values_.masks().jump_if_any(values_.masks().both(wrong, active), to);
    return wrong;
  };
  const x86::Reg wrong = jump_if_any_is_outside(outside);
  cc_.bind(back);
  e_.out_of_line([&] {
    cc_.bind(outside);
    v_.blend_into(places, wrong, sum(places, length), Dtype::i64);
    jump_if_any_is_outside(group_.fail);
    cc_.jmp(back);
  });
  return places;
}

// The offset of the first lane's, along an axis of which each lane has the element of its iteration.
x86::Gp LaneElements::of_iterations(const ViewEmitter::Seen& seen, size_t axis) {
  cc_.cmp(group_.end, seen.extents[axis]);
  cc_.jg(group_.fail);
  x86::Gp offset = r_.word();
  cc_.mov(offset, group_.first);
  cc_.imul(offset, seen.strides[axis]);
  return offset;
}

LanePlaces LaneElements::places(const instruction::ElementPlace& i, Dtype dtype, bool writes, x86::Reg active) {
  const ViewEmitter::Seen& seen = views_.seen(i.view);
  LanePlaces at{seen.data, shift_of(dtype), r_.word()};
  at.check = [this, &i, dtype](const x86::Gp& place) { views_.check(i, place, dtype); };
  if (writes) views_.require_writable(i.view, group_.fail);
  cc_.xor_(at.base.r32(), at.base.r32());
  std::vector<size_t> by_iteration;
  const auto add = [&](x86::Reg term) { at.offsets = at.offsets.isValid() ? sum(at.offsets, term) : term; };
  for (size_t axis = 0; axis < i.indices.size(); ++axis) {
    const Register index = i.indices[axis];
    const x86::Gp &extent = seen.extents[axis], &stride = seen.strides[axis];
    if (index == loop_.iteration) {
      by_iteration.push_back(axis);
      cc_.add(at.base, of_iterations(seen, axis));
    } else if (!varying_.varies(index)) {
      x86::Gp term = index_in_bounds(e_, r_, index, extent, group_.fail);
      cc_.imul(term, stride);
      cc_.add(at.base, term);
    } else {
      add(product(in_range(index, extent, active), memory_.in_all_lanes(stride)));
    }
  }
  if (by_iteration.size() == 1 && !at.offsets.isValid()) at.stride = seen.strides[by_iteration[0]];
  for (const size_t axis : by_iteration) add(product(memory_.lane_numbers(), memory_.in_all_lanes(seen.strides[axis])));
  return at;
}

x86::Reg LaneElements::load(const instruction::Element& i, x86::Reg active) {
  const Dtype dtype = r_.dtype(i.to);
  const LanePlaces at = places(i, dtype, false, active);
  return at.offsets.isValid() ? memory_.load(at, dtype, active)
                              : values_.memory().broadcast(memory_.first(at, dtype), dtype);
}

void LaneElements::store(const instruction::SetElement& i, x86::Reg active) {
  const Dtype dtype = r_.dtype(i.from);
  bool own = false;
  const x86::Reg from = values_.vector(i.from, own);
  memory_.store(places(i, dtype, true, active), from, dtype, active);
}

}  // namespace covec::simd
