#include "jit/compiler/tiering.hpp"

#include <algorithm>

#include "stdlib/value/walk.hpp"

namespace covec::jit {

namespace {

// Adds up values as it goes through them.
struct SizesOfLeaves {
  static constexpr uint64_t of_item = 8, bytes_in_ns = 32;  // ns of an item of a list
  Sizes sizes;
  bool generic() const { return true; }
  bool leaf(const Value& value) {
    if (value.is_tensor()) {
      const int64_t size = value.tensor().size();
      sizes.elements += size;
      sizes.largest = std::max(sizes.largest, size);
      sizes.copying += static_cast<uint64_t>(size) * size_of(value.tensor().dtype()) / bytes_in_ns;
    } else if (value.is(ObjectKind::list)) {
      sizes.elements += static_cast<int64_t>(value.list().size());
      sizes.copying += of_item * value.list().size();
    } else {
      ++sizes.elements;
    }
    return true;
  }
  bool whole(const Value&) { return true; }
  bool parts(const Value&, size_t) { return true; }
};

}  // namespace

Sizes sizes_of(std::span<const Value> args) {
  constexpr uint64_t worth = 1000;  // ns to speak of
  SizesOfLeaves all;
  for (const Value& arg : args) walk(arg, all);
  if (all.sizes.copying < worth) all.sizes.copying = 0;
  return all.sizes;
}

// Whether calls may go to the interpreter without a look.
bool Tiering::may_skip_checks(const Compiled& compiled) {
  return compiled.function().function().callable_kind == CallableKind::closure && !compiled.request().strict;
}

// Where the interpreter makes call after call, most go without a look at what goes in.
void Tiering::skip_checks(Compiled& compiled, LastCalls& last, uint64_t look, uint64_t call, uint64_t most) {
  if (!may_skip_checks(compiled) || last.by_interpreter < patience || compiled.body != nullptr) return;
  const uint64_t calls = dispatcher_.calls_without_checks(look, call, most);
  if (calls == 0) return;
  compiled.set_tier(compiled.function().function(), static_cast<unsigned>(calls));
  last.stands_for = calls + 1;
}

}  // namespace covec::jit
