// Converts numbers between their form in files and tensors. A type that is not a dtype of the language is read as the
// smallest dtype that holds it exactly. For u64 that is i64, and a larger number is an error. Complex numbers are
// stored in files as their real and imaginary part, one after the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stdlib/files/file.hpp"
#include "stdlib/value/dtype.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

enum class StoredForm : uint8_t { plain, u64, complex };
struct Stored {
  Dtype dtype;  // of what is read, or of its parts
  StoredForm form = StoredForm::plain;
  bool operator==(const Stored&) const = default;
};
Stored stored_of(const Value& tensor);  // a tensor, a number or a complex one

size_t size_of(Stored stored);
// By the formats' names; those of .npy without the order of bytes. Nothing where the language has no such numbers.
std::optional<Stored> stored_of_npy(std::string_view code);
std::optional<Stored> stored_of_safetensors(std::string_view code);
// With the order of bytes; empty where the format has no such numbers.
std::string_view npy_name(Stored stored);
std::string_view safetensors_name(Stored stored);

// Bytes of so many elements, or false where that is past 2^63.
bool bytes_of(Stored stored, const Shape& shape, uint64_t& bytes);

// Rows of a tensor: the part [begin, end) of its first axis. In row-major order their elements are adjacent, so that
// they can be read without the others.
struct RowRange {
  int64_t begin = 0, end = 0;
};
struct RowBytes {
  uint64_t offset = 0, size = 0;  // in the elements of the tensor
  Shape shape;                    // of the rows
};
// `name`: "the tensor 'w'", for errors; `shape` and `bytes` are those of the whole.
RowBytes bytes_of_rows(const File& file, const std::string& name, const Shape& shape, uint64_t bytes, RowRange rows);

// The next elements of `source`, row-major; `swapped`: the bytes of each stand in big-endian order.
Value read_elements(Pool& pool, Source& source, Stored stored, bool swapped, const Shape& shape);
// A tensor's elements, row-major, little-endian; every NaN as the one that the language has. `as` is what the tensor
// is, or f32 for f16 and bf16 in formats that lack them.
void write_elements(Sink& sink, Pool& pool, const Value& tensor, Stored as);
uint64_t written_bytes(const Value& tensor, Stored as);

}  // namespace covec::files
