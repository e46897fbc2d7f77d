// Lists the properties of scalar operations: name, number of operands, and accepted dtypes.
#pragma once

#include <array>
#include <string_view>

#include "stdlib/ops/contract/scalar_builder.hpp"

namespace covec::loops {

struct ScalarOpInfo {
  enum class Takes : uint8_t {
    numbers,   // one dtype but bool, f16 and bf16, which it gives
    floats,    // f32 or f64, which it gives
    integers,  // one integer dtype, which it gives
    bits,      // bool or one integer dtype, which it gives
    compares,  // one dtype; gives bool
    select,    // bool, then one dtype, which it gives
    convert,   // any dtype, gives any; a half of f32 only, and f32 only of a half (in code; kernels: Kernel::code)
    bitcast,   // f32 ↔ i32, f64 ↔ i64
  };
  std::string_view name;
  uint8_t arity;
  Takes takes;
};

inline constexpr size_t scalar_op_count = static_cast<size_t>(ops::ScalarOp::bitcast) + 1;

constexpr ScalarOpInfo info_of(ops::ScalarOp op) {
  using enum ops::ScalarOp;
  using Takes = ScalarOpInfo::Takes;
  switch (op) {
    case add: return {"add", 2, Takes::numbers};
    case sub: return {"sub", 2, Takes::numbers};
    case mul: return {"mul", 2, Takes::numbers};
    case negate: return {"negate", 1, Takes::numbers};
    case div: return {"div", 2, Takes::floats};
    case sqrt: return {"sqrt", 1, Takes::floats};
    case fma: return {"fma", 3, Takes::floats};
    case floor: return {"floor", 1, Takes::floats};
    case ceil: return {"ceil", 1, Takes::floats};
    case trunc: return {"trunc", 1, Takes::floats};
    case round_even: return {"round_even", 1, Takes::floats};
    case remainder: return {"remainder", 2, Takes::floats};
    case lt: return {"lt", 2, Takes::compares};
    case le: return {"le", 2, Takes::compares};
    case eq: return {"eq", 2, Takes::compares};
    case ne: return {"ne", 2, Takes::compares};
    case select: return {"select", 3, Takes::select};
    case bit_and: return {"bit_and", 2, Takes::bits};
    case bit_or: return {"bit_or", 2, Takes::bits};
    case bit_xor: return {"bit_xor", 2, Takes::bits};
    case bit_not: return {"bit_not", 1, Takes::bits};
    case shift_left: return {"shift_left", 2, Takes::integers};
    case shift_right: return {"shift_right", 2, Takes::integers};
    case shift_right_logical: return {"shift_right_logical", 2, Takes::integers};
    case floor_divide: return {"floor_divide", 2, Takes::integers};
    case floor_modulo: return {"floor_modulo", 2, Takes::integers};
    case integer_power: return {"integer_power", 2, Takes::integers};
    case common_divisor: return {"common_divisor", 2, Takes::integers};
    case convert: return {"convert", 1, Takes::convert};
    case bitcast: return {"bitcast", 1, Takes::bitcast};
  }
  return {"?", 0, Takes::numbers};
}

constexpr std::string_view name_of(ops::ScalarOp op) { return info_of(op).name; }

// Whether op may be applied to operands of these dtypes (as many as its arity says) and then gives `to`.
constexpr bool accepts(ops::ScalarOp op, Dtype to, const std::array<Dtype, 3>& operands) {
  const ScalarOpInfo info = info_of(op);
  const Dtype first = operands[0];
  const unsigned from = info.takes == ScalarOpInfo::Takes::select ? 1 : 0;
  for (unsigned k = from; k < info.arity; ++k) {
    if (operands[k] != operands[from]) return false;
  }
  switch (info.takes) {
    case ScalarOpInfo::Takes::numbers: return to == first && to != Dtype::boolean && !is_narrow(to);
    case ScalarOpInfo::Takes::floats: return to == first && is_float(to) && !is_narrow(to);
    case ScalarOpInfo::Takes::integers: return to == first && kind_of(to) == DtypeKind::integer && !is_narrow(to);
    case ScalarOpInfo::Takes::bits: return to == first && !is_float(to) && !is_narrow(to);
    case ScalarOpInfo::Takes::compares: return to == Dtype::boolean && !is_narrow(first);
    case ScalarOpInfo::Takes::select: return first == Dtype::boolean && to == operands[1];
    case ScalarOpInfo::Takes::convert:
      return to == first ||
             ((!is_narrow(to) || first == computing_dtype(to)) && (!is_narrow(first) || to == computing_dtype(first)));
    case ScalarOpInfo::Takes::bitcast:
      return is_float(to) != is_float(first) && size_of(to) == size_of(first) && !is_narrow(to) && !is_narrow(first) &&
             first != Dtype::boolean;
  }
  return false;
}

}  // namespace covec::loops
