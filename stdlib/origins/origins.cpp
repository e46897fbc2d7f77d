#include "stdlib/origins/origins.hpp"

#include <cmath>
#include <vector>

#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/not_finite.hpp"
#include "stdlib/origins/elements.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::origins {

namespace {

bool is_of_floats(const Value& value) { return value.is_numeric() && is_float(dtype_of(value)); }

int64_t size_of_dense(const Value& dense) { return dense.is_scalar() ? 1 : dense.tensor().size(); }

}  // namespace

Kind kind_of(const Value& number) {
  const double x = float_of(number);
  if (std::isnan(x)) return Kind::nan;
  if (!std::isinf(x)) return Kind::number;
  return x > 0 ? Kind::infinity : Kind::minus_infinity;
}

Followed followed(const Value& value) {
  if (!value.is_traced() || value.traced().level != origin_level) return {value, Value()};
  return {value.traced().primal, value.traced().tangent};
}

Value follow(ops::Context& context, const Value& plain, FunctionRef<int64_t(const Value&, int64_t)> origin_of) {
  if (!is_of_floats(plain) || !autodiff::not_finite(context, plain).any()) return plain;
  const Value dense = contiguous(*context.pool, plain);
  std::vector<int64_t> origins(static_cast<size_t>(size_of_dense(dense)));
  bool any = false, same = true;
  int64_t one = -1;  // of all so far
  for (size_t i = 0; i < origins.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    if (kind_of(element(dense, number)) == Kind::number) continue;
    const int64_t origin = origins[i] = origin_of(dense, number);
    same = same && (one < 0 || origin == one);
    one = origin;
    any = any || origin != 0;
  }
  if (!any) return plain;
  if (same) return autodiff::make_jvp(origin_level, plain, Value(one));
  Value numbers = make_tensor(*context.pool, Dtype::i64, shape_of(dense));
  std::copy(origins.begin(), origins.end(), numbers.tensor().as<int64_t>());
  return autodiff::make_jvp(origin_level, plain, std::move(numbers));
}

void each_not_finite(ops::Context& context, const Followed& value,
                     FunctionRef<bool(const Value&, int64_t, int64_t)> f) {
  if (!is_of_floats(value.plain) || !autodiff::not_finite(context, value.plain).any()) return;
  const Value dense = contiguous(*context.pool, value.plain);
  const int64_t count = size_of_dense(dense);
  for (int64_t i = 0; i < count; ++i) {
    if (kind_of(element(dense, i)) == Kind::number) continue;
    const int64_t origin = value.origins.is_none() ? 0 : element(value.origins, i).i64();
    if (!f(dense, i, origin)) return;
  }
}

int64_t first_origin(ops::Context& context, const Value& tree, bool nan) {
  int64_t found = 0;
  each_leaf(tree, [&](const Value& leaf) {
    const Value* at = &leaf;
    while (at->is_traced() && at->traced().level != origin_level) at = &at->traced().primal;
    if (found != 0) return;
    each_not_finite(context, followed(*at), [&](const Value& dense, int64_t i, int64_t origin) {
      if ((kind_of(element(dense, i)) == Kind::nan) == nan) found = origin;
      return found == 0;
    });
  });
  return found;
}

}  // namespace covec::origins
