// How numbers lie in files, and how they become tensors and back. What the language has no dtype for is read as the
// smallest that holds it exactly: integers of 8 and 16 bits as i32, u32 and u64 as i64 (a u64 past it is an error).
#pragma once

#include "stdlib/files/file.hpp"
#include "stdlib/value/dtype.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

enum class Stored : uint8_t { boolean, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

size_t size_of(Stored stored);
Dtype dtype_of(Stored stored);

// Bytes of so many elements, or false where that is past 2^63.
bool bytes_of(Stored stored, const Shape& shape, uint64_t& bytes);

// The next elements of `source`, row-major; `swapped`: the bytes of each stand in big-endian order.
Value read_elements(Pool& pool, Source& source, Stored stored, bool swapped, const Shape& shape);
// A tensor's elements, row-major, little-endian; every NaN as the one that the language has. `as` is its own dtype, or
// f32 for halves in formats that lack them.
void write_elements(Sink& sink, Pool& pool, const Value& tensor, Dtype as);
uint64_t written_bytes(const Value& tensor, Dtype as);

}  // namespace covec::files
