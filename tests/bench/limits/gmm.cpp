// The objective of ADBench's mixture of normal distributions and its gradient, derived by hand: block by block of
// points, whose standardized places stay in the cache for the way back; products by Eigen, whose types know the sizes.
#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <vector>

#include "timing.h"

namespace {

constexpr int points = 1000, block = 96;

template <int d, int k>
struct Mixture {
  static constexpr int packed = d + d * (d - 1) / 2;
  using Square = Eigen::Matrix<double, d, d>;
  using Vector = Eigen::Matrix<double, d, 1>;
  using Block = Eigen::Matrix<double, Eigen::Dynamic, d, Eigen::ColMajor, block, d>;
  using Parts = Eigen::Array<double, Eigen::Dynamic, k, Eigen::ColMajor, block, k>;
  using Column = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, block, 1>;

  Eigen::Matrix<double, Eigen::Dynamic, d> x{points, d};
  double alphas[k], factors[k][packed];
  Vector means[k];

  Square q[k];
  double logs[k];  // sums of the logarithms of the diagonals
  Block off, y[k];
  Parts parts;
  Column top, total;

  double value, by_alphas[k], by_factors[k][packed];
  Vector by_means[k], pull[k];
  Square by_q[k];

  Mixture() {
    unsigned state = 1;
    const auto fill = [&](double* numbers, int count, double scale) {
      for (int i = 0; i < count; ++i) numbers[i] = scale * (2 * next_number(&state) - 1);
    };
    fill(x.data(), points * d, 2);
    fill(alphas, k, 1);
    fill(factors[0], k * packed, 0.2);
    for (Vector& mean : means) fill(mean.data(), d, 1);
  }

  void unpack() {
    for (int j = 0; j < k; ++j) {
      q[j].setZero();
      logs[j] = 0;
      const double* next = factors[j] + d;
      for (int c = 0; c < d; ++c) {
        q[j](c, c) = std::exp(factors[j][c]);
        logs[j] += factors[j][c];
        for (int r = c + 1; r < d; ++r) q[j](r, c) = *next++;
      }
    }
  }

  // What a product of small matrices costs in a library would be more than the product itself.
  template <typename Target, typename A, typename B>
  static void product(Target&& target, const A& a, const B& b) {
    if constexpr (d <= 4)
      target = a.lazyProduct(b);
    else
      target.noalias() = a * b;
  }

  void centre(int first, int rows, int j) { off = x.middleRows(first, rows).rowwise() - means[j].transpose(); }

  // Gives the sum of the block's logarithms, and leaves in `parts` how much each point belongs to each component.
  double forth(int first, int rows) {
    parts.resize(rows, k);
    for (int j = 0; j < k; ++j) {
      centre(first, rows, j);
      y[j].resize(rows, d);
      product(y[j], off, q[j].transpose());
      Column squares = y[j].col(0).array().square();
      for (int c = 1; c < d; ++c) squares += y[j].col(c).array().square();
      parts.col(j) = alphas[j] + logs[j] - 0.5 * squares;
    }
    top = parts.col(0);
    for (int j = 1; j < k; ++j) top = top.max(parts.col(j));
    for (int j = 0; j < k; ++j) parts.col(j) = (parts.col(j) - top).exp();
    total = parts.col(0);
    for (int j = 1; j < k; ++j) total += parts.col(j);
    return (top + total.log()).sum();
  }

  void back(int first, int rows) {
    total = 1 / total;
    for (int j = 0; j < k; ++j) {
      parts.col(j) *= total;
      by_alphas[j] += parts.col(j).sum();
      for (int c = 0; c < d; ++c) y[j].col(c).array() *= parts.col(j);
      pull[j] += y[j].colwise().sum().transpose();
      centre(first, rows, j);
      if constexpr (d <= 4)
        by_q[j] -= y[j].transpose().lazyProduct(off);
      else
        by_q[j].noalias() -= y[j].transpose() * off;
    }
  }

  // The value without what is constant.
  double prior() const {
    double squares = 0;
    for (int j = 0; j < k; ++j) squares += q[j].squaredNorm();
    return 0.5 * squares;
  }
  double log_sum_alphas() const {
    double most = alphas[0], sum = 0;
    for (int j = 1; j < k; ++j) most = std::fmax(most, alphas[j]);
    for (int j = 0; j < k; ++j) sum += std::exp(alphas[j] - most);
    return most + std::log(sum);
  }
  static double constant() {
    double c = 0.5 * (d + 1) * d * std::log(2.0) + 0.25 * d * (d - 1) * std::log(M_PI);
    for (int j = 0; j < d; ++j) c += std::lgamma(0.5 * (d + 1 - j));
    return k * c - 0.5 * points * d * std::log(2 * M_PI);
  }

  void function() {
    unpack();
    value = constant() + prior() - points * log_sum_alphas();
    for (int first = 0; first < points; first += block) value += forth(first, std::min(block, points - first));
  }

  void gradient() {
    unpack();
    const double all = log_sum_alphas();
    value = constant() + prior() - points * all;
    for (int j = 0; j < k; ++j) {
      by_alphas[j] = 0;
      pull[j].setZero();
      by_q[j] = q[j];
    }
    for (int first = 0; first < points; first += block) {
      const int rows = std::min(block, points - first);
      value += forth(first, rows);
      back(first, rows);
    }
    for (int j = 0; j < k; ++j) {
      by_means[j].noalias() = q[j].transpose() * pull[j];
      pack(j);
      by_alphas[j] -= points * std::exp(alphas[j] - all);
    }
  }

  void pack(int j) {
    double* next = by_factors[j] + d;
    for (int c = 0; c < d; ++c) {
      by_factors[j][c] = by_q[j](c, c) * q[j](c, c) + by_alphas[j];
      for (int r = c + 1; r < d; ++r) *next++ = by_q[j](r, c);
    }
  }
};

template <int d, int k>
Mixture<d, k>& mixture() {
  static const std::unique_ptr<Mixture<d, k>> made = std::make_unique<Mixture<d, k>>();
  return *made;
}

template <int d, int k>
void function() {
  mixture<d, k>().function();
  __asm__ volatile("" : : : "memory");
}
template <int d, int k>
void gradient() {
  mixture<d, k>().gradient();
  __asm__ volatile("" : : : "memory");
}

}  // namespace

int main(int count, char** arguments) {
  const row rows[] = {{"2_5.function", function<2, 5>},
                      {"2_5.gradient", gradient<2, 5>},
                      {"64_25.function", function<64, 25>},
                      {"64_25.gradient", gradient<64, 25>},
                      {nullptr, nullptr}};
  return report_row(rows, count > 1 ? arguments[1] : "64_25.gradient");
}
