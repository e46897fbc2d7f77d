#include "jit/simd/machine/list_emitter.hpp"

#include "jit/simd/machine/access.hpp"
#include "stdlib/value/list_layout.hpp"

namespace covec::simd {

namespace instruction = loops::instruction;

static_assert(sizeof(Value) == 16);  // an item

void ListEmitter::load_length(const x86::Gp& list, const x86::Gp& length) {
  cc_.mov(length, x86::qword_ptr(list, at(List::Layout::end)));
  cc_.sub(length, x86::qword_ptr(list, at(List::Layout::begin)));
  cc_.sar(length, 4);
}

void ListEmitter::length(const instruction::ListLength& i) {
  load_length(slots_.header(i.slot), r_.machine_register(i.to).as<x86::Gp>());
}

// An item's number.
x86::Mem ListEmitter::item(const x86::Gp& list, loops::Register index, const Label& out_of_range) {
  x86::Gp length = r_.word(), begin = r_.word();
  load_length(list, length);
  x86::Gp place = index_in_bounds(e_, r_, index, length, out_of_range);
  e_.check(Helper::check_item, list, place, imm(0));
  cc_.shl(place, 4);
  cc_.mov(begin, x86::qword_ptr(list, at(List::Layout::begin)));
  return x86::ptr(begin, place, 0, 8);
}

void ListEmitter::load(const instruction::ListItem& i) {
  Label out_of_range = cc_.newLabel();
  memory_.load(i.to, item(slots_.header(i.slot), i.index, out_of_range));
  e_.out_of_line([&] {
    cc_.bind(out_of_range);
    calls_.raise(i.step);
  });
}

void ListEmitter::store(const instruction::ListSet& i) {
  Label slow = cc_.newLabel(), done = cc_.newLabel();
  const x86::Gp list = slots_.header(i.slot);
  cc_.cmp(x86::dword_ptr(list, at(List::Layout::references)), 1);
  cc_.jne(slow);
  memory_.store_word(item(list, i.index, slow), i.from);
  cc_.bind(done);
  e_.out_of_line([&] {
    cc_.bind(slow);
    calls_.cold_step(i.step);
    cc_.jmp(done);
  });
}

void ListEmitter::push(const instruction::ListPush& i) {
  Label again = cc_.newLabel(), slow = cc_.newLabel();
  cc_.bind(again);
  const x86::Gp list = slots_.header(i.slot);
  x86::Gp end = r_.word();
  cc_.cmp(x86::dword_ptr(list, at(List::Layout::references)), 1);
  cc_.jne(slow);
  cc_.mov(end, x86::qword_ptr(list, at(List::Layout::end)));
  cc_.cmp(end, x86::qword_ptr(list, at(List::Layout::room)));
  cc_.je(slow);
  e_.check(Helper::check_room, list, imm(0), imm(0));
  cc_.mov(x86::byte_ptr(end), static_cast<int>(tag_of(r_.dtype(i.from))));
  memory_.store_word(x86::ptr(end, 8), i.from);
  cc_.add(end, 16);
  cc_.mov(x86::qword_ptr(list, at(List::Layout::end)), end);
  e_.out_of_line([&] {
    cc_.bind(slow);
    calls_.cold_step(i.step);
    cc_.jmp(again);
  });
}

}  // namespace covec::simd
