// Writes a Raw into a slot: a number over a number does not touch reference counts.
#pragma once

#include "interpreter/eval/values/raw.hpp"

namespace covec {

inline void store(Value& slot, Raw raw) noexcept {
  if (slot.is_object()) {
    const Value old(std::move(slot));  // let go only after the slot holds its new value
    std::memcpy(static_cast<void*>(&slot), &raw, sizeof raw);
  } else {
    std::memcpy(static_cast<void*>(&slot), &raw, sizeof raw);
  }
}

// Where the slot is known to hold a number.
inline void store_number(Value& slot, Raw raw) noexcept { std::memcpy(static_cast<void*>(&slot), &raw, sizeof raw); }

}  // namespace covec
