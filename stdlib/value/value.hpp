// Value: what a variable holds. 16 bytes: numbers unboxed (a scalar is a rank-0 tensor to the user), all else a counted
// pointer. Copying shares, writing copies first when shared: value semantics everywhere. Start at Value, then
// tensor.hpp for Tensor, tree.hpp for tuples, lists and records, callable.hpp for functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "stdlib/value/dtype.hpp"
#include "stdlib/value/object.hpp"

namespace covec {

enum class Tag : uint8_t {
  none = 0,
  boolean = 1,
  i32 = 2,
  i64 = 3,
  f32 = 6,
  f64 = 7,      // scalars: Dtype + 1
  unbound = 8,  // a slot before its first assignment; never seen by users
  object = 16,  // Object::kind says what
};

class Tensor;
struct String;
struct Tuple;
struct List;
struct Record;
struct Callable;
struct Sequence;
struct Traced;

class Value {
 public:
  Value() noexcept : tag_(Tag::none) { bits_.i64 = 0; }
  Value(bool v) noexcept : tag_(Tag::boolean) { bits_.i64 = v; }  // NOLINT: numbers convert
  Value(int32_t v) noexcept : tag_(Tag::i32) {
    bits_.i64 = 0;
    bits_.i32 = v;
  }
  Value(int64_t v) noexcept : tag_(Tag::i64) { bits_.i64 = v; }
  Value(float v) noexcept : tag_(Tag::f32) {
    bits_.i64 = 0;
    bits_.f32 = v;
  }
  Value(double v) noexcept : tag_(Tag::f64) { bits_.f64 = v; }
  template <class T>
  Value(T*) = delete;
  static Value unbound() noexcept {
    Value v;
    v.tag_ = Tag::unbound;
    return v;
  }
  // Takes over the count that the caller holds.
  static Value adopt(Object* object) noexcept {
    Value v;
    v.tag_ = Tag::object;
    v.bits_.object = object;
    return v;
  }
  static Value share(Object* object) noexcept {
    retain(object);
    return adopt(object);
  }

  Value(const Value& other) noexcept : tag_(other.tag_), bits_(other.bits_) {
    if (tag_ == Tag::object) retain(bits_.object);
  }
  Value(Value&& other) noexcept : tag_(other.tag_), bits_(other.bits_) { other.tag_ = Tag::none; }
  Value& operator=(const Value& other) noexcept {
    Value copy(other);
    swap(copy);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Value moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Value() {
    if (tag_ == Tag::object) release(bits_.object);
  }
  void swap(Value& other) noexcept {
    std::swap(tag_, other.tag_);
    std::swap(bits_, other.bits_);
  }

  Tag tag() const noexcept { return tag_; }
  bool is_none() const noexcept { return tag_ == Tag::none; }
  bool is_unbound() const noexcept { return tag_ == Tag::unbound; }
  bool is_scalar() const noexcept { return static_cast<uint8_t>(tag_) - 1u < 7u; }  // an unboxed number
  bool is_object() const noexcept { return tag_ == Tag::object; }
  bool is(ObjectKind kind) const noexcept { return tag_ == Tag::object && bits_.object->kind == kind; }
  bool is_tensor() const noexcept { return is(ObjectKind::tensor); }
  bool is_traced() const noexcept { return is(ObjectKind::traced); }
  bool is_symbol() const noexcept { return is(ObjectKind::symbol); }
  bool is_numeric() const noexcept { return is_scalar() || is_tensor(); }  // a concrete tensor of any rank
  bool unique() const noexcept { return tag_ == Tag::object && bits_.object->unique(); }

  Dtype scalar_dtype() const noexcept { return static_cast<Dtype>(static_cast<uint8_t>(tag_) - 1); }
  bool boolean() const noexcept { return bits_.i64 != 0; }
  int32_t i32() const noexcept { return bits_.i32; }
  int64_t i64() const noexcept { return bits_.i64; }
  float f32() const noexcept { return bits_.f32; }
  double f64() const noexcept { return bits_.f64; }
  const void* scalar_data() const noexcept { return &bits_; }  // the number's bytes, in its dtype (little-endian)
  void* scalar_data() noexcept { return &bits_; }
  static Value scalar(Dtype dtype, const void* data) noexcept;

  Object* object() const noexcept { return bits_.object; }
  Object* detach() noexcept {
    tag_ = Tag::none;
    return bits_.object;
  }                                        // the caller takes the count
  inline Tensor& tensor() const noexcept;  // these do not check: ask is(...) first
  inline String& string() const noexcept;
  inline Tuple& tuple() const noexcept;
  inline List& list() const noexcept;
  inline Record& record() const noexcept;
  inline Callable& function() const noexcept;
  inline Sequence& sequence() const noexcept;
  inline Traced& traced() const noexcept;

 private:
  Tag tag_;
  union Bits {
    int64_t i64;
    int32_t i32;
    float f32;
    double f64;
    Object* object;
  } bits_;
};
static_assert(sizeof(Value) == 16);

// "f64[200, 3]", "f64", "string", "record", "function", "none"…: what error messages and type_of say.
std::string describe(const Value& value);

}  // namespace covec
