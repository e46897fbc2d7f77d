// Tables of numbers as text: one row per line, fields with a separator between them, names in the first line or not.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "stdlib/files/atomic.hpp"
#include "stdlib/files/columns.hpp"
#include "stdlib/files/csv_rows.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

enum class CsvHeader : uint8_t { none, skipped, names };

using CsvColumn = std::variant<std::string, int64_t>;  // its name, or its number from 0, from the end when negative

struct CsvKind {
  ColumnKind kind = ColumnKind::unknown;
  std::string format;  // of dates; empty: ISO 8601
};

// The i-th of n parts: the lines that begin in the i-th of n equal ranges of the file's bytes.
struct CsvPart {
  int64_t i = 0, n = 1;
};

struct CsvReading {
  CsvHeader header = CsvHeader::none;
  std::optional<std::vector<CsvColumn>> columns;  // only these, in this order; what others hold is not looked at
  std::optional<double> missing;                  // what stands for a field without a number; nothing: that is an error
  char separator = ',';
  std::optional<CsvPart> part;  // nothing: all
};

// f64[rows, columns]; with names a record of columns, f64[rows] each.
Value read_csv(const File& file, const CsvReading& how);

// Rows of another length than the first: an error; filled up with missing cells where they are shorter, else an error;
// or left out.
enum class CsvRagged : uint8_t { error, pad, skip };

struct CsvColumnsReading {
  bool names = true;                                          // the first row has them
  std::optional<std::vector<CsvColumn>> columns;              // only these, in this order
  std::map<std::string, CsvKind> kinds;                       // of columns by name; others show theirs
  std::optional<std::set<std::string, std::less<>>> missing;  // what stands for nothing; nullopt: as in read_csv
  std::optional<CsvSeparator> separator;                      // nullopt: what the first row has of , ; tab and |
  char decimal = '.';
  char comment = '\0';  // at the beginning of lines that are skipped; '\0': there are none
  int64_t skip = 0;     // lines before the table
  int64_t limit = -1;   // rows; -1: all
  char quote = '"', escape = '\0';
  bool lenient = false;
  CsvRagged ragged = CsvRagged::error;
  TextEncoding encoding = TextEncoding::utf8;
};

// A record of columns (columns.hpp): each an i64, f64 or bool vector, a list of strings, or dates.
Value read_csv_columns(const File& file, const CsvColumnsReading& how);
// A record of the options that read a file, as its first rows look.
Value sniff_csv(const File& file);

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
// A record of columns (columns.hpp) of one length; what is missing is an empty field.
void write_csv_columns(AtomicFile& file, const Value& table, const CsvWriting& how);

}  // namespace covec::files
