#include "stdlib/tensor/sparse_text.hpp"

#include <algorithm>
#include <vector>

#include "stdlib/tensor/sparse_record.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

namespace {

constexpr int64_t corner = 8;  // rows and columns that are shown
constexpr const char *absent = ".", *more = "...";

const Value& plain_part(const Value& value) {
  const Value* v = &value;
  while (v->is_traced()) v = &v->traced().primal;
  return *v;
}

bool is_vector(const Value& value) { return value.is_tensor() && value.tensor().rank() == 1; }

// A program may have put anything into the tensors: entries outside of them are left out.
class Corner {
 public:
  explicit Corner(const SparseRecord& matrix)
      : data_(plain_part(matrix.data)),
        indices_(plain_part(matrix.indices)),
        indptr_(plain_part(matrix.indptr)),
        rows_(plain_part(matrix.rows).integer()),
        columns_(plain_part(matrix.columns).integer()) {}

  // The texts of the corner, row by row, all of a column equally wide.
  std::vector<std::vector<std::string>> cells(const std::function<std::string(const Value&)>& number_text) const {
    const auto height = static_cast<size_t>(std::clamp<int64_t>(rows_, 0, corner));
    const auto width = static_cast<size_t>(std::clamp<int64_t>(columns_, 0, corner));
    std::vector<std::vector<std::string>> cells(height, std::vector<std::string>(width, absent));
    for (size_t row = 0; row < height; ++row) {
      for (int64_t p = start(row), end = start(row + 1); p < end && column(p) < corner; ++p) {
        if (column(p) >= 0 && column(p) < columns_)
          cells[row][static_cast<size_t>(column(p))] = number_text(item_of(data_, p));
      }
    }
    align(cells, width);
    return cells;
  }
  bool is_wider() const { return columns_ > corner; }
  bool is_higher() const { return rows_ > corner; }

 private:
  int64_t start(size_t row) const {
    if (static_cast<int64_t>(row) >= indptr_.tensor().size()) return 0;
    const int64_t found = item_of(indptr_, static_cast<int64_t>(row)).integer();
    return std::clamp<int64_t>(found, 0, std::min(indices_.tensor().size(), data_.tensor().size()));
  }
  int64_t column(int64_t p) const { return item_of(indices_, p).integer(); }

  static void align(std::vector<std::vector<std::string>>& cells, size_t width) {
    for (size_t column = 0; column < width; ++column) {
      size_t longest = 0;
      for (const auto& row : cells) longest = std::max(longest, row[column].size());
      for (auto& row : cells) row[column].insert(0, longest - row[column].size(), ' ');
    }
  }

  const Value &data_, &indices_, &indptr_;
  const int64_t rows_, columns_;
};

}  // namespace

bool is_shown_sparse_matrix(const Value& value) {
  if (!is_sparse_matrix(value)) return false;
  const SparseRecord matrix(value);
  const auto is_integers = [](const Value& v) {
    return is_vector(v) && kind_of(v.tensor().dtype()) == DtypeKind::integer;
  };
  return is_vector(plain_part(matrix.data)) && is_integers(plain_part(matrix.indices)) &&
         is_integers(plain_part(matrix.indptr)) && plain_part(matrix.rows).is_integer() &&
         plain_part(matrix.columns).is_integer();
}

std::string sparse_title(const Value& value) {
  const SparseRecord matrix(value);
  const int64_t count = plain_part(matrix.data).tensor().size();
  return matrix.text() + ", " + std::to_string(count) + (count == 1 ? " nonzero" : " nonzeros");
}

std::string sparse_text(const Value& value, size_t column,
                        const std::function<std::string(const Value&)>& number_text) {
  const Corner shown{SparseRecord(value)};
  const std::string line = "\n" + std::string(column + 1, ' ');
  std::string text = sparse_title(value);
  for (const std::vector<std::string>& row : shown.cells(number_text)) {
    if (row.empty()) break;
    text += line;
    for (const std::string& cell : row) text += (&cell == &row.front() ? "" : "  ") + cell;
    if (shown.is_wider()) text += std::string("  ") + more;
  }
  return shown.is_higher() ? text + line + more : text;
}

}  // namespace covec
