// Splits a matrix into rows whose entries are read from products v @ J (the long ones) and rows whose entries are read
// from products J @ v. Either part is coloured by itself: a long row no longer makes its columns differ. An arrow has 3
// colours, where columns or rows alone need as many as there are.
#pragma once

#include <optional>

#include "stdlib/sparse/color_greedy.hpp"

namespace covec::sparse {

struct Split {
  Colors columns;  // by the entries of the other rows; −1: a column has none there
  Colors rows;     // −1: it is not one of the long ones
};

// The cheapest split that costs less than `most`, nothing where there is none. A colour of columns costs 1.
std::optional<Split> split_rows(Steps& steps, Sides sides, double row_cost, double most);

}  // namespace covec::sparse
