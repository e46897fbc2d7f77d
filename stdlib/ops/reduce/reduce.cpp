// The entries of the reduce family: type rules, eager functions, documentation and samples. Derivatives are in
// rules.cpp, orders and speed in stdlib/kernels/reduce*. Start at reduce_type and reduce_eager.
#include "stdlib/ops/reduce/reduce.hpp"

#include <cmath>

#include "stdlib/kernels/reduce.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/ordering.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/reduce/complex_product.hpp"
#include "stdlib/ops/reduce/compose.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/rules.hpp"
#include "stdlib/ops/reduce/scan.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

Dtype sum_dtype(Dtype dtype) { return is_float(dtype) ? dtype : Dtype::i64; }
Dtype mean_dtype(Dtype dtype) { return is_float(dtype) ? dtype : Dtype::f64; }
Dtype same_dtype(Dtype dtype) { return dtype; }
Dtype truth_dtype(Dtype) { return Dtype::boolean; }
Dtype position_dtype(Dtype) { return Dtype::i64; }

constexpr ReduceOperator sum_operator{ReduceKind::sum, Combine::add, true,      -0.0,     0.0,
                                      false,           false,        sum_dtype, sum_dtype};
constexpr ReduceOperator mean_operator{ReduceKind::mean, Combine::add, true, -0.0, 0.0, true, false,
                                       mean_dtype,       mean_dtype};
constexpr ReduceOperator prod_operator{ReduceKind::prod, Combine::multiply, true, 1, 1, false, false,
                                       sum_dtype,        sum_dtype};
constexpr ReduceOperator max_operator{ReduceKind::max, Combine::maximum, false,     0, 0, false,
                                      false,           same_dtype,       same_dtype};
constexpr ReduceOperator min_operator{ReduceKind::min, Combine::minimum, false,     0, 0, false,
                                      false,           same_dtype,       same_dtype};
constexpr ReduceOperator any_operator{ReduceKind::any, Combine::logical_or, true,       0, 0, false,
                                      false,           truth_dtype,         truth_dtype};
constexpr ReduceOperator all_operator{ReduceKind::all, Combine::logical_and, true,       1, 1, false,
                                      false,           truth_dtype,          truth_dtype};
constexpr ReduceOperator argmax_operator{ReduceKind::argmax, Combine::first_largest, false, 0, 0, false, false,
                                         same_dtype,         position_dtype};
constexpr ReduceOperator argmin_operator{ReduceKind::argmin, Combine::first_smallest, false, 0, 0, false, false,
                                         same_dtype,         position_dtype};
constexpr ReduceOperator logsumexp_operator{
    ReduceKind::logsumexp, Combine::add, false, 0, 0, false, true, mean_dtype, mean_dtype};

uint32_t all_axes(unsigned rank) { return (uint32_t{1} << rank) - 1; }

bool has(uint32_t axes, unsigned axis) { return (axes >> axis) & 1; }

void require_elements(const Call& call, std::string_view name, const Type& x, uint32_t axes) {
  for (unsigned i = 0; i < x.shape.rank(); ++i) {
    if (!has(axes, i) || x.shape[i] != Dim(0)) continue;
    fail(message("reduce_empty"), {std::string(name)}, {label_of(call, 0)});
  }
}

Type reduce_type(ShapeBuilder&, const Call& call) {
  const ReduceOperator& op = *call.entry.reduce;
  const Type x = operand_type(call, 0);
  const ReduceArguments arguments = reduce_arguments(call, x.shape.rank());
  if (!op.has_empty) require_elements(call, call.entry.name, x, arguments.axes);
  return {op.result(x.dtype), reduced_shape(x.shape, arguments)};
}

void* data_for_writing(Value& value) { return value.is_scalar() ? value.scalar_data() : value.tensor().data(); }

kernels::ReduceKind kernel_kind(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::mean: return kernels::ReduceKind::float_sum;
    case ReduceKind::prod: return kernels::ReduceKind::prod;
    case ReduceKind::max: return kernels::ReduceKind::max;
    case ReduceKind::min: return kernels::ReduceKind::min;
    case ReduceKind::any: return kernels::ReduceKind::any;
    case ReduceKind::all: return kernels::ReduceKind::all;
    default: return kernels::ReduceKind::sum;
  }
}

template <class T>
void divide_all(T* x, int64_t n, int64_t divisor) {
  const T by = static_cast<T>(divisor);
  for (int64_t i = 0; i < n; ++i) x[i] /= by;
}

int64_t reduced_elements(const Value& x, uint32_t axes) {
  int64_t n = 1;
  for (unsigned i = 0; i < rank_of(x); ++i) {
    if (has(axes, i)) n *= x.tensor().dim(i);
  }
  return n;
}

void divide_sums(Value& sums, int64_t n) {
  const int64_t results = sums.is_scalar() ? 1 : sums.tensor().size();
  if (dtype_of(sums) == Dtype::f32) {
    divide_all(static_cast<float*>(data_for_writing(sums)), results, n);
  } else {
    divide_all(static_cast<double*>(data_for_writing(sums)), results, n);
  }
}

Value reduce_eager(Builder& builder, Call& call) {
  const Type type = reduce_type(builder, call);
  const Value& x = call.args[0];
  const ReduceOperator& op = *call.entry.reduce;
  const uint32_t axes = reduce_arguments(call, rank_of(x)).axes;
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  kernels::reduce(builder.context(), kernel_kind(op.kind), kernels::strided(x), axes, data_for_writing(result));
  if (op.divides) divide_sums(result, reduced_elements(x, axes));
  return result;
}

Value arg_eager(Builder& builder, Call& call) {
  const Type type = reduce_type(builder, call);
  const Value& x = call.args[0];
  const uint32_t axes = reduce_arguments(call, rank_of(x)).axes;
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  const bool smallest = call.entry.reduce->kind == ReduceKind::argmin;
  kernels::arg_reduce(builder.context(), smallest, kernels::strided(x), axes,
                      static_cast<int64_t*>(data_for_writing(result)));
  return result;
}

}  // namespace

// What only the run can see: that there are elements.
const Entry& expect_elements_entry() {
  static const Entry entry{.name = "expect_elements",
                           .doc = "Checks that an operator that is made of others has elements along its axes.",
                           .parameters = {tensor_parameter("x"), attribute("axis"), attribute("name")},
                           .carries = true,
                           .type =
                               [](ShapeBuilder&, const Call&) {
                                 return Type{Dtype::boolean, {}};
                               },
                           .eager =
                               [](Builder&, Call& call) {
                                 const Type x = operand_type(call, 0);
                                 const uint32_t axes = reduce_arguments(call, x.shape.rank()).axes;
                                 require_elements(call, call.args[2].string().text, x, axes);
                                 return Value(true);
                               },
                           .derivative = Derivative::none("checks"),
                           .batch = reduce_batch,
                           .effects = {.may_fail = true},
                           .internal = true};
  return entry;
}

namespace {

Value logsumexp_eager(Builder& builder, Call& call) {
  const Type x = operand_type(call, 0);
  expect_elements(builder, call, reduce_arguments(call, x.shape.rank()).axes);
  return logsumexp_composed(builder, call);
}

// --- extreme_mask ---

Type mask_type(ShapeBuilder&, const Call& call) { return {Dtype::boolean, operand_type(call, 0).shape}; }

Value mask_eager(Builder& builder, Call& call) {
  const Value& x = call.args[0];
  if (x.is_scalar()) return true;
  const uint32_t axes = reduce_arguments(call, rank_of(x)).axes;
  Value mask = make_tensor(builder.pool(), Dtype::boolean, shape_of(x));
  Tensor& bits = mask.tensor();
  std::memset(bits.data(), 0, static_cast<size_t>(bits.size()));
  kernels::Axes kept, group;
  for (unsigned i = 0; i < bits.rank(); ++i) (has(axes, i) ? group : kept).push_merged(bits.dim(i), bits.stride(i));
  const int64_t results = kept.elements();
  if (results == 0 || group.elements() == 0) return mask;
  const Scratch positions(builder.pool(), static_cast<uint64_t>(results) * sizeof(int64_t));
  int64_t* position = reinterpret_cast<int64_t*>(positions.data());
  kernels::arg_reduce(builder.context(), flag_argument(call, 2), kernels::strided(x), axes, position);
  for (int64_t r = 0; r < results; ++r) bits.as<uint8_t>()[kept.offset(r) + group.offset(position[r])] = 1;
  return mask;
}

std::vector<Parameter> reduce_parameters() {
  return {tensor_parameter("x"), attribute("axis", Value()), attribute("keepdims", Value(false))};
}

std::vector<Parameter> mean_parameters() {
  std::vector<Parameter> parameters = reduce_parameters();
  parameters.push_back({.name = "weights", .kind = ParameterKind::any, .required = false, .fallback = {}});
  return parameters;
}

const Entry* mean_instead(std::span<const Value> args, uint32_t) {
  return args.size() > 3 && !args[3].is_none() && !args[3].is_unbound() ? &weighted_mean_entry() : nullptr;
}

// --- of items ---

// Whether items are compared: by what a function gives of them, or since they are strings or tuples.
bool compares_items(std::span<const Value> args) {
  if (args.size() > 3 && !args[3].is_none() && !args[3].is_unbound()) return true;
  if (args.empty() || (!args[0].is(ObjectKind::list) && !args[0].is(ObjectKind::tuple))) return false;
  const std::vector<Value>& items = *children(args[0]);
  return !items.empty() && (items[0].is(ObjectKind::string) || items[0].is(ObjectKind::tuple));
}

template <bool largest>
const Entry* item_instead(std::span<const Value> args, uint32_t) {
  if (!compares_items(args)) return nullptr;
  return largest ? &handles().max_item : &handles().min_item;
}

// max(3, 2) names an axis; what is meant is another operator. So it may be where there is no such axis.
std::string of_two(const Call& call, unsigned rank, bool out_of_range) {
  if (call.entry.reduce == nullptr) return {};
  const Value& axis = call.args[1];
  const bool another_value = rank == 0 || (is_operand(axis) && !is_symbolic(axis) && !is_integer(axis));
  if (!another_value) return out_of_range ? hint_of_axis(call.entry) : "";
  switch (call.entry.reduce->kind) {
    case ReduceKind::max: return "the larger of two values: write maximum(a, b)";
    case ReduceKind::min: return "the smaller of two values: write minimum(a, b)";
    case ReduceKind::sum: return "the sum of two values: write a + b";
    default: return {};
  }
}

// max(1, 2, 3).
std::string of_several(const Call& call) {
  if (call.entry.reduce == nullptr || !is_operand(call.args[2])) return {};
  return "of several numbers: write " + std::string(call.entry.name) + "([a, b, c])";
}

bool keeps_axes(const Call& call) {
  try {
    return flag_argument(call, 2);
  } catch (OpError& error) {
    if (error.hint.empty()) error.hint = of_several(call);
    throw;
  }
}

uint32_t given_axes(const Call& call, unsigned rank, unsigned operand) {
  uint32_t axes = 0;
  for (int64_t axis : integers_argument(call, operand)) {
    const unsigned normal = normal_axis(call, axis, rank);
    if (has(axes, normal))
      fail(message("axis_repeated"), {shown_name(call.entry), std::to_string(axis)},
           {{static_cast<int>(operand), "here"}});
    axes |= uint32_t{1} << normal;
  }
  return axes;
}

}  // namespace

std::string hint_of_axis(const Entry& entry) {
  const bool largest = &entry == &max_entry();
  if (!largest && &entry != &min_entry()) return {};
  return std::string("axes count from 0; for the ") + (largest ? "larger" : "smaller") + " of two values, write " +
         (largest ? "maximum" : "minimum") + "(a, b)";
}

ReduceArguments reduce_arguments(const Call& call, unsigned rank, unsigned axis) {
  ReduceArguments arguments;
  const auto& parameters = call.entry.parameters;
  const bool has_keepdims = call.args.size() > 2 && parameters.size() > 2 && parameters[2].name == "keepdims";
  arguments.keepdims = has_keepdims && keeps_axes(call);
  if (call.args[axis].is_none()) {
    arguments.axes = all_axes(rank);
    return arguments;
  }
  try {
    arguments.axes = given_axes(call, rank, axis);
  } catch (OpError& error) {
    if (error.hint.empty()) error.hint = of_two(call, rank, error.code == message("axis_range").key);
    throw;
  }
  return arguments;
}

void expect_elements(Builder& builder, const Call& call, uint32_t axes) {
  const Type x = logical_type(call.args[0]);
  require_elements(call, shown_name(call.entry), x, axes);
  if (x.shape.known()) return;
  ops::call(builder, expect_elements_entry(), {call.args[0], axes_value(axes), make_string(shown_name(call.entry))});
}

Shape reduced_shape(const Shape& shape, const ReduceArguments& arguments) {
  Shape result;
  for (unsigned i = 0; i < shape.rank(); ++i) {
    if (!has(arguments.axes, i)) {
      result.push_back(shape[i]);
    } else if (arguments.keepdims) {
      result.push_back(Dim(1));
    }
  }
  return result;
}

Value axes_value(uint32_t axes) {
  std::vector<Value> items;
  for (unsigned i = 0; i < max_rank; ++i) {
    if (has(axes, i)) items.emplace_back(int64_t{i});
  }
  return make_tuple(std::move(items));
}

const Entry& sum_entry() {
  static const Entry entry{
      .name = "sum",
      .doc =
          "Sum of the elements along `axis` (an int, a tuple, or none for all).\n\n"
          "Floats are added in one order, a function of shape and axes only. Bools and `i32` are added in `i64`, which "
          "wraps. "
          "An empty sum is 0.",
      .parameters = reduce_parameters(),
      .widens_integers = true,
      .type = reduce_type,
      .eager = reduce_eager,
      .reduce = &sum_operator,
      .complex = by_parts,
      .derivative = Derivative::linearly(1, sum_transpose),
      .batch = reduce_batch,
      .pattern = pattern_of_reduction,
      .effects = {.may_fail = true},
      .samples = {
          {.arguments = "[[1.5, 2.0], [3.0, -4.0]]", .expected = "2.5", .differentiate = true},
          {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=0", .expected = "[4.5, -2.0]", .differentiate = true},
          {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=-1, keepdims=true",
           .expected = "[[3.5], [-1.0]]",
           .differentiate = true},
          {.arguments = "zeros(2, 3, 4) + 1, axis=(0, 2)", .expected = "[8.0, 8.0, 8.0]", .differentiate = true},
          {.arguments = "[true, false, true]", .expected = "2"},
          {.arguments = "i32([2147483647, 1])", .expected = "2147483648"},
          {.arguments = "zeros(0, 2), axis=0", .expected = "[0.0, 0.0]"},
          {.arguments = "[1.0, inf, nan]", .expected = "nan"},
          {.arguments = "2.5", .expected = "2.5"}}};
  return entry;
}

const Entry& mean_entry() {
  static const Entry entry{
      .name = "mean",
      .doc =
          "Mean of the elements along `axis`: their sum divided by their number.\n\n"
          "Bools and integers are converted to `f64` and added as such. The mean of nothing is nan.\n\n"
          "With `weights`, of the shape of x or a vector along the one axis, it is the sum of the products with them "
          "divided by their sum, and nan where that is 0. It has derivatives by both.",
      .parameters = mean_parameters(),
      .type = reduce_type,
      .eager = reduce_eager,
      .reduce = &mean_operator,
      .complex = by_parts,
      .derivative = Derivative::linearly(1, mean_transpose),
      .batch = reduce_batch,
      .pattern = pattern_of_reduction,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.5, 2.0], [3.0, -4.0]]", .expected = "0.625", .differentiate = true},
                  {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=0", .expected = "[2.25, -1.0]", .differentiate = true},
                  {.arguments = "[1, 2]", .expected = "1.5"},
                  {.arguments = "[true, false]", .expected = "0.5"},
                  {.arguments = "zeros(0)", .expected = "nan"},
                  {.arguments = "[[1.0, 2.0], [3.0, 5.0]], axis=1, weights=[1.0, 3.0]", .expected = "[1.75, 4.5]"},
                  {.arguments = "[1, 2], weights=[1.0, -1.0]", .expected = "nan", .source = "the language"}},
      .instead = mean_instead};
  return entry;
}

const Entry& prod_entry() {
  static const Entry entry{
      .name = "prod",
      .doc =
          "Product of the elements along `axis`, multiplied in the order in which `sum` adds.\n\n"
          "Bools and `i32` are multiplied in `i64`, which wraps. An empty product is 1. The derivative by an element "
          "is the product of the others, computed without division: it is right where elements are 0. Complex numbers "
          "are multiplied one after the other.",
      .parameters = reduce_parameters(),
      .widens_integers = true,
      .type = reduce_type,
      .eager = reduce_eager,
      .reduce = &prod_operator,
      .complex = complex_prod,
      .derivative = prod_derivative(),
      .batch = reduce_batch,
      .pattern = pattern_of_reduction,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.5, -2.0, 4.0]", .expected = "-12.0", .differentiate = true},
                  {.arguments = "[[1.5, -2.0], [0.5, 4.0]], axis=0", .expected = "[0.75, -8.0]", .differentiate = true},
                  {.arguments = "[2.0, 0.0, 3.0]", .expected = "0.0", .differentiate = true},
                  {.arguments = "[0.0, 0.0, 3.0]", .expected = "0.0", .differentiate = true},
                  {.arguments = "[2, 3, 4]", .expected = "24"},
                  {.arguments = "zeros(0)", .expected = "1.0"}}};
  return entry;
}

const Entry& max_entry() {
  static const Entry entry{
      .name = "max",
      .doc =
          "Largest of the elements along `axis`.\n\n"
          "Any nan gives nan; +0 is larger than −0. Its derivative is 1 at the first of the largest elements, 0 "
          "elsewhere.\n\nOf the items of a list or tuple that are strings or tuples it gives the first of the largest; "
          "`by=f` (or "
          "`key=f`) compares items, or a tensor's parts along the first axis, by what f gives, in the order of `sort`.",
      .parameters = extreme_parameters(tensor_parameter("x")),
      .type = reduce_type,
      .eager = reduce_eager,
      .reduce = &max_operator,
      .derivative = max_derivative(),
      .batch = reduce_batch,
      .pattern = pattern_of_reduction,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.5, 2.0], [3.0, -4.0]]", .expected = "3.0", .differentiate = true},
                  {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=0", .expected = "[3.0, 2.0]", .differentiate = true},
                  {.arguments = "[1.0, nan, 3.0]", .expected = "nan"},
                  {.arguments = "[false, true]", .expected = "true"},
                  {.arguments = "[3, -5, 7], axis=0", .expected = "7"},
                  {"list(\"fig\", \"pear\", \"kiwi\"), by=x -> len(x)", "\"pear\"", "python"}},
      .instead = item_instead<true>};
  return entry;
}

const Entry& min_entry() {
  static const Entry entry{
      .name = "min",
      .doc =
          "Smallest of the elements along `axis`.\n\n"
          "Any nan gives nan; −0 is smaller than +0. Its derivative is 1 at the first of the smallest elements, 0 "
          "elsewhere.\n\nOf the items of a list or tuple that are strings or tuples it gives the first of the "
          "smallest; `by=f` (or "
          "`key=f`) compares items, or a tensor's parts along the first axis, by what f gives, in the order of `sort`.",
      .parameters = extreme_parameters(tensor_parameter("x")),
      .type = reduce_type,
      .eager = reduce_eager,
      .reduce = &min_operator,
      .derivative = min_derivative(),
      .batch = reduce_batch,
      .pattern = pattern_of_reduction,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[1.5, 2.0], [3.0, -4.0]]", .expected = "-4.0", .differentiate = true},
                  {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=1", .expected = "[1.5, -4.0]", .differentiate = true},
                  {.arguments = "[1.0, nan, 3.0]", .expected = "nan"},
                  {.arguments = "[3, -5, 7]", .expected = "-5"},
                  {"list(\"pear\", \"fig\"), by=x -> len(x)", "\"fig\"", "python"}},
      .instead = item_instead<false>};
  return entry;
}

const Entry& any_entry() {
  static const Entry entry{
      .name = "any",
      .doc = "Whether any element along `axis` is true (a number: not 0; nan counts as true). Of nothing: false.",
      .parameters = reduce_parameters(),
      .type = reduce_type,
      .eager = reduce_eager,
      .reduce = &any_operator,
      .derivative = Derivative::none("gives bools"),
      .batch = reduce_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[false, true]", .expected = "true"},
                  {.arguments = "[[0, 0], [0, 2]], axis=1", .expected = "[false, true]"},
                  {.arguments = "[-0.0, 0.0]", .expected = "false"},
                  {.arguments = "zeros(0)", .expected = "false"}}};
  return entry;
}

const Entry& all_entry() {
  static const Entry entry{
      .name = "all",
      .doc = "Whether all elements along `axis` are true (numbers: not 0; nan counts as true). Of nothing: true.",
      .parameters = reduce_parameters(),
      .type = reduce_type,
      .eager = reduce_eager,
      .reduce = &all_operator,
      .derivative = Derivative::none("gives bools"),
      .batch = reduce_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[false, true]", .expected = "false"},
                  {.arguments = "[[1, 3], [0, 2]], axis=1", .expected = "[true, false]"},
                  {.arguments = "[nan, inf]", .expected = "true"},
                  {.arguments = "zeros(0)", .expected = "true"}}};
  return entry;
}

const Entry& argmax_entry() {
  static const Entry entry{.name = "argmax",
                           .doc =
                               "Position of the first largest element along `axis`; without an axis (or along several) "
                               "positions count row by row.\n\n"
                               "The first nan counts as largest; +0 is larger than −0.",
                           .parameters = reduce_parameters(),
                           .widens_integers = true,
                           .type = reduce_type,
                           .eager = arg_eager,
                           .reduce = &argmax_operator,
                           .derivative = Derivative::none("gives positions"),
                           .batch = reduce_batch,
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[[1.5, 2.0], [3.0, -4.0]]", .expected = "2"},
                                       {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=0", .expected = "[1, 0]"},
                                       {.arguments = "[3, 7, 7]", .expected = "1"},
                                       {.arguments = "[1.0, nan, inf, nan]", .expected = "1"}}};
  return entry;
}

const Entry& argmin_entry() {
  static const Entry entry{.name = "argmin",
                           .doc =
                               "Position of the first smallest element along `axis`; without an axis (or along "
                               "several) positions count row by row.\n\n"
                               "The first nan counts as smallest; −0 is smaller than +0.",
                           .parameters = reduce_parameters(),
                           .widens_integers = true,
                           .type = reduce_type,
                           .eager = arg_eager,
                           .reduce = &argmin_operator,
                           .derivative = Derivative::none("gives positions"),
                           .batch = reduce_batch,
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[[1.5, 2.0], [3.0, -4.0]]", .expected = "3"},
                                       {.arguments = "[[1.5, 2.0], [3.0, -4.0]], axis=1", .expected = "[0, 1]"},
                                       {.arguments = "[3, 2, 2]", .expected = "1"},
                                       {.arguments = "[1.0, nan, -inf]", .expected = "1"}}};
  return entry;
}

const Entry& logsumexp_entry() {
  static const Entry entry{
      .name = "logsumexp",
      .doc =
          "log(sum(exp(x))) along `axis`, without overflow: max + log(sum(exp(x − max))), max taken as 0 where it is "
          "infinite.\n\n"
          "Its derivative is exp(x − logsumexp(x)); where all elements are −inf it is 0.",
      .parameters = reduce_parameters(),
      .type = reduce_type,
      .eager = logsumexp_eager,
      .reduce = &logsumexp_operator,
      .derivative = logsumexp_derivative(),
      .batch = reduce_batch,
      .pattern = pattern_of_reduction,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[0.0, 0.0]", .expected = "0.6931471805599453", .ulp = 1, .differentiate = true},
                  {.arguments = "[[1000.0, 1000.0], [-1.0, 2.0]], axis=1",
                   .expected = "[1000.6931471805599, 2.048587351573742]",
                   .ulp = 1,
                   .differentiate = true},
                  {.arguments = "[-inf, -inf]", .expected = "-inf", .source = "scipy"},
                  {.arguments = "[inf, 1.0]", .expected = "inf", .source = "scipy"}}};
  return entry;
}

const Entry& extreme_mask_entry() {
  static const Entry entry{.name = "extreme_mask",
                           .doc = "Whether an element is the first largest (smallest) of those along `axis`.",
                           .parameters = {tensor_parameter("x"), attribute("axis"), attribute("smallest")},
                           .type = mask_type,
                           .eager = mask_eager,
                           .derivative = Derivative::none("gives bools"),
                           .batch = reduce_batch,
                           .internal = true};
  return entry;
}

Family reduce_entries() {
  static const Entry* const entries[] = {&sum_entry(),    &mean_entry(),      &prod_entry(),        &max_entry(),
                                         &min_entry(),    &any_entry(),       &all_entry(),         &argmax_entry(),
                                         &argmin_entry(), &logsumexp_entry(), &extreme_mask_entry()};
  return entries;
}

}  // namespace covec::ops
