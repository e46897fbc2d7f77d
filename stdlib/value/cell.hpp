// Cell: 16 bytes that hold a number or one reference to an object, with a tag that says which. It keeps reference
// counts right: a copy takes a reference, destruction releases it, and a move leaves none behind. Value defines what a
// cell means. Generated code and the walker's registers read it in place: the tag first, the payload at byte 8.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "stdlib/value/dtype.hpp"
#include "stdlib/value/object.hpp"

namespace covec {

enum class Tag : uint8_t {
  none = 0,
  boolean = 1,
  i32 = 2,
  i64 = 3,
  f16 = 4,
  bf16 = 5,
  f32 = 6,
  f64 = 7,       // numbers: Dtype + 1; those of narrow integers fill all 8 bytes
  unbound = 15,  // a slot before its first assignment; never seen by users
  object = 16,   // Object::kind says what
};

constexpr Tag tag_of(Dtype dtype) { return static_cast<Tag>(static_cast<uint8_t>(dtype) + 1); }
constexpr Dtype dtype_of(Tag tag) { return static_cast<Dtype>(static_cast<uint8_t>(tag) - 1); }
static_assert(dtype_count < static_cast<size_t>(Tag::unbound));

class Cell {
 public:
  explicit Cell(Tag tag) noexcept : tag_(tag), bits_{0} {}
  // Bytes that the number does not fill are zero.
  template <class T>
  Cell(Tag tag, T number) noexcept : Cell(tag) {
    set(&number, sizeof number);
  }
  // Takes over the count that the caller holds.
  explicit Cell(Object* object) noexcept : tag_(Tag::object) { bits_.object = object; }

  Cell(const Cell& other) noexcept : tag_(other.tag_), bits_(other.bits_) {
    if (tag_ == Tag::object) retain(bits_.object);
  }
  Cell(Cell&& other) noexcept : tag_(other.tag_), bits_(other.bits_) { other.tag_ = Tag::none; }
  Cell& operator=(const Cell& other) noexcept {
    Cell copy(other);
    swap(copy);
    return *this;
  }
  Cell& operator=(Cell&& other) noexcept {
    Cell moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Cell() {
    if (tag_ == Tag::object) release(bits_.object);
  }

  Tag tag() const noexcept { return tag_; }
  int64_t i64() const noexcept { return bits_.i64; }
  int32_t i32() const noexcept { return bits_.i32; }
  float f32() const noexcept { return bits_.f32; }
  double f64() const noexcept { return bits_.f64; }
  Object* object() const noexcept { return bits_.object; }
  Object* detach() noexcept {  // the caller takes the count
    tag_ = Tag::none;
    return bits_.object;
  }
  const void* data() const noexcept { return &bits_; }
  void* data() noexcept { return &bits_; }
  // Of a number: writes its first bytes.
  void set(const void* number, size_t bytes) noexcept { std::memcpy(&bits_, number, bytes); }

 private:
  void swap(Cell& other) noexcept {
    std::swap(tag_, other.tag_);
    std::swap(bits_, other.bits_);
  }

  Tag tag_;
  union Bits {
    int64_t i64;
    int32_t i32;
    float f32;
    double f64;
    Object* object;
  } bits_;
};

}  // namespace covec
