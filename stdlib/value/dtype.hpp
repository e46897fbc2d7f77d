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

namespace covec {

// In order of what holds what, within a kind; f16 and bf16 hold neither each other.
enum class Dtype : uint8_t { boolean = 0, i32 = 1, i64 = 2, f16 = 3, bf16 = 4, f32 = 5, f64 = 6 };
inline constexpr std::array<Dtype, 7> all_dtypes = {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f16,
                                                    Dtype::bf16,    Dtype::f32, Dtype::f64};
enum class DtypeKind : uint8_t { boolean, integer, floating };

constexpr size_t size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::boolean: return 1;
    case Dtype::f16:
    case Dtype::bf16: return 2;
    case Dtype::i32:
    case Dtype::f32: return 4;
    case Dtype::i64:
    case Dtype::f64: return 8;
  }
  return 0;
}
constexpr DtypeKind kind_of(Dtype dtype) {
  return dtype == Dtype::boolean ? DtypeKind::boolean : dtype >= Dtype::f16 ? DtypeKind::floating : DtypeKind::integer;
}
constexpr bool is_float(Dtype dtype) { return kind_of(dtype) == DtypeKind::floating; }
// The floats of 16 bits: stored so, computed with as f32 (half.hpp).
constexpr bool is_half(Dtype dtype) { return dtype == Dtype::f16 || dtype == Dtype::bf16; }
constexpr std::string_view name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::boolean: return "bool";
    case Dtype::i32: return "i32";
    case Dtype::i64: return "i64";
    case Dtype::f16: return "f16";
    case Dtype::bf16: return "bf16";
    case Dtype::f32: return "f32";
    case Dtype::f64: return "f64";
  }
  return "?";
}

inline constexpr unsigned max_rank = 16;

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
