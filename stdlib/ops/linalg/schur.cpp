// schur, by stdlib/decompositions/general_eigen.hpp: inside, T and Z are one tensor. It has no derivative. Schur
// vectors are not determined even up to signs, and a block of T appears where two real eigenvalues meet.
#include "stdlib/decompositions/general_eigen.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/linalg/family.hpp"
#include "stdlib/ops/linalg/parts.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// T beside Z; of a complex matrix each as its real and its imaginary part.
template <bool complex>
Type packed_schur_type(ShapeBuilder& shapes, const Call& call) {
  Type type = square_operand(shapes, call, 0);
  Dim& columns = type.shape[type.shape.rank() - 1];
  for (int doublings = complex ? 2 : 1; doublings > 0; --doublings) columns = shapes.add(columns, columns);
  type.dtype = float_dtype(type.dtype);
  return type;
}

template <bool complex>
Value packed_schur_eager(Builder& builder, Call& call) {
  constexpr int64_t parts = complex ? 4 : 2;  // matrices: T and Z, of complex numbers in two parts each
  const Type type = call.entry.type(builder, call);
  Stack packed = Stack::empty(builder, type.dtype, type.shape);
  Stack re = Stack::of(builder, call.args[0], type.dtype, false);
  Stack im = complex ? Stack::of(builder, call.args[1], type.dtype, false) : Stack{Value(), 0, 0, 0};
  const int64_t n = re.rows, size = n * n;
  with_float(type.dtype, [&](auto element) {
    using T = decltype(element);
    const Scratch room = numbers<T>(builder, parts * size);
    T* const at = room.as<T>();
    constexpr int64_t re_of_z = complex ? 2 : 1;
    const kernels::SchurParts<T> to{at, complex ? at + size : nullptr, at + re_of_z * size,
                                    complex ? at + 3 * size : nullptr};
    for (int64_t number = 0; number < re.count; ++number) {
      const kernels::SquareParts<T> a{re.at<T>(number), complex ? im.at<T>(number) : nullptr, n};
      if (!kernels::decompose_schur(builder.context(), a, to)) fail_decomposition(call, number, re.count);
      for (int64_t part = 0; part < parts; ++part) {
        for (int64_t i = 0; i < n; ++i)
          std::copy_n(at + part * size + i * n, n, packed.at<T>(number) + (i * parts + part) * n);
      }
    }
  });
  return std::move(packed.value);
}

constexpr const char* no_derivative = "is not unique";

template <bool complex>
const Entry& packed_schur_entry() {
  static const Entry entry{
      .name = complex ? "packed_complex_schur" : "packed_schur",
      .doc = "T and Z of schur, side by side.",
      .parameters =
          complex ? std::vector{tensor_parameter("re"), tensor_parameter("im")} : std::vector{tensor_parameter("a")},
      .type = packed_schur_type<complex>,
      .eager = packed_schur_eager<complex>,
      .derivative = Derivative::none(no_derivative),
      .batch = operands_batch,
      .effects = {.may_fail = true},
      .samples = complex ? std::vector<Sample>{{.arguments = "[[1.0, 2.0], [0.0, 3.0]], [[0.5, 1.0], [0.0, -1.0]]",
                                                .expected = "[[1.0, 2.0, 0.5, 1.0, 1.0, 0.0, 0.0, 0.0], [0.0, 3.0, "
                                                            "0.0, -1.0, 0.0, 1.0, 0.0, 0.0]]"}}
                         : std::vector<Sample>{{.arguments = "[[2.0, 1.0], [0.0, 3.0]]",
                                                .expected = "[[2.0, 1.0, 1.0, 0.0], [0.0, 3.0, 0.0, 1.0]]"}},
      .internal = true,
      .part_of = "schur"};
  return entry;
}

Value schur_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type type = square_or_asked(builder, call, 0);
  const Value a = cast_to(builder, std::move(call.args[0]), float_dtype(type.dtype));
  const Value packed = ops::call(builder, packed_schur_entry<false>(), {a});
  const Matrices m(builder);
  const Dim n = type.shape[type.shape.rank() - 1];
  return make_tuple({m.columns(packed, Dim(0), n), m.columns(packed, n, n)});
}

Value complex_schur(Builder& builder, Call& call) {
  const Value given = call.args[0];
  call.args[0] = real_part(given);
  const Dim n = square_or_asked(builder, call, 0).shape[rank_of_value(call.args[0]) - 1];
  const Value packed = ops::call(builder, packed_schur_entry<true>(), {call.args[0], imaginary_part(builder, given)});
  const Matrices m(builder);
  const Dim twice = builder.add(n, n);
  return make_tuple({complex_value(builder, m.columns(packed, Dim(0), n), m.columns(packed, n, n)),
                     complex_value(builder, m.columns(packed, twice, n), m.columns(packed, builder.add(twice, n), n))});
}

const Entry& schur_entry() {
  static const Entry entry{
      .name = "schur",
      .doc =
          "`(t, z)` with `a = z @ t @ z.T`, an orthogonal `z` and an upper triangular `t`, but for a 2 × 2 block on "
          "its diagonal for each conjugate pair of eigenvalues; of each matrix of a stack. Of a complex matrix "
          "`a = z @ t @ z.H` with a unitary `z` and an upper triangular `t`.\n\n"
          "It has no derivative: the form is determined only up to a choice.",
      .parameters = {any_parameter("a")},
      .eager = schur_eager,
      .complex = complex_schur,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[2.0, 1.0], [0.0, 3.0]]",
                   .expected = "([[2.0, 1.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]])",
                   .source = "scipy"},
                  {.arguments = "[[0, 1], [-1, 0]]",
                   .expected = "([[0.0, 1.0], [-1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])",
                   .source = "scipy"},
                  {.arguments = "zeros(0, 0)", .expected = "(zeros(0, 0), zeros(0, 0))"}},
      .staging = Staging::structural};
  return entry;
}

}  // namespace

Family linalg_schur_entries() {
  static const Entry* const entries[] = {&packed_schur_entry<false>(), &packed_schur_entry<true>(), &schur_entry()};
  return entries;
}

}  // namespace covec::ops
