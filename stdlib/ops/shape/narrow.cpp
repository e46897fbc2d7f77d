// Takes a part of one axis, and its transpose. The derivatives of concat, stack and split consist of these.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/shape/family.hpp"
#include "stdlib/ops/shape/parts.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::ops {

namespace {

struct Part {
  unsigned axis;
  int64_t start, size;
};

Part part_of(const Call& call) {
  return {static_cast<unsigned>(integer_argument(call, 1)), integer_argument(call, 2), integer_argument(call, 3)};
}

unsigned axis_of(const Call& call) { return static_cast<unsigned>(integer_argument(call, 1)); }

Type narrow_type(ShapeBuilder& shapes, const Call& call) {
  Type x = operand_type(call, 0);
  x.shape[axis_of(call)] = size_argument(shapes, call, 3);
  return x;
}

Value narrow_eager(Builder&, Call& call) {
  Value& x = call.args[0];
  const Part part = part_of(call);
  Shape shape = x.tensor().shape();
  if (part.start == 0 && shape[part.axis] == Dim(part.size)) return std::move(x);
  shape[part.axis] = part.size;
  return view_at(x, part.start * x.tensor().stride(part.axis), shape, x.tensor().strides().data());
}

Value narrow_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  const Dim size = residuals.types[0].shape[axis_of(residual_call(narrow_entry(), residuals))];
  return rule.call(widen_entry(),
                   {cotangent, residuals.operands[1], residuals.operands[2], rule.builder().extent(size)});
}

// The same part of every example: its axis is one further.
Value part_batch(Builder& builder, Call& call, const Batching&) {
  call.args[1] = integer_argument(call, 1) + 1;
  return ops::call(builder, call.entry, call.args);
}

Type widen_type(ShapeBuilder& shapes, const Call& call) { return narrow_type(shapes, call); }

Value widen_eager(Builder& builder, Call& call) {
  const Tensor& x = call.args[0].tensor();
  const Part part = part_of(call);
  Shape shape = x.shape();
  shape[part.axis] = part.size;
  Value result = make_tensor(builder.pool(), x.dtype(), shape);
  Tensor& whole = result.tensor();
  std::memset(whole.data(), 0, static_cast<size_t>(whole.size()) * size_of(x.dtype()));
  if (x.size() == 0) return result;
  const Value packed = contiguous(builder.pool(), call.args[0]);
  const int64_t block = whole.stride(part.axis) * static_cast<int64_t>(size_of(x.dtype()));
  const int64_t length = x.dim(part.axis) * block, period = part.size * block;
  const int64_t count = x.size() * static_cast<int64_t>(size_of(x.dtype())) / length;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(whole.data() + i * period + part.start * block, packed.tensor().data() + i * length,
                static_cast<size_t>(length));
  }
  return result;
}

Value widen_transpose(RuleContext& rule, unsigned, const Residuals& residuals, const Value& cotangent) {
  const Dim size = residuals.types[0].shape[axis_of(residual_call(widen_entry(), residuals))];
  return rule.call(narrow_entry(),
                   {cotangent, residuals.operands[1], residuals.operands[2], rule.builder().extent(size)});
}

}  // namespace

const Entry& narrow_entry() {
  static const Entry entry{
      .name = "narrow",
      .doc = "Part of `x` along one axis: `size` places from `start`.",
      .parameters = {tensor_parameter("x"), attribute("axis"), attribute("start"), attribute("size")},
      .carries = true,
      .type = narrow_type,
      .eager = narrow_eager,
      .derivative = Derivative::linearly(1, narrow_transpose),
      .batch = part_batch,
      .internal = true,
  };
  return entry;
}

const Entry& widen_entry() {
  static const Entry entry{
      .name = "widen",
      .doc = "Zeros of `size` along one axis with `x` put at `start`: the transpose of narrow.",
      .parameters = {tensor_parameter("x"), attribute("axis"), attribute("start"), attribute("size")},
      .carries = true,
      .type = widen_type,
      .eager = widen_eager,
      .device = DeviceForm::widen,
      .derivative = Derivative::linearly(1, widen_transpose),
      .batch = part_batch,
      .internal = true,
  };
  return entry;
}

Family shape_narrow_entries() {
  static const Entry* const entries[] = {&narrow_entry(), &widen_entry()};
  return entries;
}

}  // namespace covec::ops
