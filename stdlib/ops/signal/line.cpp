// convolve and correlate of two vectors. The sums are `overlap` (every pair of elements adds at the sum of their
// positions) and `slide` (a product at each position where one fits into the other). They are each other's transposes.
#include <algorithm>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/signal/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

const Entry& overlap_entry();
const Entry& slide_entry();

// --- the sums ---

// Σ v[j]·x[k + sign·j] for `width` neighbouring k at once; each is added in the order of j.
template <int width, class T>
void products(const T* x, const T* v, int64_t first, int64_t last, int64_t sign, T* to) {
  T sums[width] = {};
  for (int64_t j = first; j < last; ++j) {
    const T* from = x + sign * j;
    for (int i = 0; i < width; ++i) sums[i] += v[j] * from[i];
  }
  for (int i = 0; i < width; ++i) to[i] = sums[i];
}

constexpr int side_by_side = 16;  // sums: 64 bytes of f32, 128 of f64

// The sums where all of v fits in: places [begin, end) of the result.
template <class T>
void inner_products(const T* x, const T* v, int64_t m, int64_t sign, T* to, int64_t begin, int64_t end) {
  int64_t k = begin;
  for (; k + side_by_side <= end; k += side_by_side) products<side_by_side>(x + k, v, 0, m, sign, to + k);
  for (; k < end; ++k) products<1>(x + k, v, 0, m, sign, to + k);
}

// Σ_j v[j]·x[k − j].
template <class T>
void overlap_row(const T* x, int64_t n, const T* v, int64_t m, T* to, kernels::InterruptPolls& polls) {
  if (n < m) std::swap(x, v), std::swap(n, m);
  polls.in_chunks(m - 1, m, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) products<1>(x + k, v, 0, k + 1, -1, to + k);
  });
  polls.in_chunks(n - m + 1, m,
                  [&](int64_t begin, int64_t end) { inner_products(x, v, m, -1, to, begin + m - 1, end + m - 1); });
  polls.in_chunks(m - 1, m, [&](int64_t begin, int64_t end) {
    for (int64_t k = n + begin; k < n + end; ++k) products<1>(x + k, v, k - n + 1, m, -1, to + k);
  });
}

// Σ_j v[j]·x[k + j].
template <class T>
void slide_row(const T* x, int64_t n, const T* v, int64_t m, T* to, kernels::InterruptPolls& polls) {
  polls.in_chunks(n - m + 1, m, [&](int64_t begin, int64_t end) { inner_products(x, v, m, 1, to, begin, end); });
}

// --- the entries ---

Dim last_of(const Call& call, unsigned operand) {
  const Shape shape = operand_type(call, operand).shape;
  return shape[shape.rank() - 1];
}

Type overlap_type(ShapeBuilder& shapes, const Call& call) {
  Type type = operand_type(call, 0);
  const Dim n = last_of(call, 0), m = last_of(call, 1);
  Dim& length = type.shape[type.shape.rank() - 1];
  length = n.known() && m.known() ? Dim(n.number() + m.number() - 1) : shapes.unknown_dim();
  return type;
}

Type slide_type(ShapeBuilder& shapes, const Call& call) {
  Type type = operand_type(call, 0);
  const Dim n = last_of(call, 0), m = last_of(call, 1);
  Dim& length = type.shape[type.shape.rank() - 1];
  length = n.known() && m.known() ? Dim(n.number() - m.number() + 1) : shapes.unknown_dim();
  return type;
}

// Each row of the first with the row of the second; integers wrap.
template <bool overlap>
Value rows_eager(Builder& builder, Call& call) {
  const int64_t n = last_of(call, 0).number(), m = last_of(call, 1).number();
  if (n < 1 || m < 1) fail(message("convolve_empty"), {"convolve", std::to_string(n), std::to_string(m)});
  const Type type = call.entry.type(builder, call);
  const Value a = contiguous(builder.pool(), call.args[0]), b = contiguous(builder.pool(), call.args[1]);
  Value result = make_tensor(builder.pool(), type.dtype, type.shape);
  const int64_t rows = a.tensor().size() / n, length = result.tensor().size() / std::max<int64_t>(rows, 1);
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    kernels::InterruptPolls polls(builder.context());
    for (int64_t i = 0; i < rows; ++i) {
      const T *x = a.tensor().as<T>() + i * n, *v = b.tensor().as<T>() + i * m;
      T* to = result.tensor().as<T>() + i * length;
      overlap ? overlap_row(x, n, v, m, to, polls) : slide_row(x, n, v, m, to, polls);
    }
  };
  switch (compute_of(type.dtype)) {
    case Compute::f32: run(float{}); break;
    case Compute::f64: run(double{}); break;
    case Compute::i32: run(uint32_t{}); break;
    default: run(uint64_t{}); break;
  }
  kernels::poll_interrupt(builder.context());
  return result;
}

Value rows_batch(Builder& builder, Call& call, const Batching& batching) {
  for (unsigned i = 0; i < 2; ++i) {
    call.args[i] = with_batch_axis(builder, std::move(call.args[i]), batching.batched[i], batching.size);
  }
  return ops::call(builder, call.entry, call.args);
}

Value rows_jvp(RuleContext& rule, const Entry& entry, const Residuals& residuals, std::span<const Value> tangents) {
  Value sum;
  for (unsigned i = 0; i < 2; ++i) {
    if (tangents[i].is_none()) continue;
    Value term = i == 0 ? rule.call(entry, {tangents[0], residuals.operands[1]})
                        : rule.call(entry, {residuals.operands[0], tangents[1]});
    sum = sum.is_none() ? std::move(term) : rule.add(std::move(sum), std::move(term));
  }
  return sum;
}

Value overlap_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return rows_jvp(rule, overlap_entry(), residuals, tangents);
}
Value slide_jvp(RuleContext& rule, const Residuals& residuals, std::span<const Value> tangents) {
  return rows_jvp(rule, slide_entry(), residuals, tangents);
}

void overlap_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  for (unsigned i = 0; i < 2; ++i) {
    if (out.wants(i)) out.add(i, rule.call(slide_entry(), {cotangent, residuals.operands[1 - i]}));
  }
}

void slide_vjp(RuleContext& rule, const Residuals& residuals, Value cotangent, Cotangents& out) {
  if (out.wants(0)) out.add(0, rule.call(overlap_entry(), {cotangent, residuals.operands[1]}));
  if (out.wants(1)) out.add(1, rule.call(slide_entry(), {residuals.operands[0], cotangent}));
}

// a[i] and v[j] go into place i + j of the convolution, into place i − j of the correlation.
template <bool convolves>
Value pattern_of_rows(Sets& sets, const Entry&, const Residuals& residuals, std::span<const Value> of) {
  const Shape& shape = residuals.result_type->shape;
  const unsigned leading = shape.rank() - 1;
  const auto length = [&](const Shape& of_shape) { return of_shape[of_shape.rank() - 1].number(); };
  const int64_t n = length(residuals.types[0].shape), m = length(residuals.types[1].shape), size = length(shape);
  Value parts[2];
  for (unsigned operand = 0; operand < 2; ++operand) {
    parts[operand] = sets.link(of[operand], shape, leading, [&](Sets::Link link) {
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < m; ++j) {
          const int64_t to = convolves ? i + j : i - j;
          if (to >= 0 && to < size) link(to, operand == 0 ? i : j);
        }
      }
    });
  }
  return sets.unite(parts[0], parts[1], shape);
}

const Entry& overlap_entry() {
  static const Entry entry{
      .name = "overlap",
      .doc = "The convolution of the rows of two tensors, at every place where they meet.",
      .parameters = {tensor_parameter("a"), tensor_parameter("v")},
      .type = overlap_type,
      .eager = rows_eager<true>,
      .derivative = Derivative::by_hand(3, overlap_jvp, overlap_vjp),
      .batch = rows_batch,
      .pattern = pattern_of_rows<true>,
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "convolve",
  };
  return entry;
}

const Entry& slide_entry() {
  static const Entry entry{
      .name = "slide",
      .doc = "The correlation of the rows of two tensors, at every place where the second fits into the first.",
      .parameters = {tensor_parameter("a"), tensor_parameter("v")},
      .type = slide_type,
      .eager = rows_eager<false>,
      .derivative = Derivative::by_hand(3, slide_jvp, slide_vjp),
      .batch = rows_batch,
      .pattern = pattern_of_rows<false>,
      .effects = {.may_fail = true},
      .internal = true,
      .part_of = "convolve",
  };
  return entry;
}

// --- the language's ---

constexpr std::string_view modes[] = {"full", "same", "valid"};
enum Mode : unsigned { full, same, valid };

// The middle of the whole: as long as the longer vector, or where the shorter one fits in.
// Of an even number less than it has, the correlation with a longer vector loses one more in front, as NumPy's does.
Value middle(Steps& steps, Value whole, Dim a, Dim v, unsigned mode, bool reversed) {
  Builder& builder = steps.builder();
  const Value n = builder.extent(a), m = builder.extent(v), one(int64_t{1});
  const Value longer = steps.maximum(n, m), shorter = steps.minimum(n, m), less = steps.sub(shorter, one);
  const Value odd = reversed ? steps.cast(steps.less(n, m), Dtype::i64) : Value(int64_t{0});
  const Value half = steps.call(handles().floor_divide, {steps.add(less, odd), Value(int64_t{2})});
  const Value& start = mode == same ? half : less;
  const Value size = mode == same ? longer : steps.add(steps.sub(longer, shorter), one);
  return narrow(builder, std::move(whole), 0, steps.size(start), steps.size(size));
}

// The axes before the last are those of examples.
void require_vectors(const Call& call, std::string_view name) {
  const auto vector = [&](unsigned i) {
    const Type type = operand_type(call, i);
    return Type{type.dtype, {type.shape[type.shape.rank() - 1]}};
  };
  const Type a = vector(0), v = vector(1);
  if (a.shape[0] == Dim(0) || v.shape[0] == Dim(0))
    fail(message("convolve_empty"), {std::string(name), a.text(), v.text()}, {label_of(call, 0), label_of(call, 1)});
}

// What only the run can see: that there are elements.
const Entry& expect_vectors_entry() {
  static const Entry entry{
      .name = "expect_vectors",
      .doc = "Checks the operands of convolve and correlate.",
      .parameters = {tensor_parameter("a"), tensor_parameter("v"), attribute("name")},
      .type =
          [](ShapeBuilder&, const Call&) {
            return Type{Dtype::boolean, {}};
          },
      .eager =
          [](Builder&, Call& call) {
            require_vectors(call, call.args[2].string().text);
            return Value(true);
          },
      .derivative = Derivative::none("checks"),
      .batch = [](Builder& builder, Call& call, const Batching&) { return ops::call(builder, call.entry, call.args); },
      .effects = {.may_fail = true},
      .internal = true};
  return entry;
}

Value whole_of(Builder& builder, Call& call, bool reversed) {
  Steps steps(builder);
  const unsigned mode = reversed && call.args[2].is_none() ? valid : choice_argument(call, 2, modes);
  Type types[2];
  for (unsigned i = 0; i < 2; ++i) types[i] = vector_operand(builder, call, i);
  const Dtype dtype = product_dtype(types[0].dtype, types[1].dtype);
  const Dim n = types[0].shape[0], m = types[1].shape[0];
  if (!n.known() || !m.known()) {
    steps.call(expect_vectors_entry(),
               {constant_of(call.args[0]), constant_of(call.args[1]), make_string(std::string(call.entry.name))});
  } else {
    require_vectors(call, call.entry.name);
  }
  const Value a = steps.cast(std::move(call.args[0]), dtype);
  Value v = steps.cast(std::move(call.args[1]), dtype);
  if (reversed) {
    IndexSpec spec;
    spec.push(IndexSpec::Item::slice, false, false, true);
    const Value back(int64_t{-1});
    v = index_read(builder, std::move(v), Value(spec.packed()), {&back, 1});
  }
  Value whole = steps.call(overlap_entry(), {a, v});
  return mode == full ? whole : middle(steps, std::move(whole), n, m, mode, reversed);
}

// The second vector is conjugated, as in statistics and in NumPy: where the parts of the first were taken already.
Value complex_correlate(Builder& builder, Call& call) {
  if (!is_complex(call.args[0]) && is_complex(call.args[1]))
    call.args[1] = ops::call(builder, handles().conj, {call.args[1]});
  return multilinear(builder, call);
}

Value convolve_eager(Builder& builder, Call& call) { return whole_of(builder, call, false); }
Value correlate_eager(Builder& builder, Call& call) { return whole_of(builder, call, true); }

const Entry& convolve_entry_of_lines() {
  static const Entry entry{
      .name = "convolve",
      .doc =
          "The convolution of two vectors: at k the sum of a[i]·v[k − i].\n\n"
          "`mode` \"full\" (also when it is none): wherever they overlap, n + m − 1 sums; \"same\": the middle, as "
          "many as the longer one "
          "has; "
          "\"valid\": where the shorter one lies inside. (For networks' convolutions see `conv1d`.)",
      .parameters = {any_parameter("a"), any_parameter("v"), attribute("mode", Value())},
      .widens_integers = true,
      .eager = convolve_eager,
      .complex = multilinear,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3], [0.0, 1, 0.5]",
                   .expected = "[0.0, 1, 2.5, 4, 1.5]",
                   .differentiate = true},
                  {.arguments = "[1.0, 2, 3], [0.0, 1, 0.5], mode=\"same\"", .expected = "[1.0, 2.5, 4]"},
                  {.arguments = "[1.0, 2, 3], [0.0, 1, 0.5], mode=\"valid\"", .expected = "[2.5]"},
                  {.arguments = "[1, 2], [1, 2, 3, 4], mode=\"same\"", .expected = "[1, 4, 7, 10]"},
                  {.arguments = "[1.0, 2], [inf, 1]", .expected = "[inf, inf, 2]"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& correlate_entry() {
  static const Entry entry{
      .name = "correlate",
      .doc =
          "The correlation of two vectors: the sums of a[k + i]·v[i], k ascending; `mode` as `convolve` has it, "
          "\"valid\" "
          "when it is left out. Of complex ones `v` is conjugated.",
      .parameters = {any_parameter("a"), any_parameter("v"), attribute("mode", Value())},
      .widens_integers = true,
      .eager = correlate_eager,
      .complex = complex_correlate,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3], [0.0, 1, 0.5]", .expected = "[3.5]", .differentiate = true},
                  {.arguments = "[1.0, 2, 3], [0.0, 1, 0.5], \"same\"", .expected = "[2.0, 3.5, 3]"},
                  {.arguments = "[1.0, 2, 3], [0.0, 1, 0.5], \"full\"", .expected = "[0.5, 2, 3.5, 3, 0]"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family signal_line_entries() {
  static const Entry* const entries[] = {&convolve_entry_of_lines(), &correlate_entry(), &overlap_entry(),
                                         &expect_vectors_entry(), &slide_entry()};
  return entries;
}

}  // namespace covec::ops
