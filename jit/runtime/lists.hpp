// Steps on lists of tensors, without the operator's call. Where there is an error to raise they do nothing and say so:
// the operator raises it. Start at list_item().
#pragma once

#include "jit/runtime/slots.hpp"

namespace covec::runtime {

// Room for one more item in a list that nobody else has.
void make_room(Value& list);
void list_push(const loops::Step& step, Slots& slots);
// False: there is no such item.
bool list_item(const loops::Step& step, Slots& slots);
bool list_set(const loops::Step& step, Slots& slots);

}  // namespace covec::runtime
