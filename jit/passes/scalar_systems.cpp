#include "jit/passes/scalar_systems.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "stdlib/decompositions/elimination.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/linalg/parts.hpp"

namespace covec::passes {

namespace {

// Rows of numbers.
struct Rows {
  int64_t columns;
  std::vector<Value> numbers;
  Value& operator()(int64_t i, int64_t j) { return numbers[static_cast<size_t>(i * columns + j)]; }
  const Value& operator()(int64_t i, int64_t j) const { return numbers[static_cast<size_t>(i * columns + j)]; }
  int64_t rows() const { return std::ssize(numbers) / columns; }
};

// Numbers that elimination.hpp computes with: each operation goes into the graph.
class GraphNumbers {
 public:
  GraphNumbers(ScalarWriter& writer, Dtype dtype) : writer_(writer), dtype_(dtype) {}

  Value number(double value) const { return Value::number(dtype_, value); }
  Value add(const Value& a, const Value& b) { return apply(known_.add, {a, b}); }
  Value subtract(const Value& a, const Value& b) { return apply(known_.subtract, {a, b}); }
  Value multiply(const Value& a, const Value& b) { return apply(known_.multiply, {a, b}); }
  Value divide(const Value& a, const Value& b) { return apply(known_.divide, {a, b}); }
  Value sqrt(const Value& x) { return apply(known_.sqrt, {x}); }
  Value abs(const Value& x) { return apply(known_.absolute, {x}); }
  Value negative(const Value& x) { return apply(known_.negate, {x}); }
  Value choose(const Value& condition, const Value& a, const Value& b) {
    return apply(known_.where, {condition, a, b});
  }
  Value larger(const Value& a, const Value& b) { return choose(truth(known_.less, {a, b}), b, a); }
  Value is_infinite(const Value& x) {
    return truth(known_.equal, {abs(x), number(std::numeric_limits<double>::infinity())});
  }
  Value greater(const Value& a, const Value& b) { return truth(known_.greater, {a, b}); }

  template <class Matrix>
  void subtract_row(Matrix& a, int64_t i, Value factor, int64_t j, int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) a(i, k) = subtract(a(i, k), multiply(factor, a(j, k)));
  }
  template <class Matrix>
  void divide_row(Matrix& a, int64_t i, Value divisor, int64_t columns) {
    for (int64_t k = 0; k < columns; ++k) a(i, k) = divide(a(i, k), divisor);
  }

  // --- pivots ---

  template <class Matrix>
  void pivot(Matrix& a, int64_t j) {
    std::vector<Value> is_larger;  // row i than all before it
    Value largest = abs(a(j, j));
    for (int64_t i = j + 1; i < a.rows(); ++i) {
      const Value size = abs(a(i, j));
      is_larger.push_back(greater(size, largest));
      if (i + 1 < a.rows()) largest = choose(is_larger.back(), size, largest);
    }
    // The last of these is the largest: it changes places with row j.
    const Rows before = a;
    Value moved = Value(false);
    for (int64_t i = a.rows() - 1; i > j; --i) {
      const Value& larger = is_larger[static_cast<size_t>(i - j - 1)];
      const Value moves = truth(known_.bit_and, {larger, truth(known_.logical_not, {moved})});
      moved = truth(known_.bit_or, {moved, larger});
      for (int64_t k = 0; k < a.columns; ++k) {
        a(i, k) = choose(moves, before(j, k), before(i, k));
        a(j, k) = choose(moves, before(i, k), a(j, k));
      }
    }
    odd_ = truth(known_.not_equal, {odd_, moved});
  }
  bool skips(const Value& pivot) {
    leave_if(truth(known_.equal, {pivot, number(0)}));
    return false;
  }
  bool fails(const Value& pivot) {
    leave_if(truth(known_.logical_not, {greater(pivot, number(0))}));
    return false;
  }
  void leave_if(const Value& condition) { leaves_ = truth(known_.bit_or, {leaves_, condition}); }

  // The product of the pivots and the sign of their order. While it stays in the range of normal numbers it is the one
  // that the library finds with exponents of its own.
  Value determinant(const Rows& a) {
    const bool single = dtype_ == Dtype::f32;
    const Value least = number(single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min());
    const Value most = number(single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max());
    Value product;
    for (int64_t i = 0; i < a.rows(); ++i) {
      product = i == 0 ? a(0, 0) : multiply(product, a(i, i));
      const Value size = abs(product);
      leave_if(truth(known_.logical_not, {truth(known_.bit_and, {truth(known_.greater_equal, {size, least}),
                                                                 truth(known_.less_equal, {size, most})})}));
    }
    return choose(odd_, negative(product), product);
  }

  // The sign of the determinant and the logarithm of its magnitude.
  std::vector<Value> sign_and_logarithm(const Rows& a) {
    Value logarithm = number(0);
    for (int64_t i = 0; i < a.rows(); ++i) {
      odd_ = truth(known_.not_equal, {odd_, truth(known_.less, {a(i, i), number(0)})});
      logarithm = add(logarithm, apply(known_.log, {abs(a(i, i))}));
    }
    return {choose(odd_, number(-1), number(1)), logarithm};
  }

  void leave_unless_finite(const std::vector<Value>& all) {
    Value zero = number(0);
    for (const Value& each : all) zero = add(zero, subtract(each, each));
    leave_if(truth(known_.not_equal, {zero, number(0)}));
  }

  const Value& leaves() const { return leaves_; }

 private:
  Value apply(const ops::Entry& entry, std::vector<Value> args) {
    return writer_.apply(entry, std::move(args), dtype_);
  }
  Value truth(const ops::Entry& entry, std::vector<Value> args) {
    return writer_.apply(entry, std::move(args), Dtype::boolean);
  }

  ScalarWriter& writer_;
  const Dtype dtype_;
  const ops::Handles& known_ = ops::handles();
  Value leaves_ = Value(false), odd_ = Value(false);  // odd: the number of exchanges
};

// The columns on the right of a matrix.
struct Right {
  Rows& all;
  int64_t first;
  Value& operator()(int64_t i, int64_t j) const { return all(i, first + j); }
};

// `a` with `b` on its right: exchanges of rows are those of both.
Rows joined(const Rows& a, const Rows& b) {
  Rows both{a.columns + b.columns, {}};
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t j = 0; j < both.columns; ++j) both.numbers.push_back(j < a.columns ? a(i, j) : b(i, j - a.columns));
  }
  return both;
}

std::vector<Value> solve(GraphNumbers& numbers, const Rows& a, const Rows& b) {
  const int64_t n = a.rows();
  Rows both = joined(a, b);
  kernels::eliminate(numbers, both, n, 0, n);
  Right right{both, n};
  kernels::substitute(numbers, both, n, false, true, right, b.columns);
  kernels::substitute(numbers, both, n, true, false, right, b.columns);
  std::vector<Value> x;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) x.push_back(right(i, j));
  }
  return x;
}

Rows identity(const GraphNumbers& numbers, int64_t n) {
  Rows one{n, {}};
  for (int64_t k = 0; k < n * n; ++k) one.numbers.push_back(numbers.number(k % (n + 1) == 0 ? 1 : 0));
  return one;
}

std::vector<Value> cholesky(GraphNumbers& numbers, Rows a) {
  const int64_t n = a.rows();
  numbers.leave_if(kernels::take_symmetric(numbers, a, n));
  kernels::factor_positive(numbers, a, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) a(i, j) = numbers.number(0);
  }
  return a.numbers;
}

// A triangle as it is read.
struct Read {
  const Rows& all;
  bool transposed;
  const Value& operator()(int64_t i, int64_t j) const { return transposed ? all(j, i) : all(i, j); }
};

std::vector<Value> solve_triangle(GraphNumbers& numbers, const ir::Operation& operation, const Rows& a, Rows b) {
  const ops::Reading reading(operation.args, 2);
  if (!reading.unit) {
    for (int64_t i = 0; i < a.rows(); ++i) numbers.skips(a(i, i));
  }
  kernels::substitute(numbers, Read{a, reading.trans}, a.rows(), reading.lower == reading.trans, reading.unit, b,
                      b.columns);
  return b.numbers;
}

}  // namespace

SystemResult system_by_numbers(ScalarWriter& writer, const ir::Operation& operation,
                               const std::vector<std::vector<Value>>& operands, Dtype dtype) {
  GraphNumbers numbers(writer, dtype);
  const ops::Entry* entry = operation.entry;
  const auto n = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(operands[0].size()))));
  const Rows a{n, operands[0]};
  SystemResult result;
  if (entry == &ops::inv_entry()) {
    result.elements = solve(numbers, a, identity(numbers, n));
  } else if (entry == &ops::det_entry()) {
    Rows factors = a;
    kernels::eliminate(numbers, factors, n, 0, n);
    result.elements = {numbers.determinant(factors)};
  } else if (entry == &ops::log_det_entry() || entry == &ops::log_det_of_logdet_entry()) {
    Rows factors = a;
    kernels::eliminate(numbers, factors, n, 0, n);
    result.elements = numbers.sign_and_logarithm(factors);
  } else if (entry == &ops::cofactor_entry()) {
    Rows cofactors = a;
    kernels::take_cofactors(numbers, a, n, cofactors);
    numbers.leave_unless_finite(cofactors.numbers);
    result.elements = cofactors.numbers;
  } else if (entry == &ops::cholesky_entry()) {
    result.elements = cholesky(numbers, a);
  } else {
    const Rows b{std::ssize(operands[1]) / n, operands[1]};
    result.elements =
        entry == &ops::solve_stack_entry() ? solve(numbers, a, b) : solve_triangle(numbers, operation, a, b);
  }
  result.leaves = numbers.leaves();
  return result;
}

}  // namespace covec::passes
