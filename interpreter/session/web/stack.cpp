// The engine of a browser does not tell of its own stack. Only the part in memory has addresses: what has its address
// taken lies there. Whoever makes the session says how many bytes of it a program may use (interpreter/web).
#include "interpreter/session/stack.hpp"

#include <cstdint>

#include "interpreter/session/web/stack_size.hpp"

namespace covec {

namespace {

struct Bounds {
  const char* highest = nullptr;
  size_t size = SIZE_MAX;
};

Bounds& bounds() {
  static Bounds known;
  return known;
}

// Bytes that are left for an operator that the deepest call applies, and for the error that says so.
constexpr size_t reserve = size_t{64} << 10;

const char* lowest() { return bounds().highest - bounds().size; }

}  // namespace

void set_stack_size(size_t bytes) { bounds() = {static_cast<const char*>(__builtin_frame_address(0)), bytes}; }

int run_on_big_stack(FunctionRef<int()> body) { return body(); }

const char* stack_floor() {
  const Bounds& stack = bounds();
  return stack.highest == nullptr ? nullptr : lowest() + (stack.size > 2 * reserve ? reserve : stack.size / 2);
}

size_t stack_left() {
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  if (bounds().highest == nullptr) return SIZE_MAX;
  return here < lowest() ? 0 : static_cast<size_t>(here - lowest());
}

}  // namespace covec
