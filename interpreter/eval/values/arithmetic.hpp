// The walker's fast path: it applies operators on rank-0 numbers of i64 and f64, and on bools, to Raws without the
// operator's entry. It computes with the operators' own bodies (stdlib/ops/elementwise/on_numbers.hpp). It declines
// anything that may fail or is rarer, and then the operator itself is applied.
#pragma once

#include "interpreter/eval/values/builtin.hpp"
#include "interpreter/eval/values/raw.hpp"
#include "stdlib/ops/elementwise/on_numbers.hpp"

namespace covec {

template <Quick>
struct QuickOperator;  // which operator a short way is of
template <>
struct QuickOperator<Quick::add> {
  using type = ops::Add;
};
template <>
struct QuickOperator<Quick::sub> {
  using type = ops::Subtract;
};
template <>
struct QuickOperator<Quick::mul> {
  using type = ops::Multiply;
};
template <>
struct QuickOperator<Quick::div> {
  using type = ops::Divide;
};
template <>
struct QuickOperator<Quick::floor_div> {
  using type = ops::FloorDivide;
};
template <>
struct QuickOperator<Quick::mod> {
  using type = ops::Modulo;
};
template <>
struct QuickOperator<Quick::less> {
  using type = ops::Less;
};
template <>
struct QuickOperator<Quick::less_equal> {
  using type = ops::LessEqual;
};
template <>
struct QuickOperator<Quick::greater> {
  using type = ops::Greater;
};
template <>
struct QuickOperator<Quick::greater_equal> {
  using type = ops::GreaterEqual;
};
template <>
struct QuickOperator<Quick::equal> {
  using type = ops::Equal;
};
template <>
struct QuickOperator<Quick::not_equal> {
  using type = ops::NotEqual;
};

inline Raw raw_of(int64_t number) { return raw_i64(number); }
inline Raw raw_of(double number) { return raw_f64(number); }
inline Raw raw_of(bool truth) { return raw_bool(truth); }

// Two numbers of one type. False: this is not for the short way.
template <Quick op, class E>
[[gnu::always_inline]] inline bool quick_numbers(E a, E b, Raw& out) {
  if constexpr (requires { typename QuickOperator<op>::type; }) {
    return ops::on_numbers<typename QuickOperator<op>::type>(a, b, [&](auto result) { out = raw_of(result); });
  } else {
    return false;
  }
}

template <class E>
[[gnu::always_inline]] inline bool quick_numbers(Quick op, E a, E b, Raw& out) {
  switch (op) {
    case Quick::add: return quick_numbers<Quick::add>(a, b, out);
    case Quick::sub: return quick_numbers<Quick::sub>(a, b, out);
    case Quick::mul: return quick_numbers<Quick::mul>(a, b, out);
    case Quick::div: return quick_numbers<Quick::div>(a, b, out);
    case Quick::floor_div: return quick_numbers<Quick::floor_div>(a, b, out);
    case Quick::mod: return quick_numbers<Quick::mod>(a, b, out);
    case Quick::less: return quick_numbers<Quick::less>(a, b, out);
    case Quick::less_equal: return quick_numbers<Quick::less_equal>(a, b, out);
    case Quick::greater: return quick_numbers<Quick::greater>(a, b, out);
    case Quick::greater_equal: return quick_numbers<Quick::greater_equal>(a, b, out);
    case Quick::equal: return quick_numbers<Quick::equal>(a, b, out);
    case Quick::not_equal: return quick_numbers<Quick::not_equal>(a, b, out);
    default: return false;
  }
}

// Most strings that differ do at once.
inline bool same_text(const std::string& a, const std::string& b) {
  return a.size() == b.size() && (a.empty() || (a[0] == b[0] && (a.size() == 1 || a == b)));
}

// Two strings, compared: byte by byte is by code points.
inline bool quick_texts(Quick op, const std::string& a, const std::string& b, Raw& out) {
  switch (op) {
    case Quick::less: out = raw_bool(a < b); return true;
    case Quick::less_equal: out = raw_bool(a <= b); return true;
    case Quick::greater: out = raw_bool(a > b); return true;
    case Quick::greater_equal: out = raw_bool(a >= b); return true;
    case Quick::equal: out = raw_bool(same_text(a, b)); return true;
    case Quick::not_equal: out = raw_bool(!same_text(a, b)); return true;
    default: return false;
  }
}

inline bool quick_bools(Quick op, bool a, bool b, Raw& out) {
  const ops::Number<bool> x(a), y(b);
  if (op == Quick::bit_and)
    out = raw_bool(plain(ops::BitAnd::body(x, y)));
  else if (op == Quick::bit_or)
    out = raw_bool(plain(ops::BitOr::body(x, y)));
  else
    return false;
  return true;
}

// Mixed operands go through f64.
[[gnu::always_inline]] inline bool quick_binary(Quick op, Raw a, Raw b, Raw& out) {
  if (a.tag == Tag::i64) {
    if (b.tag == Tag::i64) return quick_numbers(op, a.i64, b.i64, out);
    if (b.tag == Tag::f64) return quick_numbers(op, static_cast<double>(a.i64), b.f64, out);
    return false;
  }
  if (a.tag == Tag::f64) {
    if (b.tag == Tag::f64) return quick_numbers(op, a.f64, b.f64, out);
    if (b.tag == Tag::i64) return quick_numbers(op, a.f64, static_cast<double>(b.i64), out);
    return false;
  }
  if (a.tag == Tag::boolean && b.tag == Tag::boolean) return quick_bools(op, a.i64 != 0, b.i64 != 0, out);
  return false;
}

inline bool quick_unary(Quick op, Raw a, Raw& out) {
  if (op == Quick::negate && a.tag == Tag::i64)
    out = raw_of(plain(ops::Negate::body(ops::Number(a.i64))));
  else if (op == Quick::negate && a.tag == Tag::f64)
    out = raw_of(plain(ops::Negate::body(ops::Number(a.f64))));
  else if (op == Quick::logical_not && a.tag == Tag::boolean)
    out = raw_of(plain(ops::LogicalNot::body(ops::Number(a.i64 != 0))));
  else
    return false;
  return true;
}

}  // namespace covec
