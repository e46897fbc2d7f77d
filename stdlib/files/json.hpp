// Tables as JSON: an array of objects, one for each row, or an object of arrays, one for each column. Reading also
// accepts one object per line.
#pragma once

#include "stdlib/files/atomic.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

// A record of columns (columns.hpp). A key that a row does not have, and null, is missing.
Value read_json_columns(const File& file);
// A record of columns of one length; what is missing, and a number that JSON does not have, is null.
void write_json_columns(AtomicFile& file, const Value& table, bool rows);

}  // namespace covec::files
