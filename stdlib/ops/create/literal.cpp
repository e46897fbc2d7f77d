// Tensor literals and tensor(x). Adjacent numbers are written straight into a new tensor; anything else is stacked.
#include <algorithm>
#include <cstring>
#include <vector>

#include "stdlib/kernels/collect.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/number_row.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/create/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

bool is_literal(uint64_t literals, size_t i) { return i < 64 && ((literals >> i) & 1) != 0; }

std::string count_text(const Shape& shape) {
  if (shape.rank() == 0) return "is a number";
  if (shape.rank() > 1 || !shape[0].known()) return "has shape " + shape.text();
  const int64_t count = shape[0].number();
  return "has " + std::to_string(count) + (count == 1 ? " element" : " elements");
}

// As far as sizes are known.
bool may_be_equal(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (unsigned i = 0; i < a.rank(); ++i) {
    if (a[i].known() && b[i].known() && a[i] != b[i]) return false;
  }
  return true;
}

void check_rows(Builder& builder, std::span<Value> items) {
  const Type first = logical_type(items[0]);
  for (size_t i = 1; i < items.size(); ++i) {
    const Type row = logical_type(items[i]);
    if (row.shape == first.shape) continue;
    if (!may_be_equal(row.shape, first.shape)) fail_ragged(static_cast<int64_t>(i), row, first);
    // A check only: on a tape the items stay what they are.
    call(builder, expect_row_entry(), {constant_of(items[i]), constant_of(items[0]), Value(static_cast<int64_t>(i))});
  }
}

Dtype promoted_dtype(std::span<const Value> items, uint64_t literals) {
  std::vector<PromotionOperand> operands;
  for (size_t i = 0; i < items.size(); ++i) {
    const Type type = logical_type(items[i]);
    const OperandClass rank_class = type.shape.rank() > 0 ? OperandClass::tensor : OperandClass::rank0;
    operands.push_back({type.dtype, is_literal(literals, i) ? OperandClass::literal : rank_class});
  }
  return promote(operands);
}

void check_literals(std::span<const Value> items, uint64_t literals, Dtype dtype) {
  if (kind_of(dtype) != DtypeKind::integer || dtype == Dtype::i64) return;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!is_literal(literals, i) || items[i].tag() != Tag::i64 || fits(items[i].i64(), dtype)) continue;
    const std::string number = std::to_string(items[i].i64());
    fail(message("literal_range"), {number, std::string(name_of(dtype))}, {{static_cast<int>(i), number + " is i64"}});
  }
}

// Numbers that were written adapt to what they stand beside.
void adapt_literals(Builder& builder, std::span<Value> items, uint64_t literals) {
  if (literals == 0) return;
  const Dtype dtype = promoted_dtype(items, literals);
  check_literals(items, literals, dtype);
  for (size_t i = 0; i < items.size(); ++i) {
    if (is_literal(literals, i)) items[i] = cast_to(builder, std::move(items[i]), dtype);
  }
}

// --- rows of a literal ---

Type expect_row_type(ShapeBuilder&, const Call& call) {
  return {operand_type(call, 0).dtype, operand_type(call, 1).shape};
}

Value expect_row_eager(Builder&, Call& call) {
  const Type row = type_of(call.args[0]), first = type_of(call.args[1]);
  if (row.shape != first.shape) fail_ragged(integer_argument(call, 2), row, first);
  return std::move(call.args[0]);
}

Value expect_row_transpose(RuleContext&, unsigned i, const Residuals&, const Value& cotangent) {
  return i == 0 ? cotangent : Value();
}

Value expect_row_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, call.entry, call.args);
}

// --- tensor(x) ---

Value tensor_of(Builder& builder, const Value& x, unsigned depth) {
  if (depth > max_rank) fail(message("rank_limit"), {std::to_string(depth)});
  if (is_operand(x)) return x;
  std::vector<Value> items;
  if (x.is(ObjectKind::tuple) || x.is(ObjectKind::list)) {
    for (const Value& item : *children(x)) items.push_back(tensor_of(builder, item, depth + 1));
  } else if (x.is(ObjectKind::sequence)) {
    if (const auto* range = dynamic_cast<const SymbolicRange*>(&x.sequence())) return numbers_of(builder, *range);
    if (const auto* range = dynamic_cast<const Range*>(&x.sequence())) return numbers_of(builder, *range);
    kernels::collect(builder.context(), x.sequence().length(), items,
                     [&](int64_t i) { return tensor_of(builder, x.sequence().at(builder, i), depth + 1); });
  } else {
    fail(message("literal_element"), {describe(x)}, {{0, "this holds " + describe(x)}});
  }
  return make_literal(builder, items);
}

// A tensor that holds complex numbers is one of each part.
Value part_of_tree(Builder& builder, const Value& tree, bool imaginary) {
  if (is_container(tree))
    return map_parts(tree, [&](const Value& item) { return part_of_tree(builder, item, imaginary); });
  return imaginary && (is_complex(tree) || is_operand(tree)) ? imaginary_part(builder, tree) : real_part(tree);
}

Value tensor_complex(Builder& builder, Call& call) {
  const std::optional<Dtype> dtype = asked_part_dtype(call.entry, call.args);
  Value z = call.args[0];
  if (!is_complex(z)) {
    Value re = tensor_of(builder, part_of_tree(builder, z, false), 0);
    Value im = tensor_of(builder, part_of_tree(builder, z, true), 0);
    z = complex_value(builder, std::move(re), std::move(im));
  }
  return dtype ? ops::call(builder, *dtype == Dtype::f32 ? handles().c64 : handles().c128, {z}) : z;
}

Value tensor_eager(Builder& builder, Call& call) {
  if (holds_complex(call.args[0])) return tensor_complex(builder, call);
  const std::optional<Dtype> dtype = dtype_argument(call, 1);
  Value result = tensor_of(builder, call.args[0], 0);
  return dtype ? cast_to(builder, std::move(result), *dtype) : result;
}

Value complex_literal(Builder& builder, std::span<const Value> items, uint64_t literals) {
  std::vector<Value> re, im;
  for (const Value& item : items) {
    const bool number = is_complex(item) || is_operand(item);
    re.push_back(real_part(item));
    im.push_back(number ? imaginary_part(builder, item) : item);
  }
  Value real = make_literal(builder, re, literals);
  return complex_value(builder, std::move(real), make_literal(builder, im, literals));
}

bool is_tensor_part(const Value& value) { return is_operand(value) || value.is(ObjectKind::sequence); }

}  // namespace

void fail_ragged(int64_t number, const Type& row, const Type& first) {
  const auto label = [](int64_t at, const Type& type) {
    return ArgumentLabel{static_cast<int>(at), "row " + std::to_string(at) + " is " + type.text()};
  };
  fail(message("ragged"), {std::to_string(number), count_text(row.shape), count_text(first.shape)},
       {label(number, row), label(0, first)}, "a list keeps rows of several lengths: write list([1, 2], [3])");
}

Value make_literal(Builder& builder, std::span<Value> items, uint64_t literals) {
  if (items.empty()) return make_tensor(builder.pool(), Dtype::f64, {Dim(0)});
  if (all_numbers(items)) {
    const auto is_shorter = [](const Value& item) { return item.is_integer() && item.tag() != Tag::i64; };
    if (literals != 0 && std::ranges::any_of(items, is_shorter))
      check_literals(items, literals, promoted_dtype(items, literals));
    return tensor_of_numbers(builder.pool(), items, literals);
  }
  if (std::ranges::any_of(items, is_complex)) return complex_literal(builder, items, literals);
  if (std::none_of(items.begin(), items.end(), is_tensor_part))
    return make_list({std::make_move_iterator(items.begin()), std::make_move_iterator(items.end())});
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].is(ObjectKind::sequence)) items[i] = tensor_of(builder, items[i], 0);
    if (is_operand(items[i])) continue;
    fail(message("literal_element"), {describe(items[i])}, {{static_cast<int>(i), "this is " + describe(items[i])}},
         "brackets hold numbers and tensors, or only other values: list(a, b) and (a, b) hold any values");
  }
  check_rows(builder, items);
  adapt_literals(builder, items, literals);
  return stack(builder, items, 0);
}

const Entry& expect_row_entry() {
  static const Entry entry{
      .name = "expect_row",
      .doc = "A row of a tensor literal, which must have the shape of the first.",
      .parameters = {tensor_parameter("row"), tensor_parameter("first"), attribute("number")},
      .carries = true,
      .type = expect_row_type,
      .eager = expect_row_eager,
      .derivative = Derivative::linearly(1, expect_row_transpose),
      .batch = expect_row_batch,
      .effects = {.may_fail = true},
      .internal = true,
  };
  return entry;
}

const Entry& tensor_entry() {
  static const Entry entry{
      .name = "tensor",
      .doc = "A tensor of `x`: numbers, tuples, lists and ranges, nested evenly. Tensors stay as they are.",
      .parameters = {any_parameter("x"), attribute("dtype", Value())},
      .carries = true,
      .eager = tensor_eager,
      .complex = tensor_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "(1, 2, 3)", .expected = "[1, 2, 3]"},
                  {.arguments = "list((1, 2.5), (3, 4))", .expected = "[[1, 2.5], [3, 4]]"},
                  {.arguments = "range(3)", .expected = "[0, 1, 2]"},
                  {.arguments = "(1, 2), dtype=f32", .expected = "f32([1, 2])"},
                  {.arguments = "[1.0, 2]", .expected = "[1.0, 2]", .differentiate = true},
                  {.arguments = "4", .expected = "4"}},
      .staging = Staging::structural,
  };
  return entry;
}

Family create_literal_entries() {
  static const Entry* const entries[] = {&expect_row_entry(), &tensor_entry()};
  return entries;
}

}  // namespace covec::ops
