// What a pointwise operator says of itself beside its body. It has plain constants only. The kernels' objects, one per
// instruction set, also include this header, and they must not contain code that others share.
//
// An operator is a struct with
//
//   info                        name, documentation, parameters, how its dtypes are found, how it is differentiated
//   body(x…)                    the meaning, a template over Vec (kernels), Number (single ones) or Expr (lowering)
//   fails(x…)                   where it cannot be computed (optional), giving info.failure
//   partial(i, x, y)            ∂y/∂x[i], a template over Derived (of Values), when info.gradient is partial
//   transpose(i, x, ct)         the cotangent of x[i], when it is linear
//   samples                     inputs and expected results for the generated tests
//
// It stands in its header's list: `using Functions = List<Sin, Cos, …>`. Nothing else has to be changed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace covec::ops {

enum class TypeClass : uint8_t {
  numeric,     // the promoted dtype; bools count as i64
  floating,    // the promoted dtype; bools and integers as f64
  comparison,  // computed in the promoted dtype, gives bool
  ordered,     // the promoted dtype; bools stay bools (computed as i32)
  bits,        // two bools or two integers
  integers,    // integers only
  truth,       // bools only
  choice,      // the first operand is a bool; the others as `ordered`
  cast,        // the result's dtype is `to`, the operand keeps its own
};

enum class Gradient : uint8_t { partial, linear, piecewise_constant, scaled };  // scaled: the zero-cotangent products

enum class Failure : uint8_t { none, divide_by_zero, negative_exponent, negative_shift };

// Dtypes as in Dtype; a plain number, so that this header needs no other.
inline constexpr uint8_t no_dtype = 255;

constexpr uint64_t keep(unsigned operand) { return uint64_t{1} << operand; }
inline constexpr uint64_t keep_result = uint64_t{1} << 63;  // the highest bit, as Derivative::result_bit

// Two small whole numbers as one attribute: −128 ≤ first < 128.
constexpr int64_t packed(int64_t first, int64_t second) { return second * 256 + first; }
constexpr int64_t first_packed(int64_t both) { return static_cast<int8_t>(both); }
constexpr int64_t second_packed(int64_t both) { return (both - first_packed(both)) / 256; }

struct PointwiseSample {
  const char* arguments;
  const char* expected;
  const char* source = "numpy";
  double ulp = 0;
  bool differentiate = false;
};

struct PointwiseInfo {
  const char* name;
  const char* doc;
  const char* parameters[4];  // at most three of them tensors
  uint8_t arity;
  TypeClass types;
  Gradient gradient;
  uint64_t keeps = 0;      // operands (keep(i)) and result that partial or transpose look at
  uint64_t linear_in = 0;  // for linear: operands
  // What the operator does, for messages, with {} for the operands' types: "add {} and {}".
  const char* action;
  Failure failure = Failure::none;
  uint8_t to = no_dtype;  // casts
  bool internal = false;
  bool parameter = false;  // the last operand is an integer attribute, the same for all elements
  double ulp = 0.5;        // floats: how far from the exact result, in units in the last place, measured against MPFR
  // The same of the first partials and of the second ones. An operator with partial() must give them; 0 elsewhere.
  double first_ulp = 0;
  double second_ulp = 0;
};

// The first derivative of another operator, or the second: an operator of its own where an expression of others would
// lose digits, overflow on the way, or take longer. Programs cannot name it.
constexpr PointwiseInfo derivative_info(const char* name, const char* doc, const char* action, uint64_t keeps = keep(0),
                                        uint8_t arity = 1) {
  return {.name = name,
          .doc = doc,
          .parameters = {"x", arity > 1 ? "y" : nullptr},
          .arity = arity,
          .types = TypeClass::floating,
          .gradient = Gradient::partial,
          .keeps = keeps,
          .action = action,
          .internal = true};
}

template <class... Operators>
struct List {
  static constexpr size_t count = sizeof...(Operators);
};

}  // namespace covec::ops
