#include "stdlib/decompositions/joined.hpp"

#include <algorithm>

namespace covec::kernels {

namespace {

// Rows or columns: which have been found, and those whose elements have not been looked at yet.
struct Found {
  explicit Found(int64_t size) : is_found(size_for<bool>(size), false), missing(size) {}
  void add(int64_t i, std::vector<int64_t>& part) {
    if (is_found[static_cast<size_t>(i)]) return;
    is_found[static_cast<size_t>(i)] = true;
    --missing;
    part.push_back(i);
  }
  std::vector<bool> is_found;
  int64_t missing;
};

// What follows from the part's first members. A matrix without zeros is done with its first row and column.
template <class T>
void follow(Dense<T> a, JoinedPart& part, Found& rows, Found& columns) {
  size_t row = 0, column = 0;
  while (row < part.rows.size() || column < part.columns.size()) {
    for (; row < part.rows.size() && columns.missing > 0; ++row) {
      for (int64_t j = 0; j < a.columns; ++j) {
        if (a(part.rows[row], j) != T(0)) columns.add(j, part.columns);
      }
    }
    for (; column < part.columns.size() && rows.missing > 0; ++column) {
      for (int64_t i = 0; i < a.rows; ++i) {
        if (a(i, part.columns[column]) != T(0)) rows.add(i, part.rows);
      }
    }
    if (rows.missing == 0 && columns.missing == 0) break;
    if (columns.missing == 0) row = part.rows.size();
    if (rows.missing == 0) column = part.columns.size();
  }
  std::sort(part.rows.begin(), part.rows.end());
  std::sort(part.columns.begin(), part.columns.end());
}

}  // namespace

template <class T>
std::vector<JoinedPart> joined_parts(Dense<T> a) {
  std::vector<JoinedPart> parts;
  Found rows(a.rows), columns(a.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    if (rows.is_found[static_cast<size_t>(i)]) continue;
    JoinedPart& part = parts.emplace_back();
    rows.add(i, part.rows);
    follow(a, part, rows, columns);
  }
  for (int64_t j = 0; j < a.columns; ++j) {
    if (!columns.is_found[static_cast<size_t>(j)]) columns.add(j, parts.emplace_back().columns);
  }
  return parts;
}

template <class T>
std::vector<JoinedPart> joined_parts_of_symmetric(Dense<T> a) {
  std::vector<JoinedPart> parts;
  Found rows(a.rows);
  for (int64_t first = 0; first < a.rows; ++first) {
    if (rows.is_found[static_cast<size_t>(first)]) continue;
    std::vector<int64_t>& part = parts.emplace_back().rows;
    rows.add(first, part);
    for (size_t at = 0; at < part.size() && rows.missing > 0; ++at) {
      for (int64_t j = 0; j < a.columns; ++j) {
        if (a(part[at], j) != T(0)) rows.add(j, part);
      }
    }
    std::sort(part.begin(), part.end());
  }
  return parts;
}

#define COVEC_FOR(T)                                       \
  template std::vector<JoinedPart> joined_parts(Dense<T>); \
  template std::vector<JoinedPart> joined_parts_of_symmetric(Dense<T>);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
