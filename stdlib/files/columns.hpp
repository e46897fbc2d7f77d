// Columns of a table whose type is found while their cells are read: numbers, bools, texts and dates, with missing
// cells. A column becomes a tensor, a list of strings or a record {seconds} of dates. In a list each distinct string is
// stored once, and a missing cell is none. A missing number or date is nan, so integers and bools with one become f64.
// Start reading at GrowingColumn.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stdlib/value/dtype.hpp"
#include "stdlib/value/memory.hpp"
#include "stdlib/value/value.hpp"

namespace covec {
class Pool;
namespace ops {
struct Context;
}
}  // namespace covec

namespace covec::files {

enum class ColumnKind : uint8_t { unknown, boolean, integer, real, date, text };

// Items that the session's memory limit counts.
template <class T>
class Growing {
 public:
  void push(T item) {
    if (items_.size() == items_.capacity()) [[unlikely]]
      grow();
    items_.push_back(std::move(item));
  }
  size_t size() const { return items_.size(); }
  const std::vector<T>& items() const { return items_; }
  std::vector<T> take() {
    charge_.change(0);
    return std::move(items_);
  }

 private:
  void grow() {
    const size_t wanted = items_.empty() ? 4 : 2 * items_.size();
    charge_.change(wanted * sizeof(T));
    items_.reserve(wanted);
  }
  std::vector<T> items_;
  MemoryCharge charge_{0};
};

class GrowingColumn {
 public:
  explicit GrowingColumn(ColumnKind kind = ColumnKind::unknown) : kind_(kind) {}
  ColumnKind kind() const { return kind_; }
  size_t size() const { return size_; }

  void restart(ColumnKind kind);  // without cells

  void add_missing();
  // False where the cells before are of another kind: the column is as it was. An integer fits among reals, and reals
  // make integers reals.
  bool add(bool cell);
  bool add(int64_t cell);
  bool add(double cell);
  bool add_date(double seconds);
  bool add(std::string_view cell);
  // Cells so far as texts, as a program would write them; where they are texts or unknown, nothing changes.
  void become_text();
  void become_real();
  void become_dates();  // texts that are dates throughout

  // The first cell that was an integer which f64 does not hold, where the column is or was of reals; -1: there is none.
  int64_t long_integer() const { return kind_ == ColumnKind::real || was_real_ ? long_integer_ : -1; }
  bool long_integer_seen() const { return long_integer_ >= 0; }
  void note_long_integer();  // the cell that is added next

  Value finish(Pool& pool);

 private:
  bool become(ColumnKind kind);
  Value text(std::string_view cell);

  ColumnKind kind_;
  size_t size_ = 0;
  int64_t long_integer_ = -1;
  bool was_real_ = false;      // before it became text
  Growing<int64_t> integers_;  // and bools
  Growing<double> reals_;      // and dates
  Growing<Value> texts_;
  std::unordered_map<std::string_view, Value> known_;
  MemoryCharge charge_{0};  // of what is known
};

// Whether the nearest number of a float type is another one.
bool is_long_integer(int64_t number, Dtype dtype = Dtype::f64);
bool is_long_integer(std::string_view digits, double read);  // `read`: the digits as f64
// Warns, each text once in a session, that integers were not kept: `where` names file, place and column.
void warn_of_long_integer(ops::Context& context, const std::string& where, Dtype dtype = Dtype::f64);

// A record of columns. Names that are there already, and empty ones, become others: x, x_2; column_3.
std::vector<std::string> distinct_names(std::vector<std::string> names);
Value date_column(Value seconds);
const Value* seconds_of_dates(const Value& column);  // nullptr: it holds no dates
bool is_text_column(const Value& value);
// What a column is called: "f64", "text", "date"; empty for what is no column.
std::string kind_of_column(const Value& value);
int64_t length_of_column(const Value& column);
int64_t rows_of(const Value& table);  // 0 where there are no columns

}  // namespace covec::files
