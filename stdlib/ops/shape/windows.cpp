// windows: makes each window along an axis an axis of its own, as a view on the elements. Its transpose adds
// overlapping elements.
#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/shape/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

const Entry& windows_entry();
const Entry& overlap_add_entry();

constexpr unsigned of_size = 1, of_axis = 2, of_step = 3;  // operand numbers, in the order of windows' parameters

struct Windows {
  unsigned axis;
  Dim size;
  int64_t step;
};

int64_t step_argument(const Call& call) {
  if (integer_argument(call, of_step) < 1) fail_attribute(call, of_step, "1 or more");
  return integer_argument(call, of_step);
}

Windows windows_of(ShapeBuilder& shapes, const Call& call) {
  const unsigned rank = operand_type(call, 0).shape.rank();
  return {normal_axis(call, integer_argument(call, of_axis), rank), size_argument(shapes, call, of_size),
          step_argument(call)};
}

Type windows_type(ShapeBuilder& shapes, const Call& call) {
  Type x = operand_type(call, 0);
  const Windows windows = windows_of(shapes, call);
  if (x.shape.rank() == max_rank) fail(message("rank_limit"), {std::to_string(max_rank + 1)}, {label_of(call, 0)});
  Dim& length = x.shape[windows.axis];
  if (!length.known() || !windows.size.known()) {
    length = shapes.unknown_dim();
  } else {
    const int64_t size = windows.size.number(), whole = length.number();
    if (size < 1 || size > whole)
      fail(message("windows_size"), {std::to_string(size), std::to_string(whole)}, {label_of(call, 0)});
    length = (whole - size) / windows.step + 1;
  }
  x.shape.push_back(windows.size);
  return x;
}

Value windows_eager(Builder& builder, Call& call) {
  const Type type = windows_type(builder, call);
  const Windows windows = windows_of(builder, call);
  const Tensor& x = call.args[0].tensor();
  std::vector<int64_t> strides(x.strides().begin(), x.strides().end());
  strides.push_back(strides[windows.axis]);
  strides[windows.axis] *= windows.step;
  return view_at(call.args[0], 0, type.shape, strides.data());
}

// The same of every example: its axis is one further.
Value windows_batch(Builder& builder, Call& call, const Batching& batching) {
  const unsigned rank = example_type(call, 0, batching).shape.rank();
  call.args[of_axis] = int64_t{normal_axis(call, integer_argument(call, of_axis), rank)} + 1;
  return ops::call(builder, call.entry, call.args);
}

Value windows_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  const Call call = residual_call(windows_entry(), residuals);
  const unsigned axis = normal_axis(call, integer_argument(call, of_axis), residuals.types[0].shape.rank());
  return rule.call(overlap_add_entry(), {cotangent, rule.builder().extent(residuals.types[0].shape[axis]),
                                         Value(int64_t{axis}), residuals.operands[of_step]});
}

// --- overlap_add ---

Type overlap_type(ShapeBuilder& shapes, const Call& call) {
  Type x = operand_type(call, 0);
  x.shape.erase(x.shape.rank() - 1);
  x.shape[static_cast<unsigned>(integer_argument(call, of_axis))] = size_argument(shapes, call, 1);
  return x;
}

// Blocks of `count` windows of `inner` places of `size` elements each go into blocks of `length` rows.
template <class T>
void add_windows(kernels::InterruptPolls& polls, const T* from, T* to, int64_t count, int64_t inner, int64_t size,
                 int64_t step) {
  for (int64_t w = 0; w < count && !polls.stop(inner * size); ++w, to += step * inner) {
    for (int64_t j = 0; j < inner; ++j, from += size) {
      for (int64_t i = 0; i < size; ++i) to[i * inner + j] += from[i];
    }
  }
}

Value overlap_eager(Builder& builder, Call& call) {
  const Type type = overlap_type(builder, call);
  Value result = zeros(builder, type);
  const Value x = contiguous(builder.pool(), call.args[0]);
  const Tensor& from = x.tensor();
  if (from.size() == 0 || type.shape.elements() == 0) return result;
  const auto axis = static_cast<unsigned>(integer_argument(call, of_axis));
  int64_t outer = 1, inner = 1;
  for (unsigned i = 0; i < axis; ++i) outer *= from.dim(i);
  for (unsigned i = axis + 1; i + 1 < from.rank(); ++i) inner *= from.dim(i);
  const int64_t count = from.dim(axis), size = from.dim(from.rank() - 1), step = integer_argument(call, of_step);
  const int64_t block = from.size() / outer, into = type.shape.elements() / outer;
  kernels::InterruptPolls polls(builder.context());
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < outer; ++i) {
      add_windows(polls, from.as<T>() + i * block, result.tensor().as<T>() + i * into, count, inner, size, step);
    }
  };
  type.dtype == Dtype::f32 ? run(float{}) : run(double{});
  kernels::poll_interrupt(builder.context());
  return result;
}

Value overlap_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  const Shape& shape = residuals.types[0].shape;
  return rule.call(windows_entry(), {cotangent, rule.builder().extent(shape[shape.rank() - 1]),
                                     residuals.operands[of_axis], residuals.operands[of_step]});
}

Value overlap_batch(Builder& builder, Call& call, const Batching&) {
  call.args[of_axis] = integer_argument(call, of_axis) + 1;
  return ops::call(builder, call.entry, call.args);
}

Value pattern_of_overlap_add(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  const Call call = residual_call(entry, residuals);
  const auto axis = static_cast<unsigned>(integer_argument(call, of_axis));
  const Shape& from = residuals.types[0].shape;
  int64_t inner = 1;
  for (unsigned i = axis + 1; i + 1 < from.rank(); ++i) inner *= from[i].number();
  const int64_t count = from[axis].number(), size = from[from.rank() - 1].number(),
                step = integer_argument(call, of_step);
  return sets.link(of[0], residuals.result_type->shape, axis, [&](Sets::Link link) {
    for (int64_t place = 0; place < count * inner * size; ++place) {
      const int64_t window = place / (inner * size), within = place / size % inner, i = place % size;
      link((window * step + i) * inner + within, place);
    }
  });
}

const Entry& overlap_add_entry() {
  static const Entry entry{
      .name = "overlap_add",
      .doc = "Windows, which lie along the last axis, added where they lie over each other: the transpose of windows.",
      .parameters = {tensor_parameter("x"), attribute("length"), attribute("axis"), attribute("step")},
      .type = overlap_type,
      .eager = overlap_eager,
      .derivative = Derivative::linearly(1, overlap_transpose),
      .batch = overlap_batch,
      .pattern = pattern_of_overlap_add,
      .internal = true,
      .part_of = "windows",
  };
  return entry;
}

const Entry& windows_entry() {
  static const Entry entry{
      .name = "windows",
      .doc =
          "Each stretch of `size` elements along `axis`, `step` apart: the axis counts the stretches, and a new last "
          "axis goes through one. A view: nothing is copied.\n\n"
          "NumPy's sliding_window_view; `mean(windows(x, 7), axis=-1)` is a moving mean.",
      .parameters = {tensor_parameter("x"), attribute("size"), attribute("axis", int64_t{-1}),
                     attribute("step", int64_t{1})},
      .carries = true,
      .type = windows_type,
      .eager = windows_eager,
      .derivative = Derivative::linearly(1, windows_transpose),
      .batch = windows_batch,
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2, 3, 4], 3", .expected = "[[1.0, 2, 3], [2, 3, 4]]", .differentiate = true},
                  {.arguments = "[1, 2, 3, 4, 5], 2, step=2", .expected = "[[1, 2], [3, 4]]"},
                  {.arguments = "[[1.0, 2], [3, 4], [5, 6]], 2, axis=0",
                   .expected = "[[[1.0, 3], [2, 4]], [[3, 5], [4, 6]]]",
                   .differentiate = true},
                  {.arguments = "[true, false], 1", .expected = "[[true], [false]]"}},
  };
  return entry;
}

}  // namespace

Family shape_windows_entries() {
  static const Entry* const entries[] = {&windows_entry(), &overlap_add_entry()};
  return entries;
}

}  // namespace covec::ops
