// Tables of numbers as text: fields with a separator between them, a line for each row, names in the first line or not.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stdlib/files/atomic.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

enum class CsvHeader : uint8_t { none, skipped, names };

using CsvColumn = std::variant<std::string, int64_t>;  // its name, or its number from 0, from the end when negative

struct CsvReading {
  CsvHeader header = CsvHeader::none;
  std::optional<std::vector<CsvColumn>> columns;  // only these, in this order; what others hold is not looked at
  std::optional<double> missing;                  // what stands for a field without a number; nothing: that is an error
  char separator = ',';
};

// f64[rows, columns]; with names a record of columns, f64[rows] each.
Value read_csv(const File& file, const CsvReading& how);

struct CsvWriting {
  std::vector<std::string> names;  // of the columns; none: no header
  int digits = 0;                  // significant ones; 0: the fewest that read back as the same number
  char separator = ',';
};

// The columns of a table that is to be written: all of one length, contiguous or not.
struct CsvTable {
  std::vector<Value> tensors;  // vectors, or one matrix
  int64_t rows = 0, columns = 0;
};

void write_csv(AtomicFile& file, Pool& pool, const CsvTable& table, const CsvWriting& how);

}  // namespace covec::files
