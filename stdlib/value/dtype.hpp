// Element types, and the type of a tensor: dtype and dimensions. Dimensions are numbers in the eager engine and may be
// symbols (SSA values of the compiler's IR) when a function is lowered; type rules are written once over both.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "stdlib/value/compute.hpp"

namespace covec {

// What an element is in memory. The table below says everything else of a dtype: to add one, add its row. The
// enumerators are numbers in files and hosts (covec_dtype), so new ones come last; their order decides nothing.
enum class Dtype : uint8_t {
  boolean = 0,
  i32 = 1,
  i64 = 2,
  f16 = 3,
  bf16 = 4,
  f32 = 5,
  f64 = 6,
  i8 = 7,
  u8 = 8,
  u16 = 9,
  u32 = 10,
  i16 = 11
};
// In order of promotion: the higher kind wins.
enum class DtypeKind : uint8_t { boolean, integer, floating };
// How an element becomes the number that is computed with when it is loaded, and an element again when it is stored.
enum class ElementForm : uint8_t {
  plain,  // it is one
  sign,   // an integer, widened with its sign; what does not fit wraps
  zero,   // an integer, widened with zeros; what does not fit wraps
  f16,    // widened exactly, rounded once (half.hpp)
  bf16,
};

struct DtypeInfo {
  Dtype dtype;
  std::string_view name;
  DtypeKind kind;
  uint8_t bytes;
  uint8_t digits;     // significant bits: integers up to 2^digits are exact
  uint16_t exponent;  // the largest one; 0 for integers
  Compute compute;
  ElementForm form;
  std::string_view c_type;       // of an element in C99
  std::string_view npy;          // in .npy files; empty: it has no name there
  std::string_view safetensors;  // in .safetensors files
};

// By the numbers of Dtype.
// clang-format off
inline constexpr auto dtype_table = std::to_array<DtypeInfo>({
    {Dtype::boolean, "bool", DtypeKind::boolean,  1,  1,    0, Compute::boolean, ElementForm::plain, "uint8_t",  "|b1", "BOOL"},
    {Dtype::i32,     "i32",  DtypeKind::integer,  4, 31,    0, Compute::i32,     ElementForm::plain, "int32_t",  "<i4", "I32"},
    {Dtype::i64,     "i64",  DtypeKind::integer,  8, 63,    0, Compute::i64,     ElementForm::plain, "int64_t",  "<i8", "I64"},
    {Dtype::f16,     "f16",  DtypeKind::floating, 2, 11,   15, Compute::f32,     ElementForm::f16,   "uint16_t", "<f2", "F16"},
    {Dtype::bf16,    "bf16", DtypeKind::floating, 2,  8,  127, Compute::f32,     ElementForm::bf16,  "uint16_t", "",    "BF16"},
    {Dtype::f32,     "f32",  DtypeKind::floating, 4, 24,  127, Compute::f32,     ElementForm::plain, "float",    "<f4", "F32"},
    {Dtype::f64,     "f64",  DtypeKind::floating, 8, 53, 1023, Compute::f64,     ElementForm::plain, "double",   "<f8", "F64"},
    {Dtype::i8,      "i8",   DtypeKind::integer,  1,  7,    0, Compute::i32,     ElementForm::sign,  "int8_t",   "|i1", "I8"},
    {Dtype::u8,      "u8",   DtypeKind::integer,  1,  8,    0, Compute::i32,     ElementForm::zero,  "uint8_t",  "|u1", "U8"},
    {Dtype::u16,     "u16",  DtypeKind::integer,  2, 16,    0, Compute::i32,     ElementForm::zero,  "uint16_t", "<u2", "U16"},
    {Dtype::u32,     "u32",  DtypeKind::integer,  4, 32,    0, Compute::i64,     ElementForm::zero,  "uint32_t", "<u4", "U32"},
    {Dtype::i16,     "i16",  DtypeKind::integer,  2, 15,    0, Compute::i32,     ElementForm::sign,  "int16_t",  "<i2", "I16"},
});
// clang-format on
inline constexpr size_t dtype_count = dtype_table.size();
inline constexpr auto all_dtypes = [] {
  std::array<Dtype, dtype_count> all{};
  for (size_t i = 0; i < dtype_count; ++i) all[i] = dtype_table[i].dtype;
  return all;
}();

constexpr const DtypeInfo& info_of(Dtype dtype) { return dtype_table[static_cast<size_t>(dtype)]; }
constexpr size_t size_of(Dtype dtype) { return info_of(dtype).bytes; }
constexpr DtypeKind kind_of(Dtype dtype) { return info_of(dtype).kind; }
constexpr bool is_float(Dtype dtype) { return kind_of(dtype) == DtypeKind::floating; }
constexpr std::string_view name_of(Dtype dtype) { return info_of(dtype).name; }
constexpr Compute compute_of(Dtype dtype) { return info_of(dtype).compute; }
// The dtype whose elements are what is computed with.
constexpr Dtype dtype_of(Compute compute) {
  constexpr Dtype plain[] = {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f32, Dtype::f64};
  return plain[static_cast<size_t>(compute)];
}
constexpr Dtype computing_dtype(Dtype dtype) { return dtype_of(compute_of(dtype)); }
// Whether numbers are stored otherwise than they are computed with.
constexpr bool is_narrow(Dtype dtype) { return info_of(dtype).form != ElementForm::plain; }
// The floats of 16 bits (half.hpp).
constexpr bool is_half(Dtype dtype) { return is_narrow(dtype) && is_float(dtype); }
constexpr bool is_narrow_integer(Dtype dtype) { return is_narrow(dtype) && !is_float(dtype); }
constexpr bool is_unsigned(Dtype dtype) { return info_of(dtype).form == ElementForm::zero; }

// Of integers.
constexpr int64_t max_of(Dtype dtype) { return static_cast<int64_t>((uint64_t{1} << info_of(dtype).digits) - 1); }
constexpr int64_t least_of(Dtype dtype) { return is_unsigned(dtype) ? 0 : -max_of(dtype) - 1; }
constexpr bool fits(int64_t number, Dtype dtype) { return number >= least_of(dtype) && number <= max_of(dtype); }

// Whether every number of `b` is one of `a`, which is of the same kind.
constexpr bool holds(Dtype a, Dtype b) {
  if (is_float(a)) return info_of(a).digits >= info_of(b).digits && info_of(a).exponent >= info_of(b).exponent;
  return least_of(a) <= least_of(b) && max_of(a) >= max_of(b);
}
// The smallest dtype of their kind that holds the numbers of both; of equal ones the first.
constexpr Dtype join(Dtype a, Dtype b) {
  if (holds(a, b)) return a;
  Dtype best = b;
  for (const Dtype each : all_dtypes) {
    if (kind_of(each) != kind_of(a) || !holds(each, a) || !holds(each, b)) continue;
    if (!holds(best, a) || size_of(each) < size_of(best)) best = each;
  }
  return best;
}

// Calls f with a value of the type that is computed with.
template <class F>
constexpr decltype(auto) with_compute(Compute compute, F&& f) {
  switch (compute) {
    case Compute::boolean: return f(bool{});
    case Compute::i32: return f(int32_t{});
    case Compute::i64: return f(int64_t{});
    case Compute::f32: return f(float{});
    case Compute::f64: break;
  }
  return f(double{});
}
// Calls f with a value of the type that lies in memory. f16 and bf16 have none: ask is_half first.
template <class F>
constexpr decltype(auto) with_element(Dtype dtype, F&& f) {
  switch (info_of(dtype).form) {
    case ElementForm::sign: return size_of(dtype) == 1 ? f(int8_t{}) : f(int16_t{});
    case ElementForm::zero:
      return size_of(dtype) == 1 ? f(uint8_t{}) : size_of(dtype) == 2 ? f(uint16_t{}) : f(uint32_t{});
    default: return with_compute(compute_of(dtype), std::forward<F>(f));
  }
}
// Calls f with an unsigned integer of the size of an element.
template <class F>
constexpr decltype(auto) with_bytes(Dtype dtype, F&& f) {
  switch (size_of(dtype)) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

inline constexpr unsigned max_rank = 16;  // axes

// A dimension: a number ≥ 0, or a symbol.
class Dim {
 public:
  Dim() = default;  // left uninitialised: a Shape never reads past its rank
  constexpr Dim(int64_t number) : value_(number) { assert(known()); }  // NOLINT: a number is a dimension
  static constexpr Dim symbol(uint32_t id) { return Dim(Raw{}, -1 - static_cast<int64_t>(id)); }
  constexpr bool known() const { return value_ >= 0; }
  constexpr int64_t number() const {
    assert(known());
    return value_;
  }
  constexpr uint32_t id() const {
    assert(!known());
    return static_cast<uint32_t>(-1 - value_);
  }
  constexpr bool operator==(const Dim&) const = default;

 private:
  struct Raw {};
  constexpr Dim(Raw, int64_t value) : value_(value) {}
  int64_t value_;
};

// Dimensions of one tensor; only the first `rank` elements are ever read or copied.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Dim> dims) { assign(dims.begin(), dims.size()); }
  template <class It>
  Shape(It first, size_t count) {
    assign(first, count);
  }
  Shape(const Shape& other) { assign(other.dims_.data(), other.rank_); }
  Shape& operator=(const Shape& other) {
    assign(other.dims_.data(), other.rank_);
    return *this;
  }

  unsigned rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  Dim operator[](unsigned axis) const {
    assert(axis < rank_);
    return dims_[axis];
  }
  Dim& operator[](unsigned axis) {
    assert(axis < rank_);
    return dims_[axis];
  }
  const Dim* begin() const { return dims_.data(); }
  const Dim* end() const { return dims_.data() + rank_; }
  void push_back(Dim dim);              // throws OpError(rank_limit) past max_rank
  void insert(unsigned axis, Dim dim);  // likewise
  void erase(unsigned axis);
  bool known() const {
    for (unsigned i = 0; i < rank_; ++i) {
      if (!dims_[i].known()) return false;
    }
    return true;
  }
  int64_t elements() const;  // known shapes only; saturates instead of overflowing
  bool operator==(const Shape& other) const;
  std::string text() const;  // "[200, 3]"

 private:
  template <class It>
  void assign(It first, size_t count) {
    if (count > max_rank) [[unlikely]]
      fail_rank(count);
    rank_ = static_cast<uint8_t>(count);
    for (size_t i = 0; i < count; ++i) dims_[i] = first[i];
  }
  [[noreturn]] static void fail_rank(size_t rank);
  uint8_t rank_ = 0;
  std::array<Dim, max_rank> dims_;
};

struct Type {
  Dtype dtype = Dtype::f64;
  Shape shape;
  bool operator==(const Type&) const = default;
  std::string text() const;  // "f64[200, 3]"; rank 0: "f64"
};

}  // namespace covec
