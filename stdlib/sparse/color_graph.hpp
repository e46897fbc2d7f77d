// Which rows and columns of a matrix meet in an entry that may differ from 0: row by row, in 32 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace covec::sparse {

struct Graph {
  uint32_t rows = 0, columns = 0;
  std::vector<uint32_t> starts;   // rows + 1: where each row's columns begin in `indices`
  std::vector<uint32_t> indices;  // the columns of each row, rising

  std::span<const uint32_t> row(uint32_t r) const {
    return std::span(indices).subspan(starts[r], starts[r + 1] - starts[r]);
  }
  uint32_t length(uint32_t r) const { return starts[r + 1] - starts[r]; }
  uint32_t longest_row() const;
};

// Sizes and counts are less than this, so that 32 bits hold them, and one number that stands for none.
inline constexpr int64_t graph_limit = int64_t{0xffffffff};

// Of a matrix in CSR whose indices have been checked.
Graph graph_of(std::span<const int64_t> starts, std::span<const int64_t> indices, int64_t columns);
Graph transposed(const Graph& graph);
Graph united(const Graph& a, const Graph& b);  // of one shape: the entries of either
bool is_symmetric(const Graph& graph);

}  // namespace covec::sparse
