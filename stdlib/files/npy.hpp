// One tensor as NumPy's .npy: a header that is a Python dict, then the elements. It reads versions 1, 2 and 3. It
// writes version 1, byte for byte as numpy.save does.
#pragma once

#include <string>

#include "stdlib/files/elements.hpp"
#include "stdlib/files/file.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

Value read_npy(Pool& pool, Source& source);
Value read_npy_rows(const File& file, RowRange rows);  // reads no other elements; column-major files have no such rows
void write_npy(Sink& sink, Pool& pool, const Value& tensor);
uint64_t npy_bytes(const Value& tensor);  // that write_npy writes

// A tensor that is written by blocks of rows: the header of all of them, then the elements of each block.
std::string npy_header(const Value& rows, int64_t all_rows);
void write_npy_elements(Sink& sink, Pool& pool, const Value& rows);
uint64_t npy_element_bytes(const Value& rows);

}  // namespace covec::files
