// Value: what a variable holds. It is a cell of 16 bytes: an unboxed number (a scalar is a rank-0 tensor to the user)
// or a counted pointer to anything else. Copies share, and writing copies first if the object is shared, so everything
// has value semantics. Start at Value, then stdlib/tensor/tensor.hpp for Tensor, tree.hpp for tuples, lists and
// records, callable.hpp for functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "stdlib/value/cell.hpp"
#include "stdlib/value/dtype.hpp"
#include "stdlib/value/object.hpp"

namespace covec {

class Tensor;
struct String;
struct Tuple;
class List;
struct Record;
struct Callable;
struct Sequence;
struct Traced;

class Value {
 public:
  Value() noexcept : cell_(Tag::none) {}
  Value(bool v) noexcept : cell_(Tag::boolean, int64_t{v}) {}  // NOLINT: numbers convert
  Value(int32_t v) noexcept : cell_(Tag::i32, v) {}
  Value(int64_t v) noexcept : cell_(Tag::i64, v) {}
  Value(float v) noexcept : cell_(Tag::f32, v) {}
  Value(double v) noexcept : cell_(Tag::f64, v) {}
  template <class T>
  Value(T*) = delete;
  static Value unbound() noexcept {
    Value v;
    v.cell_ = Cell(Tag::unbound);
    return v;
  }
  // Takes over the count that the caller holds.
  static Value adopt(Object* object) noexcept {
    Value v;
    v.cell_ = Cell(object);
    return v;
  }
  static Value scalar(Dtype dtype, const void* data) noexcept;
  static Value half(Dtype dtype, float number) noexcept;  // f16 or bf16, rounded
  // A number as one of the dtype: integers wrap, floats are rounded once. A float for an integer dtype must fit.
  static Value number(Dtype dtype, int64_t number) noexcept;
  static Value number(Dtype dtype, double number) noexcept;

  Tag tag() const noexcept { return cell_.tag(); }
  bool is_none() const noexcept { return tag() == Tag::none; }
  bool is_unbound() const noexcept { return tag() == Tag::unbound; }
  bool is_scalar() const noexcept { return static_cast<uint8_t>(tag()) - 1u < dtype_count; }  // an unboxed number
  bool is_object() const noexcept { return tag() == Tag::object; }
  bool is(ObjectKind kind) const noexcept { return is_object() && object()->kind == kind; }
  bool is_tensor() const noexcept { return is(ObjectKind::tensor); }
  bool is_traced() const noexcept { return is(ObjectKind::traced); }
  bool is_symbol() const noexcept { return is(ObjectKind::symbol); }
  bool is_numeric() const noexcept { return is_scalar() || is_tensor(); }  // a concrete tensor of any rank
  bool unique() const noexcept { return is_object() && object()->unique(); }

  Dtype scalar_dtype() const noexcept { return dtype_of(tag()); }
  bool boolean() const noexcept { return cell_.i64() != 0; }
  int32_t i32() const noexcept { return cell_.i32(); }
  int64_t i64() const noexcept { return cell_.i64(); }
  bool is_integer() const noexcept { return is_scalar() && kind_of(scalar_dtype()) == DtypeKind::integer; }
  int64_t integer() const noexcept { return tag() == Tag::i32 ? i32() : i64(); }  // of an integer or a bool
  double real() const noexcept;                                                   // of any number
  float f32() const noexcept { return cell_.f32(); }
  double f64() const noexcept { return cell_.f64(); }
  float half() const noexcept;                                       // of an f16 or bf16
  const void* scalar_data() const noexcept { return cell_.data(); }  // the number's bytes, in its dtype (little-endian)
  void* scalar_data() noexcept { return cell_.data(); }

  Object* object() const noexcept { return cell_.object(); }
  Object* detach() noexcept { return cell_.detach(); }  // the caller takes the count
  inline Tensor& tensor() const noexcept;               // these do not check: ask is(...) first
  inline String& string() const noexcept;
  inline Tuple& tuple() const noexcept;
  inline List& list() const noexcept;
  inline Record& record() const noexcept;
  inline Callable& function() const noexcept;
  inline Sequence& sequence() const noexcept;
  inline Traced& traced() const noexcept;

 private:
  Cell cell_;
};
static_assert(sizeof(Value) == 16);

// One more reference to an object.
inline Value reference_to(Object* object) noexcept {
  retain(object);
  return Value::adopt(object);
}

// "f64[200, 3]", "f64", "string", "record", "function", "none"…: what error messages and type_of say.
std::string describe(const Value& value);
// "a record", "an enumerate".
std::string with_article(const std::string& noun);

}  // namespace covec
