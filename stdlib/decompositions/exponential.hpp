// The exponential of one matrix in f64, and the arithmetic of matrices that functions of them share.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "stdlib/decompositions/decompose.hpp"
#include "stdlib/decompositions/factor.hpp"

namespace covec::ops {

struct Arithmetic {
  Context& context;
  int64_t n;

  kernels::Grid<double> grid() const { return kernels::Grid<double>(context, n, n); }
  void product(const kernels::Grid<double>& to, const kernels::Grid<double>& a, const kernels::Grid<double>& b) const {
    kernels::assign_product(context, to.all(), kernels::matrix(a.all()), kernels::matrix(b.all()), n);
  }
  // b becomes a⁻¹·b, and a is lost; false where a has no inverse.
  bool divide(const kernels::Grid<double>& a, const kernels::Grid<double>& b, const kernels::Grid<double>& room) const {
    std::vector<int64_t> order(size_for<int64_t>(n));
    if (kernels::factor_lu(context, a.all(), order.data()) == 0) return false;
    kernels::copy(room.all(), b.all());
    for (int64_t i = 0; i < n; ++i) std::copy_n(room.row(order[static_cast<size_t>(i)]), n, b.row(i));
    kernels::solve_triangle(context, a.all(), kernels::Triangle::unit_lower, b.all());
    kernels::solve_triangle(context, a.all(), kernels::Triangle::upper, b.all());
    return true;
  }
  double norm(const kernels::Grid<double>& a) const {  // the largest sum of a column; NaN where there is one
    double largest = 0;
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += std::abs(a.row(i)[j]);
      if (!(sum <= largest)) largest = sum;
      if (sum != sum) return sum;
    }
    return largest;
  }
};

// e^a into `to`; a is lost.
void exponential(const Arithmetic& m, const kernels::Grid<double>& a, const kernels::Grid<double>& to);

}  // namespace covec::ops
