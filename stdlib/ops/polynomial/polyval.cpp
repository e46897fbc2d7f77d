// Polynomials by their coefficients, the highest power first. polyval is Horner's rule in steps of other operators, so
// it needs no derivative or batch rule of its own.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/polynomial/family.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

Value coefficient(Builder& builder, const Value& p, int64_t i) {
  IndexSpec spec;
  spec.push(IndexSpec::Item::at);
  const Value at = i;
  return index_read(builder, p, Value(spec.packed()), {&at, 1});
}

// A polynomial without coefficients is 0; each step is y · x + p[i].
Value polyval_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  require_operand(builder, call, 1);
  const Value p = std::move(call.args[0]), x = std::move(call.args[1]);
  const Type coefficients = logical_type(p), type = logical_type(x);
  if (coefficients.shape.rank() != 1) {
    call.args[0] = p;
    fail_attribute(call, 0, "a vector of coefficients");
  }
  if (!coefficients.shape[0].known()) fail_not_staged("how many coefficients a polynomial has");
  Value y = zeros(builder, {product_dtype(coefficients.dtype, type.dtype), type.shape});
  for (int64_t i = 0; i < coefficients.shape[0].number(); ++i) {
    const Value raised = ops::call(builder, handles().multiply, {std::move(y), x});
    y = ops::call(builder, handles().add, {raised, coefficient(builder, p, i)});
  }
  return y;
}

const Entry& polyval_entry() {
  static const Entry entry{
      .name = "polyval",
      .doc =
          "The polynomial with the coefficients `p`, the highest power first, at each element of `x`.\n\n"
          "By Horner's rule: `polyval([1, 2, 3], x)` is `(1 * x + 2) * x + 3`.",
      .parameters = {any_parameter("p"), any_parameter("x")},
      .eager = polyval_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3.0, 0, 1], [5.0, -1]", .expected = "[76.0, 4]", .differentiate = true},
                  {.arguments = "[1, 2, 3], 2", .expected = "11"},
                  {.arguments = "[2.5], [[1.0, 2]]", .expected = "[[2.5, 2.5]]"},
                  {.arguments = "zeros(0), [1.0, 2]", .expected = "[0.0, 0]"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family polynomial_family() {
  static const Entry* const entries[] = {&polyval_entry()};
  return entries;
}

}  // namespace covec::ops
