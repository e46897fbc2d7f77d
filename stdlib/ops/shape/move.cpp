// roll and pad read their arguments in any of their forms, and leave the moving to one linear operator each.
#include "stdlib/ops/shape/move.hpp"

#include <algorithm>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/shape/family.hpp"
#include "stdlib/ops/shape/parts.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/interrupt_chunks.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr int64_t copy_grain = 1 << 18;  // bytes

// An integer, or a number of the run's that is one.
bool is_whole_number(const Value& value) { return is_integer(value) || is_symbolic_integer(value); }

// The numbers of an attribute: one, or those of a tuple or list.
std::vector<Value> numbers_of(const Call& call, unsigned operand, const Value& value) {
  if (is_whole_number(value)) return {value};
  if (!value.is(ObjectKind::tuple) && !value.is(ObjectKind::list))
    fail_attribute(call, operand, "an integer or a tuple of integers");
  std::vector<Value> numbers;
  for (const Value& item : *children(value)) {
    numbers.push_back(concrete(item));
    if (!is_whole_number(numbers.back())) fail_attribute(call, operand, "integers");
  }
  return numbers;
}

// --- roll ---

Type roll_axis_type(ShapeBuilder&, const Call& call) { return operand_type(call, 0); }

Value roll_axis_eager(Builder& builder, Call& call) {
  const unsigned axis = static_cast<unsigned>(integer_argument(call, 2));
  const int64_t size = call.args[0].tensor().dim(axis);
  if (call.args[0].tensor().size() == 0) return std::move(call.args[0]);
  const int64_t rest = integer_argument(call, 1) % size, shift = rest < 0 ? rest + size : rest;
  if (shift == 0) return std::move(call.args[0]);
  const Value x = contiguous(builder.pool(), call.args[0]);
  const Tensor& from = x.tensor();
  Value result = make_tensor(builder.pool(), from.dtype(), from.shape());
  const int64_t row = from.stride(axis) * static_cast<int64_t>(size_of(from.dtype())), block = size * row;
  const int64_t blocks = from.size() * static_cast<int64_t>(size_of(from.dtype())) / block;
  const std::byte* source = from.data();
  std::byte* to = result.tensor().data();
  const auto copy = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      copy_long(to + i * block + shift * row, source + i * block, static_cast<size_t>((size - shift) * row));
      copy_long(to + i * block, source + i * block + (size - shift) * row, static_cast<size_t>(shift * row));
    }
  };
  kernels::parallel_for(builder.context(), blocks, std::max<int64_t>(1, copy_grain / block), copy);
  return result;
}

Value roll_axis(Builder& builder, Value x, Value shift, unsigned axis) {
  return call(builder, roll_axis_entry(), {std::move(x), std::move(shift), Value(int64_t{axis})});
}

Value roll_axis_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  return rule.call(roll_axis_entry(), {cotangent, rule.neg(residuals.operands[1]), residuals.operands[2]});
}

Value roll_axis_batch(Builder& builder, Call& call, const Batching&) {
  call.args[2] = integer_argument(call, 2) + 1;
  return ops::call(builder, call.entry, call.args);
}

Value roll_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Type type = logical_type(call.args[0]);
  const std::vector<Value> shifts = numbers_of(call, 1, call.args[1]);
  Value x = std::move(call.args[0]);
  if (call.args[2].is_none()) {
    x = flatten(builder, std::move(x));
    for (const Value& shift : shifts) x = roll_axis(builder, std::move(x), shift, 0);
    return reshape(builder, std::move(x), type.shape);
  }
  const Integers axes = integers_argument(call, 2);
  if (shifts.size() != axes.size() && shifts.size() != 1 && axes.size() != 1) {
    fail(message("roll_counts"), {std::to_string(shifts.size()), std::to_string(axes.size())});
  }
  const size_t rolls = shifts.empty() || axes.size() == 0 ? 0 : std::max<size_t>(shifts.size(), axes.size());
  for (size_t i = 0; i < rolls; ++i) {
    const unsigned axis = normal_axis(call, axes[axes.size() == 1 ? 0 : static_cast<unsigned>(i)], type.shape.rank());
    x = roll_axis(builder, std::move(x), shifts[shifts.size() == 1 ? 0 : i], axis);
  }
  return x;
}

// --- pad ---

constexpr unsigned first_width = 3;  // among the operands of rim: x, value and the parameter come before

Dim width_of(ShapeBuilder& shapes, const Call& call, unsigned axis, bool after) {
  const unsigned operand = first_width + 2 * axis + (after ? 1 : 0);
  const Value& width = call.operand(operand);
  const bool negative = is_integer(width) && integer_of(width) < 0;
  if (negative) fail(message("negative_size"), {"pad", std::to_string(integer_of(width))});
  return size_argument(shapes, call, operand);
}

Type rim_type(ShapeBuilder& shapes, const Call& call) {
  Type x = operand_type(call, 0);
  for (unsigned i = 0; i < x.shape.rank(); ++i) {
    const Dim inside = shapes.add(width_of(shapes, call, i, false), x.shape[i]);
    x.shape[i] = shapes.add(inside, width_of(shapes, call, i, true));
  }
  return x;
}

// One axis after the other from the first: what is before, its elements, what is after.
struct Padding {
  const Tensor& x;
  const Tensor& to;
  const int64_t* before;
  const Value& value;
  size_t width;

  void copy(unsigned axis, const std::byte* from, std::byte* place) const {
    const size_t row = static_cast<size_t>(to.stride(axis)) * width;
    const size_t front = static_cast<size_t>(before[axis]) * row, inside = static_cast<size_t>(x.dim(axis)) * row;
    fill_elements(place, front, value);
    fill_elements(place + front + inside, static_cast<size_t>(to.dim(axis)) * row - front - inside, value);
    if (axis + 1 == x.rank()) {
      copy_long(place + front, from, inside);
      return;
    }
    const size_t step = static_cast<size_t>(x.stride(axis)) * width;
    for (int64_t i = 0; i < x.dim(axis); ++i) {
      copy(axis + 1, from + static_cast<size_t>(i) * step, place + front + static_cast<size_t>(i) * row);
    }
  }
};

Value rim_eager(Builder& builder, Call& call) {
  const Type type = rim_type(builder, call);
  if (type.shape.rank() == 0) return std::move(call.args[0]);
  std::array<int64_t, max_rank> before;
  for (unsigned i = 0; i < type.shape.rank(); ++i) before[i] = width_of(builder, call, i, false).number();
  const Value x = contiguous(builder.pool(), call.args[0]);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  if (result.tensor().size() == 0) return result;
  const Padding padding{x.tensor(), result.tensor(), before.data(), call.args[1], size_of(type.dtype)};
  padding.copy(0, x.tensor().data(), result.tensor().data());
  return result;
}

// Where x lies in the result, as items of an index.
struct Inside {
  Value spec;
  std::vector<Value> items;

  Inside(Builder& builder, const Residuals& residuals) {
    const Call call = residual_call(rim_entry(), residuals);
    IndexSpec packed;
    for (unsigned i = 0; i < residuals.types[0].shape.rank(); ++i) {
      packed.push(IndexSpec::Item::slice, true, true);
      const Dim before = width_of(builder, call, i, false);
      items.push_back(builder.extent(before));
      items.push_back(builder.extent(builder.add(before, residuals.types[0].shape[i])));
    }
    spec = packed.packed();
  }
};

Value rim_transpose(RuleContext& rule, unsigned i, const Residuals& residuals, const Value& cotangent) {
  if (residuals.types[0].shape.rank() == 0) return i == 0 ? cotangent : rule.number(0, residuals.types[1].dtype);
  Inside inside(rule.builder(), residuals);
  if (i == 0) {
    Value part = index_read(rule.builder(), cotangent, inside.spec, inside.items);
    return rule.reshape(std::move(part), residuals.types[0].shape);
  }
  Value args[] = {cotangent, rule.number(0, residuals.types[1].dtype), inside.spec};
  return rule.sum_to(call(rule.builder(), handles().index_update, args, inside.items), residuals.types[1]);
}

// No rim along the axis of the examples. Where each has a value of its own, it is put in afterwards.
Value rim_batch(Builder& builder, Call& call, const Batching& batching) {
  std::vector<Value> widths(2, Value(int64_t{0}));
  widths.insert(widths.end(), call.rest.begin(), call.rest.end());
  if (!batching.batched[1]) return ops::call(builder, call.entry, call.args, widths);
  RuleContext rule(builder, true);
  const Type x = example_type(call, 0, batching);
  Value inside[] = {broadcast_to(builder, Value(true), x.shape), Value(false), Value()};
  std::vector<Value> of_example(call.rest.begin(), call.rest.end());
  Value is_inside = ops::call(builder, call.entry, inside, of_example);
  Value zeros[] = {with_batch_axis(builder, std::move(call.args[0]), batching.batched[0], batching.size),
                   rule.number(0, x.dtype), Value()};
  Value value = align_batch(builder, std::move(call.args[1]), x.shape.rank());
  return rule.where(std::move(is_inside), ops::call(builder, call.entry, zeros, widths), std::move(value));
}

// The widths before and after, for each axis: from one number, one pair, or a pair for each axis.
std::vector<Value> widths_of(const Call& call, unsigned rank) {
  const Value& given = call.args[1];
  constexpr std::string_view must_be = "an integer, a pair of integers or a pair for each axis";
  std::vector<Value> widths;
  const bool tree = given.is(ObjectKind::tuple) || given.is(ObjectKind::list);
  const bool nested = tree && !children(given)->empty() && !is_whole_number(concrete((*children(given))[0]));
  if (nested) {
    if (children(given)->size() != rank) {
      fail(message("pad_widths"), {std::to_string(children(given)->size()), logical_type(call.args[0]).text()},
           {label_of(call, 0)});
    }
    for (const Value& pair : *children(given)) {
      const std::vector<Value> both = numbers_of(call, 1, pair);
      if (both.size() != 2) fail_attribute(call, 1, must_be);
      widths.insert(widths.end(), both.begin(), both.end());
    }
  } else {
    const std::vector<Value> both = numbers_of(call, 1, given);
    if (both.empty() || both.size() > 2) fail_attribute(call, 1, must_be);
    for (unsigned i = 0; i < rank; ++i) widths.insert(widths.end(), {both[0], both[both.size() - 1]});
  }
  return widths;
}

// Which elements of an axis of `size` stand in its padded form. Past an end, "edge" repeats the last element, and
// "reflect" turns back there, as often as the width needs it.
enum class Mode : unsigned { constant, edge, reflect };

int64_t padded_place(int64_t i, int64_t size, Mode mode) {
  if (mode == Mode::edge) return std::clamp<int64_t>(i, 0, size - 1);
  if (size == 1) return 0;
  const int64_t period = 2 * (size - 1), rest = i % period, place = rest < 0 ? rest + period : rest;
  return std::min(place, period - place);
}

constexpr unsigned size_of_axis = 0, before_axis = 1, after_axis = 2, mode_of_axis = 3;  // operands of padded_places

Dim padding_of(ShapeBuilder& shapes, const Call& call, unsigned operand) {
  const Value& width = call.args[operand];
  const bool negative = is_integer(width) && integer_of(width) < 0;
  if (negative) fail(message("negative_size"), {"pad", std::to_string(integer_of(width))});
  return size_argument(shapes, call, operand);
}

Type padded_places_type(ShapeBuilder& shapes, const Call& call) {
  const Dim inside = shapes.add(padding_of(shapes, call, before_axis), size_argument(shapes, call, size_of_axis));
  return {Dtype::i64, {shapes.add(inside, padding_of(shapes, call, after_axis))}};
}

Value padded_places_eager(Builder& builder, Call& call) {
  const Type type = padded_places_type(builder, call);
  const int64_t size = integer_argument(call, size_of_axis), before = integer_argument(call, before_axis);
  const int64_t count = type.shape[0].number();
  if (size == 0 && count > 0) fail(message("reduce_empty"), {"the padding"});
  const Mode mode = static_cast<Mode>(integer_argument(call, mode_of_axis));
  Value result = make_tensor(builder.pool(), Dtype::i64, type.shape);
  int64_t* const places = result.tensor().as<int64_t>();
  kernels::parallel_for(builder.context(), count, copy_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) places[i] = padded_place(i - before, size, mode);
  });
  return result;
}

bool is_zero(const Value& width) { return is_integer(width) && integer_of(width) == 0; }

// One axis after the other is read at its padded places.
Value pad_by_places(Builder& builder, Value x, const std::vector<Value>& widths, Mode mode) {
  const unsigned rank = logical_type(x).shape.rank();
  IndexSpec spec;
  for (unsigned axis = 0; axis < rank; ++axis) {
    IndexSpec at = spec;
    at.push(IndexSpec::Item::at);
    spec.push(IndexSpec::Item::slice);
    const Value &before = widths[2 * axis], &after = widths[2 * axis + 1];
    if (is_zero(before) && is_zero(after)) continue;
    const Value places = call(builder, padded_places_entry(),
                              {builder.extent(logical_type(x).shape[axis]), before, after, static_cast<int64_t>(mode)});
    x = index_read(builder, std::move(x), Value(at.packed()), {&places, 1});
  }
  return x;
}

Value pad_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  constexpr std::string_view modes[] = {"constant", "edge", "reflect"};
  const Mode mode = static_cast<Mode>(choice_argument(call, 3, modes));
  if (mode != Mode::constant) {
    const std::vector<Value> widths = widths_of(call, logical_type(call.args[0]).shape.rank());
    return pad_by_places(builder, std::move(call.args[0]), widths, mode);
  }
  const Value& value = call.args[2];
  if (!is_operand(value) || !logical_type(value).shape.empty()) fail_attribute(call, 2, "a number");
  const Type x = logical_type(call.args[0]);
  if (is_float(operand_dtype(value)) && !is_float(x.dtype)) {
    fail(message("index_assign_dtype"), {logical_type(value).text(), std::string(name_of(x.dtype))},
         {label_of(call, 2)}, "cast it first: " + std::string(name_of(x.dtype)) + "(…)");
  }
  std::vector<Value> widths = widths_of(call, x.shape.rank());
  Value args[] = {std::move(call.args[0]), cast_to(builder, value, x.dtype), Value()};
  return ops::call(builder, rim_entry(), args, widths);
}

}  // namespace

const Entry& roll_entry() {
  static const Entry entry{
      .name = "roll",
      .doc =
          "The elements of `x` `shift` places further along `axis`; those that leave at the end come in at the "
          "start.\n\n"
          "Without an axis they move row by row through all of `x`. `shift` and `axis` may be tuples.",
      .parameters = {any_parameter("x"), attribute("shift"), attribute("axis", Value())},
      .carries = true,
      .eager = roll_eager,
      .complex = by_parts,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3], 1", .expected = "[3.0, 1, 2]", .differentiate = true},
                  {.arguments = "[1.0, 2, 3], -4", .expected = "[2.0, 3, 1]", .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]], 1", .expected = "[[4, 1], [2, 3]]"},
                  {.arguments = "[[1.0, 2], [3, 4]], 1, axis=0",
                   .expected = "[[3.0, 4], [1, 2]]",
                   .differentiate = true},
                  {.arguments = "[[1, 2, 3], [4, 5, 6]], (1, 1), axis=(0, -1)", .expected = "[[6, 4, 5], [3, 1, 2]]"},
                  {.arguments = "[[1, 2, 3], [4, 5, 6]], 1, axis=(0, 1)", .expected = "[[6, 4, 5], [3, 1, 2]]"},
                  {.arguments = "zeros(0), 3", .expected = "zeros(0)"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& pad_entry() {
  static const Entry entry{
      .name = "pad",
      .doc =
          "`x` with `value` around it: `widths` elements at both ends of each axis, `(before, after)` of them, or a "
          "pair for each axis, `((0, 1), (2, 2))`.\n\n"
          "`mode` is \"constant\", \"edge\" (the last element of each end again) or \"reflect\" (the elements before "
          "the end in backward order, without the end itself; again and again where the axis is shorter). The latter "
          "two do not use `value`.",
      .parameters = {any_parameter("x"),
                     attribute("widths"),
                     {.name = "value", .kind = ParameterKind::any, .required = false, .fallback = int64_t{0}},
                     attribute("mode", Value())},
      .carries = true,
      .eager = pad_eager,
      .complex = by_parts_of<0b101>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2], 1", .expected = "[0.0, 1, 2, 0]", .differentiate = true},
                  {.arguments = "[1.0, 2], (0, 2), 9.0", .expected = "[1.0, 2, 9, 9]", .differentiate = true},
                  {.arguments = "[[1, 2], [3, 4]], ((1, 0), (0, 1)), value=7",
                   .expected = "[[7, 7, 7], [1, 2, 7], [3, 4, 7]]"},
                  {.arguments = "[[1.0, 2]], ((1, 1), (2, 0)), 0.5",
                   .expected = "[[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 1, 2], [0.5, 0.5, 0.5, 0.5]]",
                   .differentiate = true},
                  {.arguments = "zeros(0), 1", .expected = "[0.0, 0]"},
                  {.arguments = "zeros(2, 0), (1, 1), 1", .expected = "ones(4, 2)"},
                  {.arguments = "[1.0, 2, 3], (2, 1), mode=\"edge\"",
                   .expected = "[1.0, 1, 1, 2, 3, 3]",
                   .source = "NumPy",
                   .differentiate = true},
                  {.arguments = "[[1.0, 2, 3], [4, 5, 6]], ((1, 0), (2, 1)), mode=\"reflect\"",
                   .expected = "[[6.0, 5, 4, 5, 6, 5], [3, 2, 1, 2, 3, 2], [6, 5, 4, 5, 6, 5]]",
                   .source = "NumPy",
                   .differentiate = true},
                  {.arguments = "[1, 2, 3], (5, 7), mode=\"reflect\"",
                   .expected = "[2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2]",
                   .source = "NumPy"},
                  {.arguments = "[[1.0], [2]], ((0, 0), (2, 1)), mode=\"reflect\"",
                   .expected = "[[1.0, 1, 1, 1], [2, 2, 2, 2]]",
                   .source = "NumPy"},
                  {.arguments = "zeros(2, 0), ((1, 1), (0, 0)), mode=\"edge\"",
                   .expected = "zeros(4, 0)",
                   .source = "NumPy"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& roll_axis_entry() {
  static const Entry entry{
      .name = "roll_axis",
      .doc = "The elements of `x` further along one axis, around its end.",
      .parameters = {tensor_parameter("x"), attribute("shift"), attribute("axis")},
      .carries = true,
      .type = roll_axis_type,
      .eager = roll_axis_eager,
      .derivative = Derivative::linearly(1, roll_axis_transpose),
      .batch = roll_axis_batch,
      .internal = true,
  };
  return entry;
}

const Entry& rim_entry() {
  static const Entry entry{
      .name = "rim",
      .doc = "`x` with a number around it: so many before and after, for each axis.",
      .parameters = {tensor_parameter("x"), tensor_parameter("value"), attribute("widths", Value())},
      .variadic = true,
      .variadic_at = 2,
      .carries = true,
      .type = rim_type,
      .eager = rim_eager,
      .derivative = Derivative::linearly(3, rim_transpose, Derivative::rest_bit),
      .batch = rim_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& padded_places_entry() {
  static const Entry entry{
      .name = "padded_places",
      .doc = "Where the elements of a padded axis come from.",
      .parameters = {attribute("size"), attribute("before"), attribute("after"), attribute("mode")},
      .type = padded_places_type,
      .eager = padded_places_eager,
      .derivative = Derivative::none("gives positions"),
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

Family shape_move_entries() {
  static const Entry* const entries[] = {&roll_entry(), &pad_entry(), &roll_axis_entry(), &rim_entry(),
                                         &padded_places_entry()};
  return entries;
}

}  // namespace covec::ops
