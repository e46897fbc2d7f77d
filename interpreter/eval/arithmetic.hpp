// The walker's short way: operators on two rank-0 numbers of i64 and f64, with the very bits that the operator's kernel
// gives (integers wrap, comparisons and mixed operands go through f64). Whatever could fail or is rarer says no, and
// the operator itself is applied.
#pragma once

#include "interpreter/eval/builtin.hpp"
#include "interpreter/eval/raw.hpp"

namespace covec {

inline int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t wrap_sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t wrap_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

[[gnu::always_inline]] inline bool quick_integers(Quick op, int64_t a, int64_t b, Raw& out) {
  switch (op) {
    case Quick::add: out = raw_i64(wrap_add(a, b)); return true;
    case Quick::sub: out = raw_i64(wrap_sub(a, b)); return true;
    case Quick::mul: out = raw_i64(wrap_mul(a, b)); return true;
    case Quick::div: out = raw_f64(static_cast<double>(a) / static_cast<double>(b)); return true;
    case Quick::floor_div:
      if (b == 0 || b == -1) return false;
      out = raw_i64(a / b - ((a % b != 0) & ((a ^ b) < 0)));
      return true;
    case Quick::mod: {
      if (b == 0 || b == -1) return false;
      const int64_t rest = a % b;
      out = raw_i64(rest != 0 && (rest ^ b) < 0 ? rest + b : rest);
      return true;
    }
    case Quick::less: out = raw_bool(a < b); return true;
    case Quick::less_equal: out = raw_bool(a <= b); return true;
    case Quick::greater: out = raw_bool(a > b); return true;
    case Quick::greater_equal: out = raw_bool(a >= b); return true;
    case Quick::equal: out = raw_bool(a == b); return true;
    case Quick::not_equal: out = raw_bool(a != b); return true;
    default: return false;
  }
}

[[gnu::always_inline]] inline bool quick_floats(Quick op, double a, double b, Raw& out) {
  switch (op) {
    case Quick::add: out = raw_f64(a + b); return true;
    case Quick::sub: out = raw_f64(a - b); return true;
    case Quick::mul: out = raw_f64(a * b); return true;
    case Quick::div: out = raw_f64(a / b); return true;
    case Quick::less: out = raw_bool(a < b); return true;
    case Quick::less_equal: out = raw_bool(a <= b); return true;
    case Quick::greater: out = raw_bool(a > b); return true;
    case Quick::greater_equal: out = raw_bool(a >= b); return true;
    case Quick::equal: out = raw_bool(a == b); return true;
    case Quick::not_equal: out = raw_bool(a != b); return true;
    default: return false;
  }
}

[[gnu::always_inline]] inline bool quick_binary(Quick op, Raw a, Raw b, Raw& out) {
  if (a.tag == Tag::i64) {
    if (b.tag == Tag::i64) return quick_integers(op, a.i64, b.i64, out);
    if (b.tag == Tag::f64) return quick_floats(op, static_cast<double>(a.i64), b.f64, out);
    return false;
  }
  if (a.tag == Tag::f64) {
    if (b.tag == Tag::f64) return quick_floats(op, a.f64, b.f64, out);
    if (b.tag == Tag::i64) return quick_floats(op, a.f64, static_cast<double>(b.i64), out);
    return false;
  }
  if (a.tag == Tag::boolean && b.tag == Tag::boolean) {
    if (op == Quick::bit_and)
      out = raw_bool((a.i64 != 0) & (b.i64 != 0));
    else if (op == Quick::bit_or)
      out = raw_bool((a.i64 != 0) | (b.i64 != 0));
    else
      return false;
    return true;
  }
  return false;
}

inline bool quick_unary(Quick op, Raw a, Raw& out) {
  if (op == Quick::negate && a.tag == Tag::i64)
    out = raw_i64(wrap_sub(0, a.i64));
  else if (op == Quick::negate && a.tag == Tag::f64)
    out = raw_f64(-a.f64);
  else if (op == Quick::logical_not && a.tag == Tag::boolean)
    out = raw_bool(a.i64 == 0);
  else
    return false;
  return true;
}

}  // namespace covec
