// Emits bounds checks for checked code (PipelineOptions::check). Before each access to a computed address, the code
// checks that the address lies inside its object. An address outside is a defect of the compiler, never the program's.
// It ends the process with a line that says which access it was. For tests and fuzzers.
#pragma once

#include <cstdint>

namespace covec::simd {

using CheckFunction = void (*)(const void* whose, int64_t place, int64_t extent) noexcept;

// `whose` is a Tensor, `place` counts its elements from the first, which are of `extent` bytes.
void check_element(const void* whose, int64_t place, int64_t extent) noexcept;
// `whose` is a List that has an item at `place`.
void check_item(const void* whose, int64_t place, int64_t extent) noexcept;
// `whose` is a List that has room for one more behind its last.
void check_room(const void* whose, int64_t place, int64_t extent) noexcept;
// `whose` is a loops::NumberStack, `place` the address of one of its words.
void check_stack(const void* whose, int64_t place, int64_t extent) noexcept;
// `place` is one of a buffer of ops::DrawnAhead.
void check_drawn(const void* whose, int64_t place, int64_t extent) noexcept;
// A kernel over `extent` elements is about to read and write those from `place` on; `whose` is how many.
void check_lanes(const void* whose, int64_t place, int64_t extent) noexcept;

}  // namespace covec::simd
