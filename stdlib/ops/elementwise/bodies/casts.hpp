// The casts bool(x), i32(x) and so on: functions that are also the dtypes' names. Their kernels and lowering are
// the vocabulary's conversions themselves (stdlib/simd/convert.hpp, ScalarOp::convert).
#pragma once

#include "stdlib/ops/elementwise/bodies/info.hpp"

namespace covec::ops {

struct ToBool {
  static constexpr PointwiseInfo info{.name = "bool",
                                      .doc = "Casts to bool: true where x is not 0.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::cast,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "cast {} to bool",
                                      .to = 0};
  static constexpr PointwiseSample samples[] = {{"[0.0, -0.0, 2.5, nan]", "[false, false, true, true]"}};
};
struct ToI32 {
  static constexpr PointwiseInfo info{.name = "i32",
                                      .doc = "Casts to i32: floats toward zero, saturating, NaN to 0; integers wrap.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::cast,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "cast {} to i32",
                                      .to = 1};
  static constexpr PointwiseSample samples[] = {
      {"[2.9, -2.9, 1e20, -inf, nan]", "i32([2, -2, 2147483647, -2147483648, 0])", "the language: saturating"},
      {"[4294967298, true]", "i32([2, 1])"}};
};
struct ToI64 {
  static constexpr PointwiseInfo info{.name = "i64",
                                      .doc = "Casts to i64: floats toward zero, saturating, NaN to 0.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::cast,
                                      .gradient = Gradient::piecewise_constant,
                                      .action = "cast {} to i64",
                                      .to = 2};
  static constexpr PointwiseSample samples[] = {{"[2.9, -2.9, 1e20, -inf, nan]",
                                                 "[2, -2, 9223372036854775807, -9223372036854775807 - 1, 0]",
                                                 "the language: saturating"}};
};
struct ToF16 {
  static constexpr PointwiseInfo info{
      .name = "f16",
      .doc = "Casts to f16, floats of 16 bits (IEEE 754's binary16: 11 significant bits, up to 65504), rounding once.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::cast,
      .gradient = Gradient::linear,
      .linear_in = keep(0),
      .action = "cast {} to f16",
      .to = 3};
  template <class E>
  static E transpose(unsigned, const E*, const E& cotangent) {
    return cotangent;
  }
  static constexpr PointwiseSample samples[] = {{"[0.5, -2.25, 65519.0, 65520.0]", "f16([0.5, -2.25, 65504.0, inf])"},
                                                {"1.00048828125 + 1e-12", "f16(1.0009765625)", "mpfr"}};
};
struct ToBf16 {
  static constexpr PointwiseInfo info{
      .name = "bf16",
      .doc = "Casts to bf16, floats of 16 bits (the upper half of an f32: 8 significant bits), rounding once.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::cast,
      .gradient = Gradient::linear,
      .linear_in = keep(0),
      .action = "cast {} to bf16",
      .to = 4};
  template <class E>
  static E transpose(unsigned, const E*, const E& cotangent) {
    return cotangent;
  }
  static constexpr PointwiseSample samples[] = {{"[0.5, -2.25, 3.4e38]", "bf16([0.5, -2.25, inf])"},
                                                {"1.00390625 + 1e-12", "bf16(1.0078125)", "mpfr"}};
};
struct ToF32 {
  static constexpr PointwiseInfo info{.name = "f32",
                                      .doc = "Casts to f32, rounding once.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::cast,
                                      .gradient = Gradient::linear,
                                      .linear_in = keep(0),
                                      .action = "cast {} to f32",
                                      .to = 5};
  template <class E>
  static E transpose(unsigned, const E*, const E& cotangent) {
    return cotangent;
  }
  static constexpr PointwiseSample samples[] = {{"[0.5, -2.25]", "f32([0.5, -2.25])", "numpy", 0, true},
                                                {"9007199791611905", "f32(9007200328482816.0)", "mpfr"}};
};
struct ToF64 {
  static constexpr PointwiseInfo info{.name = "f64",
                                      .doc = "Casts to f64.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::cast,
                                      .gradient = Gradient::linear,
                                      .linear_in = keep(0),
                                      .action = "cast {} to f64",
                                      .to = 6};
  template <class E>
  static E transpose(unsigned, const E*, const E& cotangent) {
    return cotangent;
  }
  static constexpr PointwiseSample samples[] = {{"[1, -2]", "[1.0, -2.0]"},
                                                {"[0.5, -2.25]", "[0.5, -2.25]", "numpy", 0, true}};
};

struct ToI8 {
  static constexpr PointwiseInfo info{
      .name = "i8",
      .doc = "Casts to i8, integers of 8 bits: floats toward zero, saturating, NaN to 0; integers wrap.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::cast,
      .gradient = Gradient::piecewise_constant,
      .action = "cast {} to i8",
      .to = 7};
  static constexpr PointwiseSample samples[] = {
      {"[2.9, -2.9, 1e20, -inf, nan]", "i8([2, -2, 127, -128, 0])", "the language: saturating"},
      {"[130, -129, 3]", "i8([-126, 127, 3])"}};
};
struct ToU8 {
  static constexpr PointwiseInfo info{
      .name = "u8",
      .doc = "Casts to u8, unsigned integers of 8 bits: floats toward zero, saturating, NaN to 0; integers wrap.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::cast,
      .gradient = Gradient::piecewise_constant,
      .action = "cast {} to u8",
      .to = 8};
  static constexpr PointwiseSample samples[] = {
      {"[2.9, -2.9, 1e20, -inf, nan]", "u8([2, 0, 255, 0, 0])", "the language: saturating"},
      {"[258, -1, 3]", "u8([2, 255, 3])"}};
};
struct ToU16 {
  static constexpr PointwiseInfo info{
      .name = "u16",
      .doc = "Casts to u16, unsigned integers of 16 bits: floats toward zero, saturating, NaN to 0; integers wrap.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::cast,
      .gradient = Gradient::piecewise_constant,
      .action = "cast {} to u16",
      .to = 9};
  static constexpr PointwiseSample samples[] = {
      {"[2.9, -2.9, 1e20, -inf, nan]", "u16([2, 0, 65535, 0, 0])", "the language: saturating"},
      {"[65538, -1, 3]", "u16([2, 65535, 3])"}};
};
struct ToI16 {
  static constexpr PointwiseInfo info{
      .name = "i16",
      .doc = "Casts to i16, integers of 16 bits: floats toward zero, saturating, NaN to 0; integers wrap.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::cast,
      .gradient = Gradient::piecewise_constant,
      .action = "cast {} to i16",
      .to = 11};
  static constexpr PointwiseSample samples[] = {
      {"[2.9, -2.9, 1e20, -inf, nan]", "i16([2, -2, 32767, -32768, 0])", "the language: saturating"},
      {"[65538, -32769, 3]", "i16([2, 32767, 3])"}};
};
struct ToU32 {
  static constexpr PointwiseInfo info{
      .name = "u32",
      .doc = "Casts to u32, unsigned integers of 32 bits: floats toward zero, saturating, NaN to 0; integers wrap.",
      .parameters = {"x"},
      .arity = 1,
      .types = TypeClass::cast,
      .gradient = Gradient::piecewise_constant,
      .action = "cast {} to u32",
      .to = 10};
  static constexpr PointwiseSample samples[] = {
      {"[2.9, -2.9, 1e20, -inf, nan]", "u32([2, 0, 4294967295, 0, 0])", "the language: saturating"},
      {"[4294967298, -1, 3]", "u32([2, 4294967295, 3])"}};
};

using Casts = List<ToBool, ToI32, ToI64, ToF16, ToBf16, ToF32, ToF64, ToI8, ToU8, ToU16, ToU32, ToI16>;

}  // namespace covec::ops
