// Rules that real and complex matrices share: templates over the field, which is Matrices or ComplexMatrices. A matrix
// of the field is one operand, or two, its parts; so is it among the columns of a packed result. Of a real matrix the
// adjoint is the transpose. Private to the family.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "stdlib/decompositions/complex_factor.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/linalg/complex_matrices.hpp"

namespace covec::ops {

template <class Field>
constexpr bool is_complex_field = Field::parts == 2;

inline std::array<Value, 1> components(const Value& x) { return {x}; }
inline std::array<Value, 2> components(const ComplexMatrix& x) { return {x.re, x.im}; }

// Operand number `at` of those that are matrices.
template <class Field>
typename Field::Matrix matrix_of(const Residuals& residuals, unsigned at) {
  return Field::of(residuals.operands.subspan(at * Field::parts, Field::parts));
}

// Its tangent: absent where a real one is, while zeros stand for absent parts of a complex one.
template <class Field>
typename Field::Matrix tangent_of(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents,
                                  unsigned at) {
  std::array<Value, Field::parts> found;
  for (unsigned i = 0; i < Field::parts; ++i) {
    const unsigned operand = at * Field::parts + i;
    found[i] = tangents[operand];
    if (is_complex_field<Field> && found[i].is_none()) found[i] = rule.zeros(residuals.types[operand]);
  }
  return Field::of(found);
}

template <class Field>
bool wants_matrix(const Cotangents& out, unsigned at) {
  for (unsigned i = 0; i < Field::parts; ++i) {
    if (out.wants(at * Field::parts + i)) return true;
  }
  return false;
}

template <class Matrix>
void add_matrix(const Matrix& found, Cotangents& out, unsigned at) {
  const auto parts = components(found);
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto operand = static_cast<unsigned>(at * parts.size() + i);
    if (out.wants(operand)) out.add(operand, parts[i]);
  }
}

// --- packed results ---

// A matrix beside others, from column `at` of rows of `width`.
template <class T>
void put_columns(T* to, int64_t width, int64_t at, const T* from, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(from + i * columns, columns, to + i * width + at);
}

struct StackOfParts {
  Stack re, im;
  StackOfParts(Builder& builder, const Call& call, Dtype dtype)
      : re(Stack::of(builder, call.args[0], dtype, false)), im(Stack::of(builder, call.args[1], dtype, false)) {}
  template <class T>
  kernels::ComplexParts<T> at(int64_t number) {
    return {re.at<T>(number), im.at<T>(number), re.rows, re.columns};
  }
};

// Where a kernel puts a matrix, before it goes beside others into the rows of a result.
template <class T>
struct PartsRoom {
  Scratch memory;
  int64_t rows, columns;
  PartsRoom(Builder& builder, int64_t height, int64_t width)
      : memory(numbers<T>(builder, 2 * height * width)), rows(height), columns(width) {
    std::fill_n(memory.as<T>(), 2 * height * width, T(0));
  }
  kernels::ComplexTarget<T> target() const { return {memory.as<T>(), memory.as<T>() + rows * columns}; }
  // Both parts side by side, from column `at` on of rows of `width`; gives where they end.
  int64_t put(T* to, int64_t width, int64_t at) const {
    for (const T* from : {target().re, target().im}) {
      put_columns(to, width, at, from, rows, columns);
      at += columns;
    }
    return at;
  }
};

// What f(parts, packed row) puts for each matrix of (re, im); false from it is an error.
template <class F>
Value each_complex(Builder& builder, Call& call, F f) {
  const Type type = call.entry.type(builder, call);
  StackOfParts a(builder, call, type.dtype);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    for (int64_t number = 0; number < packed.count; ++number) {
      if (!f(a.at<T>(number), packed.at<T>(number), packed.columns)) fail_decomposition(call, number, packed.count);
    }
  });
  return std::move(packed.value);
}

// Columns of a packed result, one after the other.
class Unpacking {
 public:
  Unpacking(Builder& builder, const Value& packed) : builder_(builder), m_(builder), packed_(packed) {}
  Value real(Dim columns) {
    at_ = builder_.add(at_, last_);
    last_ = columns;
    return m_.columns(packed_, at_, columns);
  }
  template <class Field>
  typename Field::Matrix matrix(Dim columns) {
    std::array<Value, Field::parts> found;
    for (Value& part : found) part = real(columns);
    return Field::of(found);
  }

 private:
  Builder& builder_;
  Matrices m_;
  const Value& packed_;
  Dim at_ = Dim(0), last_ = Dim(0);
};

// The matrix of a packed result that holds no more than that, of so many columns.
template <class Field>
typename Field::Matrix unpacked(Builder& builder, const Value& packed, Dim columns) {
  if constexpr (is_complex_field<Field>) {
    return Unpacking(builder, packed).matrix<Field>(columns);
  } else {
    return packed;
  }
}

// As many columns of a packed result as a matrix of so many takes.
template <class Field>
Dim packed_columns(ShapeBuilder& shapes, Dim columns) {
  return is_complex_field<Field> ? shapes.add(columns, columns) : columns;
}

// Real and complex matrices of one height, side by side.
template <class... Matrix>
Value side_by_side(Builder& builder, const Matrix&... matrices) {
  std::vector<Value> columns;
  const auto put = [&](const auto& matrix) {
    for (const Value& part : components(matrix)) columns.push_back(part);
  };
  (put(matrices), ...);
  if (columns.size() == 1) return columns[0];
  return concat(builder, columns, rank_of_value(columns[0]) - 1);
}

// --- functions of matrices ---

// L(A, E), the derivative of a function f of n × n matrices along E: a block of f([[A, E], [0, A]]) (R. Mathias, "A
// chain rule for matrix functions and applications", 1996). It is linear in E, and found for an E as large as A: a
// larger one would take digits from A's part.
template <class Field, class F>
typename Field::Matrix function_along(RuleContext& rule, const typename Field::Matrix& a,
                                      const typename Field::Matrix& e, Dim n, F function) {
  const Field f(rule);
  Steps steps(rule.builder());
  const auto of_a = Field::of_real(size_of_matrices(steps, a)), of_e = Field::of_real(size_of_matrices(steps, e));
  const auto upper = f.hstack(a, f.mul(f.div(e, of_e), of_a)), lower = f.hstack(f.zeros_like(a), a);
  const auto block = f.rows(f.columns(function(f.vstack(upper, lower)), n, n), Dim(0), n);
  return f.mul(f.div(block, of_a), of_e);
}

}  // namespace covec::ops
