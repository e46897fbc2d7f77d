// All float results are weighted with fixed numbers and added, so that one pullback checks every output at once; each
// element of each float argument is then moved a step both ways. Draws are replayed, so that they are the same in every
// run.
#include "stdlib/autodiff/check_grad.hpp"

#include <cmath>

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/autodiff/directional.hpp"
#include "stdlib/autodiff/taped.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

double weight(int64_t i) { return 0.5 + static_cast<double>(i * 7919 % 1000) / 1000.0; }

double element(const Value& value, int64_t i) {
  const auto* bytes = static_cast<const std::byte*>(data_of(value));
  return real_at(dtype_of(value), bytes + i * static_cast<int64_t>(size_of(dtype_of(value))));
}

int64_t element_count(const Value& value) { return value.is_scalar() ? 1 : value.tensor().size(); }

Value with_element(Pool& pool, const Value& value, int64_t i, double number) {
  Value copy = value;
  void* data = copy.is_scalar() ? copy.scalar_data() : static_cast<void*>(writable(copy, pool).data());
  if (is_half(dtype_of(copy))) {
    static_cast<uint16_t*>(data)[i] = half_of(dtype_of(copy), odd_float_of(number));
  } else if (dtype_of(copy) == Dtype::f32) {
    static_cast<float*>(data)[i] = static_cast<float>(number);
  } else {
    static_cast<double*>(data)[i] = number;
  }
  return copy;
}

// Weighted sum of a result, in f64; and the weights as cotangents.
double weighted(Pool& pool, const Value& result) {
  double sum = 0;
  int64_t at = 0;
  each_leaf(result, [&](const Value& leaf) {
    if (!is_float_leaf(leaf)) return;
    const Value dense = contiguous(pool, concrete(leaf));
    for (int64_t i = 0; i < element_count(dense); ++i) sum += weight(at++) * element(dense, i);
  });
  return sum;
}

Value weights_like(Pool& pool, const Value& result) {
  int64_t at = 0;
  return map_leaves(result, [&](const Value& leaf) {
    if (!is_float_leaf(leaf)) return Value();
    Value weights = contiguous(pool, concrete(leaf));
    const int64_t count = element_count(weights);
    for (int64_t i = 0; i < count; ++i) weights = with_element(pool, std::move(weights), i, weight(at++));
    return weights;
  });
}

class Check {
 public:
  Check(ops::Builder& b, const Value& f, std::span<const Value> args)
      : b_(b), f_(f), args_(args.begin(), args.end()), random_(b.context().random) {}

  double worst() {
    const Value pair = vjp(b_, f_, make_tuple(args_));
    const Value weights = weights_like(b_.pool(), pair.tuple().items[0]);
    Value ct[] = {weights};
    const Value gradient = pair.tuple().items[1].function().call(b_, ct, {});
    const std::vector<Value> gradients = args_.size() == 1 ? std::vector<Value>{gradient} : gradient.tuple().items;
    const QuietScope quiet(b_.context());
    double worst = 0;
    for (size_t i = 0; i < args_.size(); ++i) {
      std::vector<Value> leaves, derivatives;
      each_leaf(args_[i], [&](const Value& leaf) { leaves.push_back(leaf); });
      each_leaf(gradients[i], [&](const Value& leaf) { derivatives.push_back(leaf); });
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        if (is_float_leaf(leaves[leaf])) worst = std::max(worst, leaf_error(i, leaf, leaves[leaf], derivatives[leaf]));
      }
    }
    return worst;
  }

 private:
  double leaf_error(size_t arg, size_t leaf, const Value& value, const Value& derivative) {
    const Value dense = contiguous(b_.pool(), concrete(value));
    const Value exact = contiguous(b_.pool(), concrete(derivative));
    double difference = 0, largest = smallest_scale;
    for (int64_t i = 0; i < element_count(dense); ++i) {
      const double estimate = central_difference(arg, leaf, dense, i);
      const double given = element(exact, i);
      if (std::isnan(estimate) != std::isnan(given)) return INFINITY;
      if (std::isnan(given)) continue;
      difference = std::max(difference, std::abs(given - estimate));
      largest = std::max({largest, std::abs(given), std::abs(estimate)});
    }
    return difference / largest;
  }

  double central_difference(size_t arg, size_t leaf, const Value& value, int64_t i) {
    const double x = element(value, i);
    const double step = (dtype_of(value) == Dtype::f32 ? 1e-2 : 1e-5) * std::max(1.0, std::abs(x));
    const Value up = with_element(b_.pool(), value, i, x + step), down = with_element(b_.pool(), value, i, x - step);
    return (evaluate(arg, leaf, up) - evaluate(arg, leaf, down)) / (element(up, i) - element(down, i));
  }

  double evaluate(size_t arg, size_t leaf, const Value& moved) {
    std::vector<Value> args = args_;
    size_t at = 0;
    args[arg] = map_leaves(args[arg], [&](const Value& original) { return at++ == leaf ? moved : original; });
    const ops::Random after = std::exchange(b_.context().random, random_);
    const double result = weighted(b_.pool(), f_.function().call(b_, args, {}));
    b_.context().random = after;
    return result;
  }

  static constexpr double smallest_scale = 1e-3;  // below, rounding in the differences is all there is
  ops::Builder& b_;
  const Value& f_;
  const std::vector<Value> args_;
  const ops::Random random_;
};

}  // namespace

double check_grad(ops::Builder& b, const Value& f, std::span<const Value> args) { return Check(b, f, args).worst(); }

}  // namespace covec::autodiff
