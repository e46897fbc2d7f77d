// The entries that order numbers. The sorting itself is in stdlib/kernels/sort.hpp; here an axis is moved to the end
// and back. The derivative of an ordering is that of reading by its positions. Start at Rows.
#include <algorithm>
#include <array>
#include <cmath>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/sort.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/ordering.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/order/family.hpp"
#include "stdlib/ops/order/order.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr const char* gives_positions = "gives positions";
// Numbers that are searched for in a piece for a thread.
constexpr int64_t search_grain = 1 << 11;

// --- sort, argsort, topk ---

struct AxisOrder {
  std::array<unsigned, max_rank> axes = {};
  unsigned rank;
  // The others, then `axis`; and where each of those came from.
  static AxisOrder last(unsigned rank, unsigned axis) {
    AxisOrder order{.rank = rank};
    for (unsigned i = 0; i < rank; ++i) order.axes[i] = i + 1 == rank ? axis : i < axis ? i : i + 1;
    return order;
  }
  static AxisOrder back(unsigned rank, unsigned axis) {
    AxisOrder order{.rank = rank};
    for (unsigned i = 0; i < rank; ++i) order.axes[i] = i < axis ? i : i == axis ? rank - 1 : i - 1;
    return order;
  }
  operator std::span<const unsigned>() const { return {axes.data(), rank}; }
};

// x with `axis` last, row-major.
struct Rows {
  Value x;
  kernels::SortedRows rows;

  Rows(Builder& builder, const Value& given, unsigned axis, bool descending) {
    x = contiguous(builder.pool(), permute_value(given, AxisOrder::last(rank_of(given), axis)));
    const Tensor& tensor = x.tensor();
    const int64_t length = tensor.dim(tensor.rank() - 1);
    rows = {tensor.data(), tensor.dtype(), length == 0 ? 0 : tensor.size() / length, length, descending};
  }
};

// A tensor for results, `count` in each row, and the same with its last axis back in its place.
struct RowResults {
  Value rows;
  unsigned axis;

  RowResults(Builder& builder, const Rows& from, Dtype dtype, int64_t count, unsigned axis_of_x) : axis(axis_of_x) {
    Shape shape = shape_of(from.x);
    shape[shape.rank() - 1] = Dim(count);
    rows = make_tensor(builder.pool(), dtype, shape);
  }
  Value in_place() const { return permute_value(rows, AxisOrder::back(rows.tensor().rank(), axis)); }
};

unsigned sorted_axis(const Call& call, unsigned operand) {
  return normal_axis(call, integer_argument(call, operand), operand_type(call, 0).shape.rank());
}

Type sort_type(ShapeBuilder&, const Call& call) {
  sorted_axis(call, 1);
  return operand_type(call, 0);
}

Value sort_eager(Builder& builder, Call& call) {
  const unsigned axis = sorted_axis(call, 1);
  const Rows from(builder, call.args[0], axis, flag_argument(call, 2));
  RowResults to(builder, from, from.rows.dtype, from.rows.length, axis);
  kernels::sort_rows(builder.context(), from.rows, to.rows.tensor().data());
  return to.in_place();
}

Type argsort_type(ShapeBuilder& shapes, const Call& call) { return {Dtype::i64, sort_type(shapes, call).shape}; }

Value positions(Builder& builder, const Value& x, unsigned axis, bool descending, int64_t count) {
  const Rows from(builder, x, axis, descending);
  RowResults to(builder, from, Dtype::i64, count, axis);
  kernels::sort_positions(builder.context(), from.rows, count, to.rows.tensor().as<int64_t>());
  return to.in_place();
}

Value argsort_eager(Builder& builder, Call& call) {
  const unsigned axis = sorted_axis(call, 1);
  return positions(builder, call.args[0], axis, flag_argument(call, 2), call.args[0].tensor().dim(axis));
}

// The same of every example; axes that count from the end do so still.
Value sort_batch(Builder& builder, Call& call, const Batching& batching) {
  const unsigned rank = example_type(call, 0, batching).shape.rank();
  call.args[1] = int64_t{normal_axis(call, integer_argument(call, 1), rank)} + 1;
  return ops::call(builder, call.entry, call.args);
}

Value sort_positions(RuleContext& rule, const Residuals& residuals) {
  return rule.call(argsort_entry(), {residuals.operands[0], residuals.operands[1], residuals.operands[2]});
}

Value sort_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  if (tangents[0].is_none()) return Value();
  return rule.call(handles().gather, {tangents[0], sort_positions(rule, residuals), residuals.operands[1]});
}

void sort_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (!out.wants(0)) return;
  const Value positions = sort_positions(rule, residuals);
  out.add(0, rule.call(handles().scatter_add,
                       {rule.zeros(residuals.types[0]), positions, cotangent, residuals.operands[1]}));
}

// --- of complex numbers ---

// The positions in NumPy's order: by real parts, and equal ones by imaginary parts. Those with a nan come last, those
// whose real part is nan after all others. Sorting is stable, so that the last key is the first to be sorted by.
Value complex_positions(Builder& builder, const Value& z, unsigned axis, const Value& descending) {
  Steps steps(builder);
  const Value re = constant_of(complex_of(z).re()), im = constant_of(complex_of(z).im()), along = int64_t{axis};
  const auto sorted = [&](const Value& key) { return steps.call(argsort_entry(), {key, along, descending}); };
  const auto read = [&](const Value& x, const Value& places) {
    return steps.call(handles().gather, {x, places, along});
  };
  Value places = sorted(im);
  places = read(places, sorted(read(re, places)));
  const Value partly = steps.both(steps.isnan(im), steps.inverse(steps.isnan(re)));
  const Value last = steps.where(steps.isnan(re), steps.number(2, Dtype::i64), steps.cast(partly, Dtype::i64));
  return read(places, sorted(read(last, places)));
}

unsigned complex_axis(Call& call) {
  return normal_axis(call, integer_argument(call, 1), logical_type(real_part(call.args[0])).shape.rank());
}

Value argsort_complex(Builder& builder, Call& call) {
  return complex_positions(builder, call.args[0], complex_axis(call), Value(flag_argument(call, 2)));
}

// Both parts are read by one order.
Value sort_complex(Builder& builder, Call& call) {
  if (const Entry* const items = sort_instead(call.args, 0)) return ops::call(builder, *items, call.args);
  const unsigned axis = complex_axis(call);
  const Value places = complex_positions(builder, call.args[0], axis, Value(flag_argument(call, 2)));
  return ops::call(builder, handles().gather, {call.args[0], places, Value(int64_t{axis})});
}

// --- topk ---

Type first_positions_type(ShapeBuilder& shapes, const Call& call) {
  Type x = operand_type(call, 0);
  const bool negative = is_integer(call.args[1]) && integer_of(call.args[1]) < 0;
  if (negative) fail(message("negative_size"), {"topk", std::to_string(integer_of(call.args[1]))});
  const Dim count = size_argument(shapes, call, 1);
  Dim& size = x.shape[sorted_axis(call, 2)];
  if (count.known() && size.known() && count.number() > size.number()) {
    fail(message("topk_count"), {std::to_string(count.number()), std::to_string(size.number())}, {label_of(call, 0)});
  }
  size = count;
  return {Dtype::i64, x.shape};
}

Value first_positions_eager(Builder& builder, Call& call) {
  const Type type = first_positions_type(builder, call);
  const unsigned axis = sorted_axis(call, 2);
  return positions(builder, call.args[0], axis, true, type.shape[axis].number());
}

Value first_positions_batch(Builder& builder, Call& call, const Batching&) {
  call.args[2] = integer_argument(call, 2) + 1;
  return ops::call(builder, call.entry, call.args);
}

Value topk_eager(Builder& builder, Call& call) {
  require_operand(builder, call, 0);
  const Value axis = int64_t{sorted_axis(call, 2)};
  Value positions = ops::call(builder, first_positions_entry(), {call.args[0], call.args[1], axis});
  Value values = ops::call(builder, handles().gather, {std::move(call.args[0]), positions, axis});
  return make_tuple({std::move(values), std::move(positions)});
}

// --- searchsorted ---

bool right_side(const Call& call) {
  const Value& side = call.args[2];
  if (side.is_none()) return false;
  const std::string_view text = side.is(ObjectKind::string) ? std::string_view(side.string().text) : "";
  if (text != "left" && text != "right") fail_attribute(call, 2, "\"left\" or \"right\"");
  return text == "right";
}

Type search_type(ShapeBuilder&, const Call& call) {
  right_side(call);
  const Type rows = operand_type(call, 0), x = operand_type(call, 1);
  if (&call.entry == &searchsorted_entry() && rows.shape.rank() != 1)
    fail(message("searchsorted_rank"), {rows.text()}, {label_of(call, 0)});
  return {Dtype::i64, x.shape};
}

// How many at the front of n are before: of `before`, which holds up to some place and not from there on.
template <class Before>
int64_t count_front(int64_t n, const Before& before) {
  int64_t first = 0;
  while (n > 0) {
    const int64_t half = n / 2;
    const bool beyond = before(first + half);
    first = beyond ? first + half + 1 : first;
    n = beyond ? n - half - 1 : half;
  }
  return first;
}

template <class T>
int64_t search(const T* row, int64_t n, T x, bool right) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return right ? n : count_front(n, [&](int64_t i) { return !std::isnan(row[i]); });
  }
  if (right) return count_front(n, [&](int64_t i) { return row[i] <= x; });
  return count_front(n, [&](int64_t i) { return row[i] < x; });
}

template <class T>
void search_rows(Builder& builder, const Tensor& rows, const void* x, int64_t count, bool right, int64_t* to) {
  const int64_t length = rows.dim(rows.rank() - 1);
  int64_t number = 1;
  for (unsigned i = 0; i + 1 < rows.rank(); ++i) number *= rows.dim(i);
  const int64_t each = number == 0 ? 1 : std::max<int64_t>(1, count / number);
  const T* numbers = static_cast<const T*>(x);
  kernels::parallel_for(builder.context(), count, search_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = search(rows.as<T>() + i / each * length, length, numbers[i], right);
    }
  });
}

Value search_eager(Builder& builder, Call& call) {
  const Type type = search_type(builder, call);
  const PromotionOperand both[] = {{dtype_of(call.args[0]), OperandClass::tensor},
                                   {dtype_of(call.args[1]), OperandClass::tensor}};
  const Dtype dtype = promote(both);
  const Value rows = contiguous(builder.pool(), cast_to(builder, std::move(call.args[0]), dtype));
  const Value given = cast_to(builder, std::move(call.args[1]), dtype);
  const Value x = given.is_scalar() ? given : contiguous(builder.pool(), given);
  Value result = make_tensor(builder.pool(), Dtype::i64, type.shape);
  const int64_t count = type.shape.elements();
  auto* to = static_cast<int64_t*>(result.is_scalar() ? result.scalar_data() : result.tensor().data());
  const bool right = right_side(call);
  with_compute(compute_of(dtype),
               [&]<class T>(T) { search_rows<T>(builder, rows.tensor(), data_of(x), count, right, to); });
  return result;
}

// Where only x differs between the examples it is one x; else each example has a row of its own.
Value search_batch(Builder& builder, Call& call, const Batching& batching) {
  if (!batching.batched[0] && &call.entry == &searchsorted_entry()) return ops::call(builder, call.entry, call.args);
  for (unsigned i = 0; i < 2; ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, search_rows_entry(), call.args);
}

// --- unique ---

Type starts_type(ShapeBuilder&, const Call& call) { return {Dtype::boolean, operand_type(call, 0).shape}; }

// Not equal; NaNs are equal to each other.
template <class T>
bool differ(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a != b && !(std::isnan(a) && std::isnan(b));
  return a != b;
}

template <class T>
void mark_starts(Builder& builder, const T* x, int64_t rows, int64_t length, uint8_t* to) {
  kernels::parallel_for(builder.context(), rows * length, search_grain, [&](int64_t begin, int64_t end) {
    int64_t column = begin % length;
    for (int64_t i = begin; i < end; ++i, column = column + 1 == length ? 0 : column + 1) {
      to[i] = column == 0 || differ(x[i - 1], x[i]);
    }
  });
}

Value starts_eager(Builder& builder, Call& call) {
  const Value x = contiguous(builder.pool(), call.args[0]);
  const Tensor& numbers = x.tensor();
  Value result = make_tensor(builder.pool(), Dtype::boolean, numbers.shape());
  if (numbers.size() == 0) return result;
  const int64_t length = numbers.dim(numbers.rank() - 1), rows = numbers.size() / length;
  uint8_t* to = result.tensor().as<uint8_t>();
  with_compute(compute_of(numbers.dtype()),
               [&]<class T>(T) { mark_starts(builder, numbers.as<T>(), rows, length, to); });
  return result;
}

Value starts_batch(Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); }

std::vector<Parameter> sort_parameters() {
  return {tensor_parameter("x"), attribute("axis", int64_t{-1}), attribute("descending", false)};
}

}  // namespace

// Each on all of its line: which one it is depends on the numbers.
Value pattern_of_sort(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  const Call call = residual_call(entry, residuals);
  const unsigned rank = residuals.types[0].shape.rank();
  return sets.along(of[0], uint32_t{1} << normal_axis(call, integer_argument(call, 1), rank));
}

const Entry& sort_entry() {
  static const Entry entry{
      .name = "sort",
      .doc =
          "The elements of `x` in order along `axis`: ascending, or descending with `descending=true`.\n\n"
          "Equal elements stay in order. nan is larger than all numbers: it comes last (first when falling). Complex "
          "numbers are ordered by their real parts, and equal ones of them by their imaginary parts. The derivative is "
          "that of `x` read by `argsort`.\n\nThe items of a list or tuple (numbers, strings, tuples of "
          "them) come as a list; `by=f` orders items, or a tensor's parts along the first axis, by what f gives.",
      .parameters = {tensor_parameter("x"), attribute("axis", int64_t{-1}), attribute("descending", false),
                     ordering_function()},
      .type = sort_type,
      .eager = sort_eager,
      .device = DeviceForm::sort,
      .complex = sort_complex,
      .derivative = Derivative::by_hand(1, sort_jvp, sort_vjp),
      .batch = sort_batch,
      .pattern = pattern_of_sort,
      .effects = {.may_fail = true},
      .samples =
          {{.arguments = "[3.0, 1.0, 2.0]", .expected = "[1.0, 2.0, 3.0]", .differentiate = true},
           {.arguments = "[3.0, nan, -inf, -0.5, inf]", .expected = "[-inf, -0.5, 3.0, inf, nan]"},
           {.arguments = "[0.0, -0.0, 1.0, -0.0]", .expected = "[0.0, -0.0, -0.0, 1.0]"},
           {.arguments = "[3.0, 1.0, 2.0], descending=true", .expected = "[3.0, 2.0, 1.0]", .differentiate = true},
           {.arguments = "[1.0, nan, 2.0], descending=true", .expected = "[nan, 2.0, 1.0]", .source = "torch"},
           {.arguments = "[[3, 1], [2, 4]], axis=0", .expected = "[[2, 1], [3, 4]]"},
           {.arguments = "[[3.0, 1.0], [2.0, 4.0]]", .expected = "[[1.0, 3.0], [2.0, 4.0]]", .differentiate = true},
           {.arguments = "i32([3, -2147483648, 2147483647, -1])", .expected = "i32([-2147483648, -1, 3, 2147483647])"},
           {.arguments = "[true, false, true, false]", .expected = "[false, false, true, true]"},
           {.arguments = "f32([2, -1, 0.5])", .expected = "f32([-1, 0.5, 2])"},
           {.arguments = "sort((arange(1000) * 769) % 1000) - arange(1000)", .expected = "i64(zeros(1000))"},
           {.arguments = "zeros(0, 3), axis=0", .expected = "zeros(0, 3)"},
           {.arguments = "[2, 1 + 1im, 1 - 1im, 1im]", .expected = "[1im, 1 - 1im, 1 + 1im, 2 + 0im]"},
           {.arguments = "complex([nan, 3, 1, nan], [1, nan, 2, nan])",
            .expected = "complex([1, 3, nan, nan], [2, nan, 1, nan])"}},
      .instead = sort_instead,
  };
  return entry;
}

const Entry& argsort_entry() {
  static const Entry entry{
      .name = "argsort",
      .doc =
          "The positions of the elements of `x` along `axis` in the order of `sort`: equal ones in the order in which "
          "they stand.",
      .parameters = sort_parameters(),
      .widens_integers = true,
      .type = argsort_type,
      .eager = argsort_eager,
      .device = DeviceForm::argsort,
      .complex = argsort_complex,
      .derivative = Derivative::none(gives_positions),
      .batch = sort_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3.0, 1.0, 2.0]", .expected = "[1, 2, 0]"},
                  {.arguments = "[2, 1, 2, 1]", .expected = "[1, 3, 0, 2]"},
                  {.arguments = "[2, 1, 2, 1], descending=true", .expected = "[0, 2, 1, 3]", .source = "torch"},
                  {.arguments = "[nan, 0.0, nan, -0.0]", .expected = "[1, 3, 0, 2]"},
                  {.arguments = "[[3, 1], [2, 4]], axis=0", .expected = "[[1, 0], [0, 1]]"},
                  {.arguments = "[[3, 1], [2, 4]], axis=-1", .expected = "[[1, 0], [0, 1]]"},
                  {.arguments = "[2, 1 + 1im, 1 - 1im, 1im]", .expected = "[3, 2, 1, 0]"},
                  {.arguments = "zeros(0)", .expected = "i64(zeros(0))"}},
  };
  return entry;
}

const Entry& topk_entry() {
  static const Entry entry{
      .name = "topk",
      .doc =
          "The `k` largest elements of `x` along `axis`, the largest first, and their positions: a tuple of both.\n\n"
          "The first of equal ones comes first. nan is larger than all numbers.",
      .parameters = {any_parameter("x"), attribute("k"), attribute("axis", int64_t{-1})},
      .eager = topk_eager,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 4.0, 3.0], 2", .expected = "([4.0, 3.0], [1, 2])", .source = "torch"},
                  {.arguments = "[1, 4, 1, 4], 3", .expected = "([4, 4, 1], [1, 3, 0])", .source = "jax"},
                  {.arguments = "[[1.0, 4.0], [3.0, 2.0]], 1, axis=0",
                   .expected = "([[3.0, 4.0]], [[1, 0]])",
                   .source = "torch"},
                  {.arguments = "[1.0, nan], 1", .expected = "([nan], [1])", .source = "torch"},
                  {.arguments = "[1.0, 2.0], 0", .expected = "(zeros(0), i64(zeros(0)))", .source = "torch"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& searchsorted_entry() {
  static const Entry entry{
      .name = "searchsorted",
      .doc =
          "For each element of `x` how many of the numbers in `sorted`, which rise, come before it; those that equal "
          "it count too when `side` is \"right\" (it is \"left\" when left out).",
      .parameters = {tensor_parameter("sorted"), tensor_parameter("x"), attribute("side", Value())},
      .widens_integers = true,
      .type = search_type,
      .eager = search_eager,
      .derivative = Derivative::none(gives_positions),
      .batch = search_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2.0, 2.0, 3.0], [0.5, 2.0, 2.5, 9.0]", .expected = "[0, 1, 3, 4]"},
                  {.arguments = "[1.0, 2.0, 2.0, 3.0], [0.5, 2.0, 2.5, 9.0], side=\"right\"",
                   .expected = "[0, 3, 3, 4]"},
                  {.arguments = "[1, 3, 5], 3", .expected = "1"},
                  {.arguments = "[1, 3, 5], [[0.5, 3.5]]", .expected = "[[0, 2]]"},
                  {.arguments = "[1.0, nan], [nan, 2.0, inf]", .expected = "[1, 1, 1]"},
                  {.arguments = "zeros(0), [1.0]", .expected = "[0]"}},
  };
  return entry;
}

const Entry& first_positions_entry() {
  static const Entry entry{
      .name = "first_positions",
      .doc = "The positions of the `k` largest elements along an axis, the largest first.",
      .parameters = {tensor_parameter("x"), attribute("k"), attribute("axis")},
      .type = first_positions_type,
      .eager = first_positions_eager,
      .device = DeviceForm::first_positions,
      .derivative = Derivative::none(gives_positions),
      .batch = first_positions_batch,
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "topk",
  };
  return entry;
}

const Entry& search_rows_entry() {
  static const Entry entry{
      .name = "search_rows",
      .doc = "searchsorted, each element of `x` in the row that its leading axes name.",
      .parameters = {tensor_parameter("rows"), tensor_parameter("x"), attribute("side")},
      .type = search_type,
      .eager = search_eager,
      .derivative = Derivative::none(gives_positions),
      .batch = search_batch,
      .internal = true,
  };
  return entry;
}

const Entry& starts_entry() {
  static const Entry entry{
      .name = "starts",
      .doc = "Whether an element along the last axis is another than the one before it.",
      .parameters = {tensor_parameter("x")},
      .type = starts_type,
      .eager = starts_eager,
      .derivative = Derivative::none("gives bools"),
      .batch = starts_batch,
      .internal = true,
  };
  return entry;
}

Family order_sort_entries() {
  static const Entry* const entries[] = {&sort_entry(),         &argsort_entry(),         &topk_entry(),
                                         &searchsorted_entry(), &first_positions_entry(), &search_rows_entry(),
                                         &starts_entry()};
  return entries;
}

}  // namespace covec::ops
