// Finds roots of secular equations. A root is stored as its distance from the nearer pole, so its distances from all
// poles are exact. Each step replaces the sum by one of two poles that has the same value and derivative. The nearer
// pole keeps its own weight, or gets one that fits its side of the sum. A step that leaves the bracket of the root is
// replaced by bisection.
#include "stdlib/decompositions/secular.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "stdlib/kernels/parallel.hpp"

namespace covec::kernels {

namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon() / 2;
constexpr int max_steps = 200;  // a bound on steps to a root

struct Sum {
  double value = 0, slope = 0;
};

class Root {
 public:
  Root(const Secular& equation, int64_t index, double* differences)
      : equation_(equation), n_(equation.size()), index_(index), differences_(differences) {}

  bool find() {
    bracket();
    for (int step = 0; step < max_steps; ++step) {
      if (is_close_enough()) return true;
      const double before = at_;
      at_ = next(step);
      if (at_ == before || !(low_ < high_)) return true;
      evaluate();
    }
    return false;
  }
  double value() const { return pole(origin_) + at_; }

 private:
  bool is_last() const { return index_ + 1 == n_; }
  double pole(int64_t i) const { return equation_.poles[static_cast<size_t>(i)]; }
  double square(int64_t i) const {
    const double weight = equation_.weights[static_cast<size_t>(i)];
    return weight * weight;
  }

  // Of terms [begin, end), in lanes that are added by halves.
  Sum sum(int64_t begin, int64_t end) {
    constexpr int64_t lanes = 8;  // sums side by side: 64 bytes of f64
    double values[lanes] = {}, slopes[lanes] = {};
    const double* const d = equation_.poles.data();
    const double* const z = equation_.weights.data();
    const double origin = pole(origin_), at = at_;
    const auto add = [&](int64_t i, int64_t lane) {
      double difference = (d[i] - origin) - at;
      if (equation_.squared) difference *= (d[i] + origin) + at;
      differences_[i] = difference;
      const double ratio = z[i] / difference;
      values[lane] += z[i] * ratio;
      slopes[lane] += ratio * ratio;
    };
    int64_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      for (int64_t lane = 0; lane < lanes; ++lane) add(i + lane, lane);
    }
    for (int64_t lane = 0; i < end; ++i, ++lane) add(i, lane);
    for (int64_t half = lanes / 2; half > 0; half /= 2) {
      for (int64_t lane = 0; lane < half; ++lane)
        values[lane] += values[lane + half], slopes[lane] += slopes[lane + half];
    }
    return {values[0], slopes[0]};
  }

  // The function at at_, which narrows the bracket.
  void evaluate() {
    left_ = sum(0, index_ + 1);
    right_ = sum(index_ + 1, n_);
    value_ = equation_.constant + left_.value + right_.value;
    (value_ < 0 ? low_ : high_) = at_;
  }

  bool is_close_enough() const {
    const double magnitude = equation_.constant + std::abs(left_.value) + std::abs(right_.value);
    return std::abs(value_) <= rounding * (8 + static_cast<double>(n_) / 8) * magnitude;
  }

  // In the middle between two poles the sign says which is nearer.
  void bracket() {
    origin_ = index_;
    low_ = 0;
    high_ = is_last() ? beyond_last() : (pole(index_ + 1) - pole(index_)) / 2;
    at_ = is_last() ? high_ / 2 : high_;
    const double width = high_;
    evaluate();
    if (is_last()) {
      if (value_ < 0) high_ = width;
      return;
    }
    const double step = first_step();
    if (value_ < 0) {
      origin_ = index_ + 1;
      low_ = -width, high_ = 0;
      at_ = -width;
    }
    at_ = inside(at_ + step);
    evaluate();
  }

  // No root is farther from the last pole.
  double beyond_last() const {
    double total = 0;
    for (int64_t i = 0; i < n_; ++i) total += square(i);
    total /= equation_.constant;
    const double last = pole(n_ - 1);
    const double most = equation_.squared ? total / (last + std::sqrt(last * last + total)) : total;
    return most * (1 + 16 * rounding * static_cast<double>(n_));
  }

  // Where the sum would be 0 if all terms but those of the two poles around the root were constants.
  double first_step() const {
    const double here = differences_[index_], there = differences_[index_ + 1];
    const double weight = square(index_), other = square(index_ + 1);
    return shift(step_to_zero(value_ - weight / here - other / there, here, there, value_,
                              weight / (here * here) + other / (there * there)));
  }

  // The root that lies between −∞ … of c + s/(here − x) + S/(there − x), which is `value` and rises by `slope` at 0.
  static double step_to_zero(double c, double here, double there, double value, double slope) {
    const double a = (here + there) * value - here * there * slope, b = here * there * value;
    const double root = std::sqrt(std::abs(a * a - 4 * b * c));
    return a <= 0 ? (c == 0 ? b / a : (a - root) / (2 * c)) : 2 * b / (a + root);
  }

  // A step of λ as one of at_: where λ is σ².
  double shift(double step) const {
    if (!equation_.squared) return step;
    const double sigma = value(), square = sigma * sigma + step;
    return square > 0 ? step / (sigma + std::sqrt(square)) : -std::numeric_limits<double>::infinity();
  }

  double next(int step) {
    const double slope = left_.slope + right_.slope;
    const bool slow = std::abs(value_) > 0.1 * std::abs(previous_) && step > 0;
    if (slow) own_weight_ = !own_weight_;
    previous_ = value_;
    if (step > 6 && step % 3 == 0) return middle();
    double change = is_last() ? last_step() : middle_step(slope);
    if (!(value_ * change < 0)) change = -value_ / slope;
    return inside(at_ + shift(change));
  }

  // All terms as one, of a pole at the last.
  double last_step() const {
    const double here = differences_[index_], c = value_ - here * left_.slope;
    return here + here * here * left_.slope / c;
  }

  double middle_step(double slope) const {
    const double here = differences_[index_], there = differences_[index_ + 1];
    double c = value_ - here * left_.slope - there * right_.slope;
    if (own_weight_ && origin_ == index_) c = value_ - there * slope - square(index_) / (here * here) * (here - there);
    if (own_weight_ && origin_ != index_)
      c = value_ - here * slope - square(index_ + 1) / (there * there) * (there - here);
    return step_to_zero(c, here, there, value_, slope);
  }

  double inside(double at) const { return at > low_ && at < high_ ? at : middle(); }

  // Of the bracket: by magnitude, since a root may be very near to its pole.
  double middle() const {
    const double least = std::min(std::abs(low_), std::abs(high_)), most = std::max(std::abs(low_), std::abs(high_));
    const double magnitude = least == 0         ? most / 16
                             : most > 4 * least ? std::sqrt(least) * std::sqrt(most)
                                                : (least + most) / 2;
    return high_ <= 0 ? -magnitude : magnitude;
  }

  const Secular& equation_;
  int64_t n_, index_, origin_ = 0;
  double* differences_;
  double at_ = 0, low_ = 0, high_ = 0;  // from the origin
  Sum left_, right_;
  double value_ = 0, previous_ = 0;
  bool own_weight_ = true;
};

}  // namespace

bool secular_roots(ops::Context& context, const Secular& equation, double* roots, Dense<double> differences) {
  const int64_t n = equation.size();
  std::atomic<bool> all{true};
  parallel_for(context, n, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Root root(equation, i, differences.row(i));
      if (!root.find()) all = false;
      roots[i] = root.value();
    }
  });
  return all;
}

std::vector<double> exact_weights(ops::Context& context, const Secular& equation, Dense<double> differences) {
  const int64_t n = equation.size();
  std::vector<double> weights(size_for<double>(n), 1.0);
  const double* const d = equation.poles.data();
  double* const w = weights.data();
  const auto multiply = [&](int64_t root, double with, int64_t begin, int64_t end) {
    const double* const row = differences.row(root);
    if (equation.squared) {
      for (int64_t i = begin; i < end; ++i) w[i] *= row[i] / ((d[i] - with) * (d[i] + with));
    } else {
      for (int64_t i = begin; i < end; ++i) w[i] *= row[i] / (d[i] - with);
    }
  };
  // Each root with a pole that is not the weight's own: the next one above where it lies left of it, else its lower
  // one. So all factors lie between 0 and 1, or their product tends to a ratio of few.
  parallel_for(context, n, std::max<int64_t>(64, 32768 / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
    for (int64_t root = 0; root < n; ++root) {
      multiply(root, d[root], std::max(begin, root + 1), end);
      if (root + 1 < n) multiply(root, d[root + 1], begin, std::min(end, root + 1));
    }
    for (int64_t i = begin; i < end; ++i)
      w[i] = std::copysign(std::sqrt(std::abs(w[i] * differences(n - 1, i))), equation.weights[static_cast<size_t>(i)]);
  });
  return weights;
}

}  // namespace covec::kernels
