#include "jit/simd/machine/memory_emitter.hpp"

#include <algorithm>
#include <cstddef>

#include "stdlib/tensor/layout.hpp"
#include "stdlib/value/list_layout.hpp"

namespace covec::simd {

using loops::Instruction;
using loops::NumberStack;
using loops::Register;
using loops::SlotId;

static_assert(sizeof(Value) == 16);  // the tag first, the payload at byte 8

namespace {

uint32_t shift_of(Dtype dtype) { return static_cast<uint32_t>(std::countr_zero(size_of(dtype))); }
int32_t stack_offset(const Instruction& i) { return static_cast<int32_t>(i.slot * sizeof(NumberStack)); }
int32_t at(size_t offset) { return static_cast<int32_t>(offset); }

}  // namespace

int32_t MemoryEmitter::slot_offset(SlotId slot) { return static_cast<int32_t>(slot * sizeof(Value)); }

void MemoryEmitter::begin(bool has_stacks, std::span<const loops::View> views) {
  views_ = views;
  seen_.resize(views.size());
  slots_ = cc_.newIntPtr("slots");
  stacks_ = cc_.newIntPtr("stacks");
  cc_.mov(slots_, calls_.field(offsetof(loops::ActivationRecord, slots)));
  if (has_stacks) cc_.mov(stacks_, calls_.field(offsetof(loops::ActivationRecord, stacks)));
}

// --- numbers in memory ---

void MemoryEmitter::read(Register to, x86::Mem from) {
  const Dtype dtype = r_.dtype(to);
  from.setSize(static_cast<uint32_t>(size_of(dtype)));
  const x86::Reg& home = r_.home(to);
  if (is_half(dtype)) return read_half(home.as<x86::Xmm>(), from, dtype);
  if (is_narrow(dtype)) return read_integer(home.as<x86::Gp>(), from, dtype);
  switch (compute_of(dtype)) {
    case Compute::boolean: cc_.movzx(home.as<x86::Gp>(), from); break;
    case Compute::f32: cc_.vmovss(home.as<x86::Xmm>(), from); break;
    case Compute::f64: cc_.vmovsd(home.as<x86::Xmm>(), from); break;
    default: cc_.mov(home.as<x86::Gp>(), from);
  }
}

void MemoryEmitter::write(x86::Mem to, Register from) {
  const Dtype dtype = r_.dtype(from);
  to.setSize(static_cast<uint32_t>(size_of(dtype)));
  switch (compute_of(dtype)) {
    case Compute::boolean: cc_.mov(to, r_.gp(from).r8()); break;
    case Compute::f32:
      if (is_half(dtype))
        cc_.mov(to, half_bits(from).r16());
      else
        cc_.vmovss(to, r_.xmm(from));
      break;
    case Compute::f64: cc_.vmovsd(to, r_.xmm(from)); break;
    default:
      if (is_narrow(dtype))
        write_integer(to, r_.gp(from));
      else
        cc_.emit(Inst::kIdMov, to, r_.integer_operand(from));
  }
}

// Narrow integers are what they are computed with in registers.
void MemoryEmitter::read_integer(const x86::Gp& to, const x86::Mem& from, Dtype dtype) {
  if (size_of(dtype) == 4)
    cc_.mov(to.r32(), from);  // the upper half becomes 0
  else if (is_unsigned(dtype))
    cc_.movzx(to.r32(), from);
  else
    cc_.movsx(to.r32(), from);
}

// The lower bytes, as many as the place has.
void MemoryEmitter::write_integer(const x86::Mem& to, const x86::Gp& from) {
  const x86::Gp bytes = from.r8(), words = from.r16(), lower = from.r32();
  cc_.mov(to, to.size() == 1 ? bytes : to.size() == 2 ? words : lower);
}

// Halves are f32 in registers.
void MemoryEmitter::read_half(const x86::Xmm& to, const x86::Mem& from, Dtype dtype) {
  x86::Gp bits = r_.word().r32();
  cc_.movzx(bits, from);
  if (dtype == Dtype::bf16) cc_.shl(bits, 16);
  cc_.vmovd(to, bits);
  if (dtype == Dtype::f16) cc_.vcvtph2ps(to, to);
}

// In the low 16 bits, with zeros above.
x86::Gp MemoryEmitter::half_bits(Register from) {
  x86::Gp bits = r_.word().r32();
  x86::Xmm number = r_.xmm(from);
  if (r_.dtype(from) == Dtype::f16) {
    number = r_.float_word();
    cc_.vcvtps2ph(number, r_.xmm(from), imm(0));
  }
  cc_.vpextrd(bits, number, 0);
  if (r_.dtype(from) == Dtype::bf16)
    cc_.shr(bits, 16);
  else
    cc_.movzx(bits, bits.r16());
  return bits;
}

// As a word of 8 bytes, with zeros above the number's; narrow integers fill it.
void MemoryEmitter::write_word(x86::Mem to, Register from) {
  const Dtype dtype = r_.dtype(from);
  if (size_of(dtype) == 8 || dtype == Dtype::f32) write(to, from);
  if (size_of(dtype) == 8) return;
  if (is_narrow_integer(dtype)) {
    to.setSize(8);
    x86::Gp word = r_.gp(from).r64();
    if (!r_.wide(from)) {
      word = r_.word();
      cc_.movsxd(word, r_.gp(from).r32());
    }
    cc_.mov(to, word);
    return;
  }
  if (is_half(dtype)) {
    to.setSize(8);
    cc_.mov(to, half_bits(from).r64());
    return;
  }
  if (dtype == Dtype::f32) {
    x86::Mem above = to.cloneAdjusted(4);
    above.setSize(4);
    cc_.mov(above, 0);
    return;
  }
  x86::Gp word = r_.word();
  cc_.mov(word.r32(), r_.gp(from).r32());
  to.setSize(8);
  cc_.mov(to, word);
}

void MemoryEmitter::load_slot(const Instruction& i) { read(i.to, x86::ptr(slots_, slot_offset(i.slot) + 8)); }

void MemoryEmitter::store_slot(const Instruction& i) { store(i.slot, i.operands[0]); }

void MemoryEmitter::store(SlotId slot, Register number) {
  const int tag = static_cast<int>(tag_of(r_.dtype(number)));
  cc_.mov(x86::byte_ptr(slots_, slot_offset(slot)), tag);
  write_word(x86::ptr(slots_, slot_offset(slot) + 8), number);
}

void MemoryEmitter::save(const Instruction& i) {
  for (const Instruction::Saved& saved : i.saves) store(saved.slot, saved.number);
}

// --- stacks ---

void MemoryEmitter::push(const Instruction& i) {
  Label again = cc_.newLabel(), full = cc_.newLabel();
  x86::Gp top = r_.word();
  const x86::Mem top_place = x86::qword_ptr(stacks_, stack_offset(i) + at(offsetof(NumberStack, top)));
  cc_.bind(again);
  cc_.mov(top, top_place);
  cc_.cmp(top, x86::qword_ptr(stacks_, stack_offset(i) + at(offsetof(NumberStack, end))));
  cc_.je(full);
  check_stack(i, top);
  write_word(x86::ptr(top), i.operands[0]);
  cc_.add(top, 8);
  cc_.mov(top_place, top);
  e_.out_of_the_way([&] {
    cc_.bind(full);
    calls_.seldom_step(i.index);
    cc_.jmp(again);
  });
}

void MemoryEmitter::pop(const Instruction& i) {
  x86::Gp top = r_.word();
  const x86::Mem top_place = x86::qword_ptr(stacks_, stack_offset(i) + at(offsetof(NumberStack, top)));
  cc_.mov(top, top_place);
  cc_.sub(top, 8);
  cc_.mov(top_place, top);
  check_stack(i, top);
  read(i.to, x86::ptr(top));
}

void MemoryEmitter::check_stack(const Instruction& i, const x86::Gp& word) {
  if (!e_.checked()) return;
  x86::Gp stack = r_.word();
  cc_.lea(stack, x86::ptr(stacks_, stack_offset(i)));
  e_.check(Helper::check_stack, stack, word, imm(0));
}

// --- headers and indices ---

// Of the tensor or list in a slot.
x86::Gp MemoryEmitter::header(SlotId slot) {
  x86::Gp header = r_.word();
  cc_.mov(header, x86::qword_ptr(slots_, slot_offset(slot) + 8));
  return header;
}

// An index, from the front, of what has `extent` places: a register or a word in memory.
x86::Gp MemoryEmitter::index(Register r, const asmjit::Operand_& extent, const Label& out_of_range) {
  x86::Gp index = r_.word();
  Label back = cc_.newLabel(), outside = cc_.newLabel();
  cc_.emit(Inst::kIdMov, index, r_.integer_operand(r));
  cc_.emit(Inst::kIdCmp, index, extent);
  cc_.jae(outside);
  cc_.bind(back);
  e_.out_of_the_way([&] {
    cc_.bind(outside);
    cc_.emit(Inst::kIdAdd, index, extent);
    cc_.emit(Inst::kIdCmp, index, extent);
    cc_.jae(out_of_range);
    cc_.jmp(back);
  });
  return index;
}

// Where an element lies. `otherwise`: an index is out of range, or the element is to be set and may not be.
x86::Mem MemoryEmitter::place(const Instruction& i, Dtype dtype, const Label& otherwise) {
  if (i.view != Instruction::no_view) return place_in_view(i, dtype, otherwise);
  const x86::Gp header = this->header(i.slot);
  if (i.kind == Instruction::Kind::set_element) check_exclusive(header, otherwise);
  x86::Gp sum, data = r_.word();
  const size_t rank = i.indices.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    const x86::Mem extent = x86::qword_ptr(header, at(TensorLayout::dims + 8 * axis));
    x86::Gp term = index(i.indices[axis], extent, otherwise);
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

x86::Mem MemoryEmitter::place_in_view(const Instruction& i, Dtype dtype, const Label& otherwise) {
  const Seen& seen = seen_[i.view];
  const size_t leading = views_[i.view].leading.size();
  x86::Gp sum;
  for (size_t axis = 0; axis < seen.extents.size(); ++axis) {
    const bool sets = axis == 0 && i.kind == Instruction::Kind::set_element;
    x86::Gp term = index(i.indices[leading + axis], sets ? seen.writable : seen.extents[axis], otherwise);
    cc_.imul(term, seen.strides[axis]);
    if (axis == 0)
      sum = term;
    else
      cc_.add(sum, term);
  }
  check_place(i, seen, sum, dtype);
  if (keeps_place_) cc_.mov(kept_place_, sum);
  return x86::ptr(seen.data, sum, shift_of(dtype));
}

// Of an element that has just been read.
x86::Mem MemoryEmitter::kept_place(const Instruction& i, Dtype dtype, const Label& otherwise) {
  const Seen& seen = seen_[i.view];
  cc_.test(seen.writable, seen.writable);
  cc_.jz(otherwise);
  check_place(i, seen, kept_place_, dtype);
  return x86::ptr(seen.data, kept_place_, shift_of(dtype));
}

void MemoryEmitter::check_place(const Instruction& i, const Seen& seen, const x86::Gp& sum, Dtype dtype) {
  if (!e_.checked()) return;
  const x86::Gp header = this->header(i.slot);
  x86::Gp place = r_.word();  // from the tensor's first element
  cc_.mov(place, seen.data);
  cc_.sub(place, x86::qword_ptr(header, at(TensorLayout::data)));
  cc_.sar(place, shift_of(dtype));
  cc_.add(place, sum);
  e_.check(Helper::check_element, header, place, imm(size_of(dtype)));
}

// --- views ---

void MemoryEmitter::look_up(uint32_t view) {
  if (seen_[view].extents.empty()) seen_[view] = make_seen(view);
  see(view);
  open_.push_back({view, loops_ + 1});
}

void MemoryEmitter::leave_loop() {
  std::erase_if(open_, [&](const Open& open) { return open.loops == loops_; });
  --loops_;
}

// After a step that may have put the tensor in the slot elsewhere.
void MemoryEmitter::refresh(SlotId slot) {
  for (const Open& open : open_) {
    if (views_[open.view].slot == slot) see(open.view);
  }
}

// A part has its parent's strides, and its extents but the first, which may become 0.
MemoryEmitter::Seen MemoryEmitter::make_seen(uint32_t view) {
  const loops::View& looked_at = views_[view];
  const bool part = looked_at.parent != Instruction::no_view;
  const size_t leading = looked_at.leading.size();
  Seen seen{cc_.newIntPtr(), cc_.newInt64(), {}, {}};
  for (unsigned axis = 0; axis < looked_at.rank; ++axis) {
    const Seen* const parent = part ? &seen_[looked_at.parent] : nullptr;
    seen.extents.push_back(part && axis > 0 ? parent->extents[leading + axis] : cc_.newInt64());
    seen.strides.push_back(part ? parent->strides[leading + axis] : cc_.newInt64());
  }
  return seen;
}

void MemoryEmitter::see(uint32_t view) {
  if (views_[view].parent == Instruction::no_view)
    see_tensor(view);
  else
    see_part(view);
}

void MemoryEmitter::see_tensor(uint32_t view) {
  const loops::View& looked_at = views_[view];
  const Seen& seen = seen_[view];
  Label none = cc_.newLabel(), shared = cc_.newLabel(), done = cc_.newLabel();
  cc_.cmp(x86::byte_ptr(slots_, slot_offset(looked_at.slot)), static_cast<int>(Tag::object));
  cc_.jne(none);
  const x86::Gp header = this->header(looked_at.slot);
  cc_.mov(seen.data, x86::qword_ptr(header, at(TensorLayout::data)));
  for (unsigned axis = 0; axis < looked_at.rank; ++axis) {
    cc_.mov(seen.extents[axis], x86::qword_ptr(header, at(TensorLayout::dims + 8 * axis)));
    cc_.mov(seen.strides[axis], x86::qword_ptr(header, at(TensorLayout::dims + 8 * (looked_at.rank + axis))));
  }
  if (looked_at.written) {
    check_exclusive(header, shared);
    cc_.mov(seen.writable, seen.extents[0]);
  }
  cc_.bind(done);
  e_.out_of_the_way([&] {
    cc_.bind(none);
    cc_.mov(seen.data, 0);
    for (const x86::Gp& extent : seen.extents) cc_.mov(extent, 0);
    for (const x86::Gp& stride : seen.strides) cc_.mov(stride, 0);
    cc_.bind(shared);
    if (looked_at.written) cc_.mov(seen.writable, 0);
    cc_.jmp(done);
  });
}

void MemoryEmitter::see_part(uint32_t view) {
  const loops::View& looked_at = views_[view];
  const Seen &seen = seen_[view], &parent = seen_[looked_at.parent];
  const size_t leading = looked_at.leading.size();
  Label none = cc_.newLabel(), done = cc_.newLabel();
  x86::Gp sum;
  for (size_t axis = 0; axis < leading; ++axis) {
    x86::Gp term = index(looked_at.leading[axis], parent.extents[axis], none);
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
  e_.out_of_the_way([&] {
    cc_.bind(none);
    cc_.mov(seen.data, 0);
    cc_.mov(seen.extents[0], 0);
    if (looked_at.written) cc_.mov(seen.writable, 0);
    cc_.jmp(done);
  });
}

// --- elements ---

void MemoryEmitter::extent(const Instruction& i) {
  read(i.to, x86::ptr(header(i.slot), at(TensorLayout::dims + 8 * i.index)));
}

// An index_add reads and sets an element, with nothing but arithmetic between: then its place is kept.
void MemoryEmitter::element(const Instruction& i, std::span<const Instruction> next) {
  const auto adds = std::ranges::find_if(next, [](const Instruction& each) {
    return each.kind != Instruction::Kind::scalar && each.kind != Instruction::Kind::constant;
  });
  keeps_place_ = i.view != Instruction::no_view && adds != next.end() && adds->kind == Instruction::Kind::set_element &&
                 adds->view == i.view && adds->index == i.index && adds->indices == i.indices;
  if (keeps_place_ && !kept_place_.isValid()) kept_place_ = cc_.newInt64();
  Label out_of_range = cc_.newLabel();
  read(i.to, place(i, r_.dtype(i.to), out_of_range));
  e_.out_of_the_way([&] {
    cc_.bind(out_of_range);
    save(i);
    calls_.raise(i.index);
  });
}

void MemoryEmitter::set_element(const Instruction& i) {
  Label slow = cc_.newLabel(), done = cc_.newLabel();
  const Dtype dtype = r_.dtype(i.operands[0]);
  write(keeps_place_ ? kept_place(i, dtype, slow) : place(i, dtype, slow), i.operands[0]);
  keeps_place_ = false;
  cc_.bind(done);
  e_.out_of_the_way([&] {
    cc_.bind(slow);
    save(i);
    calls_.seldom_step(i.index);
    if (i.view != Instruction::no_view) refresh(i.slot);
    cc_.jmp(done);
  });
}

// Tensor::exclusive(); whether a tensor with gaps overlaps itself is left to the step.
void MemoryEmitter::check_exclusive(const x86::Gp& header, const Label& shared) {
  Label own = cc_.newLabel();
  x86::Gp storage = r_.word();
  cc_.cmp(x86::dword_ptr(header, at(TensorLayout::references)), 1);
  cc_.jne(shared);
  cc_.mov(storage, x86::qword_ptr(header, at(TensorLayout::storage)));
  cc_.test(storage, storage);
  cc_.jz(own);
  cc_.cmp(x86::dword_ptr(storage, at(TensorLayout::storage_references)), 1);
  cc_.jne(shared);
  cc_.cmp(x86::byte_ptr(storage, at(TensorLayout::storage_read_only)), 0);
  cc_.jne(shared);
  cc_.cmp(x86::byte_ptr(header, at(TensorLayout::contiguous)), 0);
  cc_.je(shared);
  cc_.bind(own);
}

// --- lists of numbers ---

void MemoryEmitter::length_of_list(const x86::Gp& list, const x86::Gp& length) {
  static_assert(sizeof(Value) == 16);
  cc_.mov(length, x86::qword_ptr(list, at(List::Layout::end)));
  cc_.sub(length, x86::qword_ptr(list, at(List::Layout::begin)));
  cc_.sar(length, 4);
}

void MemoryEmitter::list_length(const Instruction& i) { length_of_list(header(i.slot), r_.home(i.to).as<x86::Gp>()); }

// An item's number.
x86::Mem MemoryEmitter::item(const Instruction& i, const x86::Gp& list, const Label& out_of_range) {
  x86::Gp length = r_.word(), begin = r_.word();
  length_of_list(list, length);
  x86::Gp place = index(i.indices[0], length, out_of_range);
  e_.check(Helper::check_item, list, place, imm(0));
  cc_.shl(place, 4);
  cc_.mov(begin, x86::qword_ptr(list, at(List::Layout::begin)));
  return x86::ptr(begin, place, 0, 8);
}

void MemoryEmitter::list_item(const Instruction& i) {
  Label out_of_range = cc_.newLabel();
  read(i.to, item(i, header(i.slot), out_of_range));
  e_.out_of_the_way([&] {
    cc_.bind(out_of_range);
    calls_.raise(i.index);
  });
}

void MemoryEmitter::list_set(const Instruction& i) {
  Label slow = cc_.newLabel(), done = cc_.newLabel();
  const x86::Gp list = header(i.slot);
  cc_.cmp(x86::dword_ptr(list, at(List::Layout::references)), 1);
  cc_.jne(slow);
  write_word(item(i, list, slow), i.operands[0]);
  cc_.bind(done);
  e_.out_of_the_way([&] {
    cc_.bind(slow);
    calls_.seldom_step(i.index);
    cc_.jmp(done);
  });
}

void MemoryEmitter::list_push(const Instruction& i) {
  Label again = cc_.newLabel(), slow = cc_.newLabel();
  cc_.bind(again);
  const x86::Gp list = header(i.slot);
  x86::Gp end = r_.word();
  cc_.cmp(x86::dword_ptr(list, at(List::Layout::references)), 1);
  cc_.jne(slow);
  cc_.mov(end, x86::qword_ptr(list, at(List::Layout::end)));
  cc_.cmp(end, x86::qword_ptr(list, at(List::Layout::room)));
  cc_.je(slow);
  e_.check(Helper::check_room, list, imm(0), imm(0));
  cc_.mov(x86::byte_ptr(end), static_cast<int>(tag_of(r_.dtype(i.operands[0]))));
  write_word(x86::ptr(end, 8), i.operands[0]);
  cc_.add(end, 16);
  cc_.mov(x86::qword_ptr(list, at(List::Layout::end)), end);
  e_.out_of_the_way([&] {
    cc_.bind(slow);
    calls_.seldom_step(i.index);
    cc_.jmp(again);
  });
}

}  // namespace covec::simd
