// What the entries of linear algebra share. Matrices are the last two axes; the axes before them are a stack of
// matrices. Private to the family.
#pragma once

#include "stdlib/decompositions/dense.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

// The operand as a stack of matrices of rank 2 or more; raises the error that names it.
Type matrix_operand(const Call& call, unsigned operand);
// The same, as high as wide.
Type square_operand(ShapeBuilder& shapes, const Call& call, unsigned operand);
// The same for what is made of an operator that asks again when it runs: now, or then.
Type square_or_asked(Builder& builder, const Call& call, unsigned operand);

// The same for what is made of operators that would speak of themselves: a compiled function asks first.
Type square_for_sure(Builder& builder, Call& call, unsigned operand);

// The type rule of what makes another of a square matrix: floats.
Type float_square(ShapeBuilder& shapes, const Call& call);

[[noreturn]] void fail_decomposition(const Call& call, int64_t number, int64_t count,
                                     ArgumentLabel (*label)(const Call&, unsigned) = label_of);
// Where the stack's matrix `number` of `count` is at fault: "" or " (number 3 of the stack)".
std::string matrix_number(int64_t number, int64_t count);

// A stack in eager code: its matrices one after the other, row-major, in a tensor that is this one's own.
struct Stack {
  Value value;
  int64_t count, rows, columns;
  // Of `x` in a float dtype; `own` where the matrices are to be overwritten.
  static Stack of(Builder& builder, Value x, Dtype dtype, bool own);
  static Stack empty(Builder& builder, Dtype dtype, Shape shape);
  template <class T>
  T* at(int64_t number) {
    return value.tensor().as<T>() + number * rows * columns;
  }
};

template <class T>
kernels::Dense<T> dense(Stack& stack, int64_t number) {
  return {stack.at<T>(number), stack.rows, stack.columns, stack.columns};
}

constexpr uint64_t keep_operand(unsigned i) { return uint64_t{1} << i; }  // of Derivative::keeps
constexpr uint64_t guarded = Derivative::guarded_bit;

// A unary entry on stacks needs nothing for a batch: it is one more axis in front.
Value stack_batch(Builder& builder, Call& call, const Batching& batching);
// The same of several operands: each gets the axis.
Value operands_batch(Builder& builder, Call& call, const Batching& batching);

// Calls f(float{}) or f(double{}).
template <class F>
auto with_float(Dtype dtype, F f) {
  return dtype == Dtype::f32 ? f(float{}) : f(double{});
}

template <class T>
Scratch numbers(Builder& builder, int64_t count) {
  return Scratch(builder.pool(), static_cast<uint64_t>(count) * sizeof(T));
}

// Real matrices in rules. ComplexMatrices has the same words, so that one rule can serve both (fields.hpp).
class Matrices {
 public:
  using Matrix = Value;
  static constexpr unsigned parts = 1;  // operands of an entry that make a matrix
  explicit Matrices(Builder& builder) : builder_(builder) {}
  explicit Matrices(RuleContext& rule) : Matrices(rule.builder()) {}
  static Value of(std::span<const Value> operands) { return operands[0]; }
  static Value of_real(Value x) { return x; }
  static bool is_absent(const Value& x) { return x.is_none(); }
  Value product(Value a, Value b) const { return matmul(builder_, std::move(a), std::move(b)); }
  Value transposed(Value x) const;  // the last two axes exchanged
  Value adjoint(Value x) const { return transposed(std::move(x)); }
  Value conj(Value x) const { return x; }
  Value columns(Value x, Dim start, Dim size) const;
  Value rows(Value x, Dim start, Dim size) const;
  Value hstack(Value x, Value y) const;
  Value vstack(Value x, Value y) const;
  Value zeros_like(const Value& x) const;
  Value solve(Value a, Value b) const;
  Value as_column(Value x) const;  // a vector as a matrix of one column
  Value as_row(Value x) const;
  Value without_column(Value x) const;  // and back
  Value diagonal(const Value& x) const;
  Value trace(const Value& x) const;
  Value lower(Value x, bool with_diagonal) const;                 // zeros elsewhere
  Value triangle(Value x, bool lower, bool with_diagonal) const;  // the lower or the upper one
  Value symmetric(const Value& x) const;                          // (x + xᵀ) / 2
  Value add(Value a, Value b) const;
  Value sub(Value a, Value b) const;
  Value mul(Value a, Value b) const;
  Value div(Value a, Value b) const;
  Value neg(Value x) const;
  Value eye(Dim n, Dtype dtype) const;
  Value number(double value, Dtype dtype) const;

 private:
  Builder& builder_;
};

unsigned rank_of_value(const Value& x);
inline Dim last_dim(const Type& type) { return type.shape[type.shape.rank() - 1]; }
inline Dim rows_dim(const Type& type) { return type.shape[type.shape.rank() - 2]; }
// Of two dimensions, where both are known or they are one.
Dim smaller(ShapeBuilder& shapes, Dim m, Dim n);
Dim larger(ShapeBuilder& shapes, Dim m, Dim n);

// The largest magnitude in each matrix, 1 where that is 0 or not finite; what it is made of counts as constant.
Value size_of_matrices(Steps& steps, const Value& x);

// The symmetric part of an n × n matrix in its place; an error where it is far from symmetric (more than a thousandth
// of its largest element), which is a mistake rather than rounding.
void take_symmetric_part(const Call& call, float* a, int64_t n, int64_t number, int64_t count);
void take_symmetric_part(const Call& call, double* a, int64_t n, int64_t number, int64_t count);
// The same of the real form, twice as large, of a complex matrix: its Hermitian part.
void take_hermitian_part(const Call& call, float* a, int64_t n, int64_t number, int64_t count);
void take_hermitian_part(const Call& call, double* a, int64_t n, int64_t number, int64_t count);
// What an error says of an operand that is such a form: "a is c128[2, 2]".
ArgumentLabel label_of_doubled(const Call& call, unsigned operand);

// Whether what is known says how two stacks go together, or that they do not.
bool broadcasts_for_sure(const Shape& a, const Shape& b);

// The first two arguments of a call, a matrix and what it is solved for: stacks of one shape and dtype, a vector as a
// column.
struct System {
  Value left, right;
  bool vector;
};
System spread_system(Builder& builder, Call& call);
// An error where matrices of shape `a` have not as many rows as `b`: columns, or a vector.
void require_rows(ShapeBuilder& shapes, const Shape& a, const Shape& b, bool vector);
// x with a @ x = b, of stacks of one shape and dtype; the inverses of a stack.
Value solve_stack(Builder& builder, Value a, Value b, bool vector = false);
Value inv(Builder& builder, Value a);
// Of an operator on such: the type of the result, when its operands go together.
Type system_type(ShapeBuilder& shapes, const Call& call, bool vector);

// How a triangle is read.
struct Reading {
  bool lower, trans, unit;
  // Of three flags one after the other.
  Reading(std::span<const Value> operands, unsigned first)
      : lower(operands[first].boolean()), trans(operands[first + 1].boolean()), unit(operands[first + 2].boolean()) {}
  // What of a matrix the triangle is.
  template <class Field>
  auto part(const Field& field, const typename Field::Matrix& x) const {
    return field.triangle(x, lower, !unit);
  }
  template <class Field>
  auto as_read(const Field& field, const typename Field::Matrix& x) const {
    return trans ? field.transposed(x) : x;
  }
};
// By the triangle in `a`; `vector` says how messages call b.
Value solve_triangle(Builder& builder, const Value& a, Value b, bool lower, bool trans, bool unit, bool vector = false);

const Entry& solve_triangle_entry();  // (a, b, lower, trans, unit_diagonal): stacks of one shape and dtype
const Entry& solve_stack_entry();     // (a, b): x with a @ x = b, stacks of one shape and dtype
const Entry& inv_entry();
const Entry& inv_or_inf_entry();  // internal
const Entry& det_entry();
const Entry& svd_entry();
const Entry& pinv_entry();
const Entry& cholesky_entry();
const Entry& doubled_cholesky_entry();  // of the real forms of complex matrices; internal
const Entry& doubled_pinv_entry();      // the same
const Entry& lstsq_entry();
const Entry& singular_norm_entry();  // internal, as are the others of the file: singular_norm.cpp
const Entry& complex_singular_norm_entry();
const Entry& expect_sides_entry();   // internal
const Entry& expect_square_entry();  // internal
// What these are made of:
const Entry& cofactor_entry();
const Entry& cofactor_along_entry();
const Entry& log_det_entry();
const Entry& log_det_of_logdet_entry();

}  // namespace covec::ops
