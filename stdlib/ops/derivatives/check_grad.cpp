// Compares a derivative with finite differences. All float results are multiplied by fixed weights and added, so one
// pullback checks every output. Then each element of each float argument is moved both ways, by steps that shrink until
// the difference quotient has settled. Draws are replayed, so they are the same in every run.
#include "stdlib/ops/derivatives/check_grad.hpp"

#include <cmath>

#include "stdlib/autodiff/batch.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/collected.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"
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

// The weights as cotangents.
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
  Check(ops::Builder& b, const Value& f, std::span<const Value> args, bool holomorphic)
      : b_(b), f_(f), args_(args.begin(), args.end()), random_(b.context().random), holomorphic_(holomorphic) {}

  double worst() {
    const Value pair = vjp(b_, f_, make_tuple(args_));
    const Value weights = weights_like(b_.pool(), pair.tuple().items[0]);
    here_ = weighted(pair.tuple().items[0]).value;
    Value ct[] = {weights};
    const Value gradient = pair.tuple().items[1].function().call(b_, ct, {});
    const std::vector<Value> gradients = args_.size() == 1 ? std::vector<Value>{gradient} : gradient.tuple().items;
    double worst = 0;
    if (holomorphic_) {
      Value ct_times_i[] = {times_i(weights, "a complex result")};
      worst = apart(times_i(gradient, "complex arguments"), pair.tuple().items[1].function().call(b_, ct_times_i, {}));
    }
    output_ = b_.context().output;
    const QuietScope quiet(b_.context());
    for (size_t i = 0; i < args_.size(); ++i) {
      Collected<Value> leaves, derivatives;
      each_leaf(args_[i], [&](const Value& leaf) { leaves.push(leaf); });
      each_leaf(gradients[i], [&](const Value& leaf) { derivatives.push(leaf); });
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        if (is_float_leaf(leaves[leaf])) worst = std::max(worst, leaf_error(i, leaf, leaves[leaf], derivatives[leaf]));
      }
    }
    return worst;
  }

 private:
  // What differences say, how far they may be off, by how much f changes on one side, by the step, and how large it is.
  struct Estimate {
    double derivative = NAN, error = INFINITY, change = 0, size = 0;
  };
  struct Sum {
    double value, size;
  };

  // i times each complex number of a tree. Of a holomorphic function the pullback of i·c is i times that of c: what
  // Cauchy and Riemann say.
  Value times_i(const Value& tree, const char* wanted) {
    if (is_complex(tree)) {
      const Value& im = complex_of(tree).im();
      return make_complex(ops::call(b_, ops::handles().negate, {im}), complex_of(tree).re());
    }
    if (is_tree(tree)) return map_parts(tree, [&](const Value& part) { return times_i(part, wanted); });
    if (tree.is_none()) return tree;
    fail(message("holomorphic"), {"check_grad", wanted, describe(tree)});
  }

  // The worst leaf's largest difference, relative to its largest number.
  double apart(const Value& a, const Value& b) {
    Collected<Value> left, right;
    each_leaf(a, [&](const Value& leaf) { left.push(leaf); });
    each_leaf(b, [&](const Value& leaf) { right.push(leaf); });
    double worst = 0;
    for (size_t leaf = 0; leaf < left.size(); ++leaf) {
      if (!is_float_leaf(left[leaf])) continue;
      const Value x = contiguous(b_.pool(), concrete(left[leaf])), y = contiguous(b_.pool(), concrete(right[leaf]));
      double difference = 0, largest = 0;
      for (int64_t i = 0; i < element_count(x); ++i) {
        const double one = std::abs(element(x, i) - element(y, i));
        if (!std::isfinite(one)) return INFINITY;
        difference = std::max(difference, one);
        largest = std::max({largest, std::abs(element(x, i)), std::abs(element(y, i))});
      }
      if (difference > 0) worst = std::max(worst, difference / largest);
    }
    return worst;
  }

  double leaf_error(size_t arg, size_t leaf, const Value& value, const Value& derivative) {
    const Value dense = contiguous(b_.pool(), concrete(value));
    const Value exact = contiguous(b_.pool(), concrete(derivative));
    // A half has too few numbers beside it: its argument is moved as f64.
    const Value moved = is_half(dtype_of(dense)) ? ops::call(b_, ops::cast_entry(Dtype::f64), {dense}) : dense;
    double measured = 0, beyond_doubt = 0, largest = 0, doubt = 0, change = 0, size = 0;
    for (int64_t i = 0; i < element_count(dense); ++i) {
      const double given = element(exact, i);
      const Estimate estimate = differences(arg, leaf, moved, i, given);
      if (!std::isfinite(given) || !std::isfinite(estimate.derivative)) return INFINITY;
      const double difference = std::abs(given - estimate.derivative);
      measured = std::max(measured, difference);
      beyond_doubt = std::max(beyond_doubt, difference - 2 * estimate.error);
      largest = std::max({largest, std::abs(given), std::abs(estimate.derivative)});
      doubt = std::max(doubt, estimate.error), change = std::max(change, estimate.change);
      size = std::max(size, estimate.size);
    }
    // At a minimum both are rounding: beside what f changes by they count as 0.
    const double scale = std::max(largest, 1e-6 * change);
    if (doubt > 0.1 * std::max(scale, 1e-6 * size)) say_doubt(arg);
    return scale == 0 ? 0 : std::max(beyond_doubt / scale, std::min(measured / scale, agreement));
  }

  void say_doubt(size_t arg) {
    const std::string text = "check_grad: finite differences are too inexact for the derivative by argument " +
                             std::to_string(arg + 1) +
                             ": f is not continuous there, or its values are much larger than its changes";
    if (output_ != nullptr && b_.context().warned.insert(text).second) output_->warn(text);
  }

  // From the element's own scale down, and where that does not tell from 1 down; 0 has no scale.
  Estimate differences(size_t arg, size_t leaf, const Value& value, int64_t i, double given) {
    const double x = std::abs(element(value, i));
    if (!std::isfinite(x)) return {};
    Estimate best = x == 0 ? Estimate{} : ladder(arg, leaf, value, i, x, given);
    if (best.error > close * std::abs(given) && x != 1) {
      const Estimate other = ladder(arg, leaf, value, i, 1, given);
      if (!(best.error <= other.error)) best = other;
    }
    return best;
  }

  // Ridders' method ("Accurate computation of F'(x) and F'(x)F''(x)", 1982): central differences of falling steps,
  // extrapolated to the step 0; of all the one whose neighbours, and the rounding in it, say that it is nearest.
  Estimate ladder(size_t arg, size_t leaf, const Value& value, int64_t i, double scale, double given) {
    // Steps of the ladder, and the ratio of one to the next.
    constexpr int rungs = 10;
    constexpr double down = 8;
    const double x = element(value, i), unit = dtype_of(value) == Dtype::f32 ? 0x1p-23 : 0x1p-52;
    std::vector<double> before, row;
    Estimate best;
    double step = scale / down;
    for (int rung = 0; rung < rungs; ++rung) {
      step /= down;
      const Value up = with_element(b_.pool(), value, i, x + step), low = with_element(b_.pool(), value, i, x - step);
      const double width = element(up, i) - element(low, i);
      if (width == 0) break;
      const Sum above = evaluate(arg, leaf, up), below = evaluate(arg, leaf, low);
      row.assign(1, (above.value - below.value) / width);
      if (!std::isfinite(row[0])) {  // outside of where f is defined
        before.clear();
        continue;
      }
      const double noise = 4 * std::max(unit, unit_) * (above.size + below.size) / std::abs(width);
      const double change = 2 * std::max(std::abs(above.value - here_), std::abs(below.value - here_)) / width;
      best.size = std::max(best.size, std::max(above.size, below.size) / std::max(1.0, std::abs(x)));
      if (std::isfinite(change)) best.change = std::max(best.change, change);
      if (!std::isfinite(best.derivative)) best.derivative = row[0];
      double power = 1;
      for (size_t k = 0; k < before.size(); ++k) {
        power *= down * down;
        row.push_back((power * row[k] - before[k]) / (power - 1));
        const double error = std::max(std::abs(row[k + 1] - row[k]), std::abs(row[k + 1] - before[k])) + noise;
        if (error < best.error) best.derivative = row[k + 1], best.error = error;
      }
      const double enough = close * std::max(std::abs(given), 1e-3 * best.change);
      if (best.error <= enough && std::abs(best.derivative - given) <= 2 * best.error) break;
      before = row;
    }
    return best;
  }

  // Where f fails beside a point at which it does not, it is not defined there.
  Sum evaluate(size_t arg, size_t leaf, const Value& moved) {
    std::vector<Value> args = args_;
    size_t at = 0;
    args[arg] = map_leaves(args[arg], [&](const Value& original) { return at++ == leaf ? moved : original; });
    const ops::Random after = std::exchange(b_.context().random, random_);
    Sum result{NAN, 0};
    try {
      result = weighted(f_.function().call(b_, args, {}));
    } catch (const OpError& error) {
      if (error.kind != ErrorKind::ordinary) throw;
    } catch (...) {
      if (b_.context().may_catch == nullptr || !b_.context().may_catch()) throw;
    }
    b_.context().random = after;
    return result;
  }

  // Weighted sum of a result, in f64, and of its sizes.
  Sum weighted(const Value& result) {
    Sum sum{0, 0};
    int64_t at = 0;
    each_leaf(result, [&](const Value& leaf) {
      if (!is_float_leaf(leaf)) return;
      const Value dense = contiguous(b_.pool(), concrete(leaf));
      unit_ = std::max(unit_, std::ldexp(1.0, 1 - info_of(dtype_of(dense)).digits));
      for (int64_t i = 0; i < element_count(dense); ++i) {
        const double part = weight(at++) * element(dense, i);
        sum.value += part, sum.size += std::abs(part);
      }
    });
    return sum;
  }

  static constexpr double close = 1e-9;  // an error, by the derivative, that is small enough
  // The most that is shown of a difference, by the derivative, which the error of the differences explains: so that
  // coarse differences, as in f32, do not make a right derivative look wrong.
  static constexpr double agreement = 1e-8;
  double here_ = NAN;  // f's own value, weighted
  double unit_ = 0;    // one in the last place of the coarsest float of the results, by its size
  ops::Builder& b_;
  const Value& f_;
  const std::vector<Value> args_;
  const ops::Random random_;
  const bool holomorphic_;
  ops::Output* output_ = nullptr;
};

}  // namespace

double check_grad(ops::Builder& b, const Value& f, std::span<const Value> args, bool holomorphic) {
  return Check(b, f, args, holomorphic).worst();
}

}  // namespace covec::autodiff
