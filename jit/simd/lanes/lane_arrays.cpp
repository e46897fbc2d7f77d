#include "jit/simd/lanes/lane_arrays.hpp"

#include <cstddef>

#include "jit/simd/machine/access.hpp"

namespace covec::simd {

using loops::LaneArray;
using loops::LaneRecord;
namespace instruction = loops::instruction;

namespace {

x86::Mem extent_of(const x86::Gp& array, size_t axis) {
  return x86::qword_ptr(array, at(offsetof(LaneArray, extents) + 8 * axis));
}

}  // namespace

x86::Gp LaneArrays::array(uint32_t number) {
  x86::Gp array = r_.word();
  cc_.mov(array, x86::qword_ptr(record_, at(offsetof(LaneRecord, arrays))));
  if (number > 0) cc_.add(array, at(number * sizeof(LaneArray)));
  return array;
}

void LaneArrays::begin_group() {
  for (uint32_t k = 0; k < loop_.arrays; ++k) {
    const x86::Gp array = this->array(k);
    cc_.mov(x86::qword_ptr(array, at(offsetof(LaneArray, is_made))), 0);
    cc_.mov(extent_of(array, 0), 0);
  }
}

x86::Mem LaneArrays::extent(const instruction::Extent& i) { return extent_of(array(i.array), i.axis); }

// Lane k has place base + offsets[k] if there are offsets, else base + k.
LanePlaces LaneArrays::places(const instruction::ElementPlace& i, Dtype dtype, x86::Reg active) {
  const x86::Gp array = this->array(i.array);
  LanePlaces at{r_.word(), shift_of(dtype), r_.word()};
  cc_.xor_(at.base.r32(), at.base.r32());
  for (size_t axis = 0; axis < i.indices.size(); ++axis) {
    const loops::Register index = i.indices[axis];
    x86::Gp extent = r_.word();
    cc_.mov(extent, extent_of(array, axis));
    if (axis > 0) {
      cc_.imul(at.base, extent);
      if (at.offsets.isValid()) at.offsets = elements_.product(at.offsets, memory_.in_all_lanes(extent));
    }
    if (varying_.varies(index)) {
      const x86::Reg places = elements_.in_range(index, extent, active);
      at.offsets = at.offsets.isValid() ? elements_.sum(at.offsets, places) : places;
    } else {
      cc_.add(at.base, index_in_bounds(e_, r_, index, extent, group_.fail));
    }
  }
  const int shift = std::countr_zero(static_cast<unsigned>(v_.lanes()));
  cc_.shl(at.base, shift);
  if (at.offsets.isValid()) {
    cc_.emit(Inst::kIdVpsllq, at.offsets, at.offsets, imm(shift));
    at.offsets = elements_.sum(at.offsets, memory_.lane_numbers());
  }
  cc_.mov(at.data, x86::qword_ptr(array, simd::at(offsetof(LaneArray, data))));
  const size_t rank = i.indices.size();
  at.check = [this, array, rank, shift](const x86::Gp& place) {
    x86::Gp words = cc_.newInt64(), one = cc_.newInt64();
    cc_.mov(one, 1);
    cc_.mov(words, extent_of(array, 0));
    for (size_t axis = 1; axis < rank; ++axis) cc_.imul(words, extent_of(array, axis));
    cc_.shl(words, shift);
    e_.check(Helper::check_lanes, one, place, words);
  };
  return at;
}

// The places of all lanes, side by side.
x86::Mem LaneArrays::row(const LanePlaces& at, Dtype dtype) {
  if (e_.checked()) at.check(at.base);
  return memory_.first(at, dtype);
}

x86::Reg LaneArrays::load(const instruction::Element& i, x86::Reg active) {
  const Dtype dtype = r_.dtype(i.to);
  const LanePlaces at = places(i, dtype, active);
  return at.offsets.isValid() ? memory_.load(at, dtype, active) : values_.memory().load(row(at, dtype), dtype, nullptr);
}

// A store of all lanes can be read again at once, one of some lanes cannot.
void LaneArrays::store(const instruction::SetElement& i, x86::Reg active, bool all) {
  const Dtype dtype = r_.dtype(i.from);
  bool own = false;
  const x86::Reg from = values_.vector(i.from, own);
  const LanePlaces at = places(i, dtype, active);
  if (at.offsets.isValid()) return memory_.store(at, from, dtype, active);
  const x86::Mem to = row(at, dtype);
  if (all) return values_.memory().store(to, from, dtype, nullptr);
  const x86::Reg kept = values_.memory().load(to, dtype, nullptr);
  if (dtype != Dtype::boolean) {
    v_.blend_into(kept, active, from, dtype);
    return values_.memory().store(to, kept, dtype, nullptr);
  }
  const x86::Reg blended = values_.masks().copy(kept);
  v_.blend_into(blended, values_.masks().copy(active), from, dtype);
  values_.memory().store(to, blended, dtype, nullptr);
}

void LaneArrays::step(const instruction::ArrayStep& i, x86::Reg active) {
  for (size_t k = 0; k < i.arguments.size(); ++k) {
    const Dtype dtype = r_.dtype(i.arguments[k]);
    const size_t offset = offsetof(LaneRecord, arguments) + k * sizeof(LaneRecord::arguments[0]);
    bool own = false;
    const x86::Reg numbers = values_.vector(i.arguments[k], own);
    values_.memory().store(x86::ptr(record_, at(offset), v_.bytes(dtype)), numbers, dtype, nullptr);
  }
  x86::Gp status = cc_.newInt64();
  const x86::Gp bits = values_.masks().bits(active);
  asmjit::InvokeNode* node = nullptr;
  using Signature = asmjit::FuncSignatureT<int64_t, LaneRecord*, uint32_t, int64_t, int64_t, uint32_t, uint32_t>;
  cc_.invoke(&node, x86::qword_ptr(record_, at(offsetof(LaneRecord, step))), Signature());
  if (node == nullptr) return;
  node->setArg(0, record_);
  node->setArg(1, imm(i.step));
  node->setArg(2, group_.first);
  node->setArg(3, group_.end);
  node->setArg(4, bits);
  node->setArg(5, imm(v_.lanes()));
  node->setRet(0, status);
  cc_.test(status, status);
  cc_.jnz(group_.fail);
}

}  // namespace covec::simd
