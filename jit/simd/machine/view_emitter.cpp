#include "jit/simd/machine/view_emitter.hpp"

#include <algorithm>

#include "jit/simd/machine/access.hpp"

namespace covec::simd {

using loops::SlotId;
using loops::instruction::ElementPlace;

void ViewEmitter::begin(std::span<const loops::View> views) {
  views_ = views;
  seen_.resize(views.size());
}

void ViewEmitter::look_up(uint32_t view) {
  if (seen_[view].extents.empty()) seen_[view] = make_seen(view);
  see(view);
  open_.push_back({view, loops_ + 1});
}

void ViewEmitter::leave_loop() {
  std::erase_if(open_, [&](const Open& open) { return open.loops == loops_; });
  --loops_;
}

void ViewEmitter::refresh(SlotId slot) {
  for (const Open& open : open_) {
    if (views_[open.view].slot == slot) see(open.view);
  }
}

// A part has its parent's strides, and its extents but the first, which may become 0.
ViewEmitter::Seen ViewEmitter::make_seen(uint32_t view) {
  const loops::View& looked_at = views_[view];
  const bool part = looked_at.parent != loops::no_view;
  const size_t leading = looked_at.leading.size();
  Seen seen{cc_.newIntPtr(), cc_.newInt64(), {}, {}};
  for (unsigned axis = 0; axis < looked_at.rank; ++axis) {
    const Seen* const parent = part ? &seen_[looked_at.parent] : nullptr;
    seen.extents.push_back(part && axis > 0 ? parent->extents[leading + axis] : cc_.newInt64());
    seen.strides.push_back(part ? parent->strides[leading + axis] : cc_.newInt64());
  }
  return seen;
}

void ViewEmitter::see(uint32_t view) {
  if (views_[view].parent == loops::no_view)
    see_tensor(view);
  else
    see_part(view);
}

void ViewEmitter::see_tensor(uint32_t view) {
  const loops::View& looked_at = views_[view];
  const Seen& seen = seen_[view];
  Label none = cc_.newLabel(), shared = cc_.newLabel(), done = cc_.newLabel();
  cc_.cmp(slots_.tag(looked_at.slot), static_cast<int>(Tag::object));
  cc_.jne(none);
  const x86::Gp header = slots_.header(looked_at.slot);
  cc_.mov(seen.data, x86::qword_ptr(header, at(TensorLayout::data)));
  for (unsigned axis = 0; axis < looked_at.rank; ++axis) {
    cc_.mov(seen.extents[axis], x86::qword_ptr(header, at(TensorLayout::dims + 8 * axis)));
    cc_.mov(seen.strides[axis], x86::qword_ptr(header, at(TensorLayout::dims + 8 * (looked_at.rank + axis))));
  }
  if (looked_at.written) {
    require_exclusive(e_, r_, header, shared);
    cc_.mov(seen.writable, seen.extents[0]);
  }
  cc_.bind(done);
  e_.out_of_line([&] {
    cc_.bind(none);
    cc_.mov(seen.data, 0);
    for (const x86::Gp& extent : seen.extents) cc_.mov(extent, 0);
    for (const x86::Gp& stride : seen.strides) cc_.mov(stride, 0);
    cc_.bind(shared);
    if (looked_at.written) cc_.mov(seen.writable, 0);
    cc_.jmp(done);
  });
}

void ViewEmitter::see_part(uint32_t view) {
  const loops::View& looked_at = views_[view];
  const Seen &seen = seen_[view], &parent = seen_[looked_at.parent];
  const size_t leading = looked_at.leading.size();
  Label none = cc_.newLabel(), done = cc_.newLabel();
  x86::Gp sum;
  for (size_t axis = 0; axis < leading; ++axis) {
    x86::Gp term = index_in_bounds(e_, r_, looked_at.leading[axis], parent.extents[axis], none);
    cc_.imul(term, parent.strides[axis]);
    if (axis == 0)
      sum = term;
    else
      cc_.add(sum, term);
  }
  cc_.lea(seen.data, x86::ptr(parent.data, sum, shift_of(looked_at.dtype)));
  cc_.mov(seen.extents[0], parent.extents[leading]);
  if (looked_at.written) {
    cc_.mov(seen.writable, seen.extents[0]);
    cc_.test(parent.writable, parent.writable);
    cc_.cmovz(seen.writable, parent.writable);
  }
  cc_.bind(done);
  e_.out_of_line([&] {
    cc_.bind(none);
    cc_.mov(seen.data, 0);
    cc_.mov(seen.extents[0], 0);
    if (looked_at.written) cc_.mov(seen.writable, 0);
    cc_.jmp(done);
  });
}

// --- elements of views ---

x86::Gp ViewEmitter::offset(const ElementPlace& i, Dtype dtype, bool writes, const Label& otherwise) {
  const Seen& seen = seen_[i.view];
  const size_t leading = views_[i.view].leading.size();
  x86::Gp sum;
  for (size_t axis = 0; axis < seen.extents.size(); ++axis) {
    const bool sets = axis == 0 && writes;
    x86::Gp term =
        index_in_bounds(e_, r_, i.indices[leading + axis], sets ? seen.writable : seen.extents[axis], otherwise);
    cc_.imul(term, seen.strides[axis]);
    if (axis == 0)
      sum = term;
    else
      cc_.add(sum, term);
  }
  check(i, sum, dtype);
  return sum;
}

void ViewEmitter::require_writable(uint32_t view, const Label& otherwise) {
  const x86::Gp& writable = seen_[view].writable;
  cc_.test(writable, writable);
  cc_.jz(otherwise);
}

void ViewEmitter::check(const ElementPlace& i, const x86::Gp& offset, Dtype dtype) {
  if (!e_.checked()) return;
  const x86::Gp header = slots_.header(i.slot);
  x86::Gp place = r_.word();  // from the tensor's first element
  cc_.mov(place, seen_[i.view].data);
  cc_.sub(place, x86::qword_ptr(header, at(TensorLayout::data)));
  cc_.sar(place, shift_of(dtype));
  cc_.add(place, offset);
  e_.check(Helper::check_element, header, place, imm(size_of(dtype)));
}

x86::Mem ViewEmitter::element(uint32_t view, const x86::Gp& offset, Dtype dtype) const {
  return x86::ptr(seen_[view].data, offset, shift_of(dtype));
}

}  // namespace covec::simd
