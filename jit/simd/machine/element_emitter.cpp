#include "jit/simd/machine/element_emitter.hpp"

#include <algorithm>

#include "jit/simd/machine/access.hpp"

namespace covec::simd {

using loops::Instruction;
using loops::no_view;
namespace instruction = loops::instruction;

void ElementEmitter::extent(const instruction::Extent& i) {
  memory_.load(i.to, x86::ptr(slots_.header(i.slot), at(TensorLayout::dims + 8 * i.axis)));
}

// An index_add reads and sets an element, with nothing but arithmetic between: then its place is kept.
void ElementEmitter::load(const instruction::Element& i, std::span<const Instruction> next) {
  const auto adds = std::ranges::find_if_not(
      next, [](const Instruction& each) { return loops::is<instruction::Scalar, instruction::Constant>(each); });
  const auto* const set = adds != next.end() ? std::get_if<instruction::SetElement>(&*adds) : nullptr;
  keeps_place_ =
      i.view != no_view && set != nullptr && set->view == i.view && set->step == i.step && set->indices == i.indices;
  if (keeps_place_ && !kept_place_.isValid()) kept_place_ = cc_.newInt64();
  Label out_of_range = cc_.newLabel();
  memory_.load(i.to, place(i, r_.dtype(i.to), false, out_of_range));
  e_.out_of_line([&] {
    cc_.bind(out_of_range);
    slots_.save(i.saves);
    calls_.raise(i.step);
  });
}

void ElementEmitter::store(const instruction::SetElement& i) {
  Label slow = cc_.newLabel(), done = cc_.newLabel();
  const Dtype dtype = r_.dtype(i.from);
  memory_.store(keeps_place_ ? kept_place(i, dtype, slow) : place(i, dtype, true, slow), i.from);
  keeps_place_ = false;
  cc_.bind(done);
  e_.out_of_line([&] {
    cc_.bind(slow);
    slots_.save(i.saves);
    calls_.cold_step(i.step);
    if (i.view != no_view) views_.refresh(i.slot);
    cc_.jmp(done);
  });
}

// Where an element lies. `otherwise`: an index is out of range, or the element is to be set and may not be.
x86::Mem ElementEmitter::place(const ElementPlace& i, Dtype dtype, bool writes, const Label& otherwise) {
  if (i.view != no_view) return place_in_view(i, dtype, writes, otherwise);
  const x86::Gp header = slots_.header(i.slot);
  if (writes) require_exclusive(e_, r_, header, otherwise);
  x86::Gp sum, data = r_.word();
  const size_t rank = i.indices.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    const x86::Mem extent = x86::qword_ptr(header, at(TensorLayout::dims + 8 * axis));
    x86::Gp term = index_in_bounds(e_, r_, i.indices[axis], extent, otherwise);
    cc_.imul(term, x86::qword_ptr(header, at(TensorLayout::dims + 8 * (rank + axis))));
    if (axis == 0)
      sum = term;
    else
      cc_.add(sum, term);
  }
  e_.check(Helper::check_element, header, sum, imm(size_of(dtype)));
  cc_.mov(data, x86::qword_ptr(header, at(TensorLayout::data)));
  return x86::ptr(data, sum, shift_of(dtype));
}

x86::Mem ElementEmitter::place_in_view(const ElementPlace& i, Dtype dtype, bool writes, const Label& otherwise) {
  const x86::Gp offset = views_.offset(i, dtype, writes, otherwise);
  if (keeps_place_) cc_.mov(kept_place_, offset);
  return views_.element(i.view, offset, dtype);
}

// Of an element that has just been read.
x86::Mem ElementEmitter::kept_place(const ElementPlace& i, Dtype dtype, const Label& otherwise) {
  views_.require_writable(i.view, otherwise);
  views_.check(i, kept_place_, dtype);
  return views_.element(i.view, kept_place_, dtype);
}

}  // namespace covec::simd
