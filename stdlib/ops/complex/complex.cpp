#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/complex/family.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/complex_pair.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

// A number or tensor, complex or not.
const Value& number_operand(Builder& builder, Call& call, unsigned i) {
  if (!is_complex(call.args[i])) require_operand(builder, call, i);
  return call.args[i];
}

const Value& real_operand(Builder& builder, Call& call, unsigned i) {
  if (is_complex(call.args[i])) fail_attribute(call, i, "real");
  require_operand(builder, call, i);
  return call.args[i];
}

Value complex_eager(Builder& builder, Call& call) {
  const Value re = real_operand(builder, call, 0), im = real_operand(builder, call, 1);
  return complex_value(builder, as_own_step(builder, re, im), as_own_step(builder, im, re), call.literals);
}

Value real_eager(Builder& builder, Call& call) { return real_part(number_operand(builder, call, 0)); }
Value imag_eager(Builder& builder, Call& call) { return imaginary_part(builder, number_operand(builder, call, 0)); }

Value conj_eager(Builder& builder, Call& call) {
  const Value& z = number_operand(builder, call, 0);
  if (!is_complex(z)) return z;
  return make_complex(complex_of(z).re(), ops::call(builder, entry_of<Negate>(), {complex_of(z).im()}));
}

Value angle_eager(Builder& builder, Call& call) {
  const Value& z = number_operand(builder, call, 0);
  const Value re = real_part(z), im = imaginary_part(builder, z);
  const auto is_zero = [&](const Value& x) { return ops::call(builder, entry_of<Equal>(), {x, Value(0.0)}, 2); };
  const Value origin = ops::call(builder, entry_of<BitAnd>(), {is_zero(re), is_zero(im)});
  // At the origin the signs alone, whose derivative is 0.
  const auto signs = [&](double size, const Value& x) {
    const Value sign = ops::call(builder, entry_of<CopySign>(), {Value(size), x}, 1);
    return ops::call(builder, entry_of<Where>(), {origin, sign, x});
  };
  return ops::call(builder, entry_of<Atan2>(), {signs(0.0, im), signs(1.0, re)});
}

Value polar_eager(Builder& builder, Call& call) {
  Value length = real_operand(builder, call, 0), angle = real_operand(builder, call, 1);
  if ((call.literals & 3) == 1) length = cast_to(builder, length, float_dtype(logical_type(angle).dtype));
  if ((call.literals & 3) == 2) angle = cast_to(builder, angle, float_dtype(logical_type(length).dtype));
  const auto times = [&](const Entry& part) {
    return ops::call(builder, entry_of<Multiply>(), {length, ops::call(builder, part, {angle})});
  };
  return complex_value(builder, times(entry_of<Cos>()), times(entry_of<Sin>()));
}

Value is_complex_eager(Builder&, Call& call) { return Value(is_complex(call.args[0])); }

template <Dtype part>
Value cast_eager(Builder& builder, Call& call) {
  const Value& z = number_operand(builder, call, 0);
  Value re = cast_to(builder, real_part(z), part);
  Value im = is_complex(z) ? cast_to(builder, complex_of(z).im(), part) : zeros(builder, logical_type(re));
  return make_complex(std::move(re), std::move(im));
}

Entry entry_of_parts(std::string_view name, std::string_view doc, std::vector<Parameter> parameters,
                     Value (*eager)(Builder&, Call&), std::vector<Sample> samples) {
  Entry entry{.name = name,
              .doc = doc,
              .parameters = std::move(parameters),
              .carries = true,
              .derivative = Derivative::of_parts()};
  entry.eager = eager;
  entry.complex = eager;
  entry.samples = std::move(samples);
  entry.staging = Staging::structural;
  return entry;
}

const Entry& complex_entry() {
  static const Entry entry = entry_of_parts(
      "complex", "The complex number `re + im·i`, elementwise: `c64` of f32, f16 and bf16, `c128` of other numbers.",
      {any_parameter("re"), {.name = "im", .kind = ParameterKind::any, .required = false, .fallback = int64_t{0}}},
      complex_eager, {{"[1.0, -2.0], 0.5", "[1.0+0.5im, -2.0+0.5im]"}});
  return entry;
}

const Entry& real_entry() {
  static const Entry entry =
      entry_of_parts("real", "The real part, elementwise; a real number is its own.", {any_parameter("z")}, real_eager,
                     {{"[1.0+2.0im, 3.0-1.0im]", "[1.0, 3.0]"}, {"[1, 2]", "[1, 2]"}});
  return entry;
}

const Entry& imag_entry() {
  static const Entry entry =
      entry_of_parts("imag", "The imaginary part, elementwise: zeros of a real number.", {any_parameter("z")},
                     imag_eager, {{"[1.0+2.0im, 3.0-1.0im]", "[2.0, -1.0]"}, {"[1, 2]", "[0, 0]"}});
  return entry;
}

}  // namespace

const Entry& conj_entry() {
  static const Entry entry =
      entry_of_parts("conj", "The conjugate: the imaginary part with the other sign, elementwise.",
                     {any_parameter("z")}, conj_eager, {{"[1.0+2.0im, 3.0-1.0im]", "[1.0-2.0im, 3.0+1.0im]"}});
  return entry;
}

namespace {

const Entry& angle_entry() {
  static const Entry entry = entry_of_parts(
      "angle",
      "The angle of `z` from the positive real axis, −π to π, elementwise. On the negative real axis the sign of the\n"
      "imaginary zero decides. The derivative at 0 is 0.",
      {any_parameter("z")}, angle_eager, {{"[1im, -1.0, 2.0]", "[1.5707963267948966, 3.141592653589793, 0.0]"}});
  return entry;
}

const Entry& polar_entry() {
  static const Entry entry =
      entry_of_parts("polar", "`r·(cos(theta) + i·sin(theta))`, elementwise.",
                     {any_parameter("r"), any_parameter("theta")}, polar_eager, {{"2.0, 0.0", "2.0+0.0im"}});
  return entry;
}

const Entry& is_complex_entry() {
  static const Entry entry = [] {
    Entry made = entry_of_parts("is_complex", "Whether a value is a complex number or tensor.", {any_parameter("x")},
                                is_complex_eager, {{"1im", "true"}, {"1.0", "false"}});
    made.derivative = Derivative::none("gives no number");
    return made;
  }();
  return entry;
}

template <Dtype part>
Entry cast_entry_of(std::string_view name, std::string_view doc) {
  Entry entry =
      entry_of_parts(name, doc, {any_parameter("x")}, cast_eager<part>,
                     {{"[1.0, 2.5]", part == Dtype::f32 ? "complex(f32([1.0, 2.5]))" : "[1.0+0.0im, 2.5+0.0im]"}});
  entry.part_dtype = part;
  return entry;
}

}  // namespace

const Entry& c64_entry() {
  static const Entry entry = cast_entry_of<Dtype::f32>(
      "c64", "A complex number or tensor whose parts are f32: of a real one, with the imaginary part 0. A dtype.");
  return entry;
}

const Entry& c128_entry() {
  static const Entry entry = cast_entry_of<Dtype::f64>(
      "c128", "A complex number or tensor whose parts are f64: of a real one, with the imaginary part 0. A dtype.");
  return entry;
}

Family complex_family() {
  static const Entry* const all[] = {&complex_entry(),    &real_entry(),  &imag_entry(),
                                     &conj_entry(),       &angle_entry(), &polar_entry(),
                                     &is_complex_entry(), &c64_entry(),   &c128_entry()};
  return all;
}

}  // namespace covec::ops
