// covec_call_numbers: a call whose arguments and results are numbers crosses the border once and makes no handles.
#include "interpreter/host/numbers.hpp"

#include "interpreter/host/calls.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/walk.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::embedding {

namespace {

double* copy_elements(const Tensor& tensor, double* to) {
  if (tensor.size() == 0) return to;
  const Dtype dtype = tensor.dtype();
  const auto size = static_cast<int64_t>(size_of(dtype));
  PairAxes axes;
  int64_t inside = tensor.size();
  for (unsigned axis = 0; axis < tensor.rank(); ++axis) {
    const int64_t extent = tensor.dims()[axis];
    inside /= extent;
    axes.push({extent, tensor.stride(axis) * size, inside});
  }
  axes.each_position(axes.count, tensor.data(), to,
                     [&](const std::byte* element, double* number) { *number = real_at(dtype, element); });
  return to + tensor.size();
}

}  // namespace

covec_status expect_numbers(covec_session* session, const Value& value, size_t wanted) {
  size_t count = 0;
  const Value* culprit = nullptr;
  each_leaf(value, [&](const Value& leaf) {
    if (leaf.is_numeric())
      count += leaf.is_scalar() ? 1 : static_cast<size_t>(leaf.tensor().size());
    else if (culprit == nullptr)
      culprit = &leaf;
  });
  if (culprit != nullptr) return wrong(session, "type", "expected numbers, got " + describe(*culprit));
  if (count != wanted)
    return wrong(session, "shape",
                 "there are " + std::to_string(count) + " numbers, and room for " + std::to_string(wanted));
  return COVEC_OK;
}

void copy_numbers(const Value& value, double* to) {
  each_leaf(value, [&](const Value& leaf) {
    if (leaf.is_scalar())
      *to++ = real_at(leaf.scalar_dtype(), leaf.scalar_data());
    else
      to = copy_elements(leaf.tensor(), to);
  });
}

}  // namespace covec::embedding

using namespace covec::embedding;
using covec::Value;

extern "C" covec_status covec_call_numbers(covec_session* session, covec_value* function, const double* in,
                                           size_t in_count, double* out, size_t out_count) {
  return guarded(session, [&](covec::Session& run) {
    if (!belongs(session, function)) return misuse(session, "the function is null or of another session");
    if ((in == nullptr && in_count > 0) || (out == nullptr && out_count > 0))
      return misuse(session, "the numbers are null");
    covec::SmallVector<Value, 8> args(in_count);
    for (size_t i = 0; i < in_count; ++i) args[i] = Value(in[i]);
    const Value result = run.call_moving(function->value, span_of(args));
    if (result.tag() == covec::Tag::f64 && out_count == 1) {
      *out = result.f64();
      return COVEC_OK;
    }
    if (const covec_status status = expect_numbers(session, result, out_count); status != COVEC_OK) return status;
    copy_numbers(result, out);
    return COVEC_OK;
  });
}
