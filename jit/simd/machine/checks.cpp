#include "jit/simd/machine/checks.hpp"

#include <cstdio>
#include <cstdlib>

#include "jit/loops/program.hpp"
#include "stdlib/ops/random/ahead.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::simd {

namespace {

[[noreturn]] void outside(const char* what, int64_t place, int64_t extent) noexcept {
  std::fprintf(stderr, "covec: generated code leaves %s: place %lld, extent %lld\n", what,
               static_cast<long long>(place), static_cast<long long>(extent));
  std::abort();
}

}  // namespace

void check_element(const void* whose, int64_t place, int64_t extent) noexcept {
  const auto& tensor = *static_cast<const Tensor*>(static_cast<const Object*>(whose));
  const std::span<const std::byte> memory = tensor.memory();
  const std::byte* at = tensor.data() + place * extent;
  if (at < memory.data() || at + extent > memory.data() + memory.size()) outside("a tensor", place, tensor.size());
}

void check_item(const void* whose, int64_t place, int64_t) noexcept {
  const auto& list = *static_cast<const List*>(static_cast<const Object*>(whose));
  const auto size = static_cast<int64_t>(list.size());
  if (place < 0 || place >= size) outside("a list", place, size);
}

void check_room(const void* whose, int64_t, int64_t) noexcept {
  const auto& list = *static_cast<const List*>(static_cast<const Object*>(whose));
  const auto size = static_cast<int64_t>(list.size());
  if (list.is_full()) outside("a list's room", size, size);
}

void check_stack(const void* whose, int64_t place, int64_t) noexcept {
  const auto& stack = *static_cast<const loops::NumberStack*>(whose);
  const auto* at = reinterpret_cast<const uint64_t*>(place);
  if (at < stack.base || at >= stack.end) outside("a stack of numbers", at - stack.base, stack.end - stack.base);
}

void check_drawn(const void*, int64_t place, int64_t) noexcept {
  constexpr auto most = static_cast<int64_t>(ops::DrawnAhead::most);
  if (place < 0 || place >= most) outside("a buffer of random numbers", place, most);
}

void check_lanes(const void* whose, int64_t place, int64_t extent) noexcept {
  const auto lanes = reinterpret_cast<intptr_t>(whose);
  if (place < 0 || place + lanes > extent) outside("the elements of a kernel", place + lanes - 1, extent);
}

}  // namespace covec::simd
