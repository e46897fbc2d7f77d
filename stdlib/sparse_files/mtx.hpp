// Sparse matrices in Matrix Market files (Boisvert, Pozo and Remington, "The Matrix Market exchange formats", 1996):
// coordinates with real or integer numbers or none, general, symmetric or skew-symmetric. An error names its line.
// Numbers that the file announces are compared with its size before anything is allocated for them.
#pragma once

#include "stdlib/files/file.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

// Element k is data[k] at row rows[k] and column columns[k], both from 0. Mirror images follow the elements of the
// file.
struct Coordinates {
  Value rows, columns;  // i64
  Value data;           // f64
  int64_t height, width;
};
Coordinates read_mtx(const File& file);

// i64, i64 and f32 or f64, row-major, of one length; numbers in the shortest form that reads back the same.
void write_mtx(Sink& to, const Coordinates& matrix);

}  // namespace covec::files
