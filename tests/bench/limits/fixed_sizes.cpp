// Small matrices in Eigen, whose types have the sizes: products, products and systems by the ten thousand, a loop over
// products.
#include <Eigen/Dense>
#include <vector>

#include "timing.h"

namespace {

template <typename Number, int side>
using Matrix = Eigen::Matrix<Number, side, side, Eigen::RowMajor>;
using Four = Matrix<double, 4>;
using Rows = Matrix<float, 4>;

template <typename M>
M filled() {
  static unsigned state = 1;
  M m;
  for (int i = 0; i < m.size(); ++i) m.data()[i] = next_number(&state) - 0.5f;
  return m;
}

template <typename M>
std::vector<M> many(int count) {
  std::vector<M> all(count);
  for (M& m : all) m = filled<M>();
  return all;
}

template <typename T>
void keep(const T& value) {
  __asm__ volatile("" : : "r"(&value) : "memory");
}

template <int side>
void product() {
  static const Matrix<float, side> a = filled<Matrix<float, side>>(), b = filled<Matrix<float, side>>();
  static Matrix<float, side> c;
  keep(a);
  c.noalias() = a * b;
  keep(c);
}

constexpr int products = 10'000, systems = 100'000, steps = 100'000;

void batched() {
  static const std::vector<Rows> a = many<Rows>(products), b = many<Rows>(products);
  static std::vector<Rows> c(products);
  for (int i = 0; i < products; ++i) c[i].noalias() = a[i] * b[i];
  keep(c[0]);
}

void solve() {
  static const std::vector<Four> a = many<Four>(systems);
  static const std::vector<Eigen::Vector4d> b = many<Eigen::Vector4d>(systems);
  static std::vector<Eigen::Vector4d> x(systems);
  for (int i = 0; i < systems; ++i) x[i] = a[i].partialPivLu().solve(b[i]);
  keep(x[0]);
}

void loop() {
  static const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.01, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  keep(turn);
  Eigen::Matrix3d p = Eigen::Matrix3d::Identity();
  for (int i = 0; i < steps; ++i) p = p * turn;
  keep(p);
}

}  // namespace

int main(int count, char** arguments) {
  const row rows[] = {{"8", product<8>}, {"32", product<32>}, {"batched_4", batched},
                      {"solve", solve},  {"loop", loop},      {nullptr, nullptr}};
  return report_row(rows, count > 1 ? arguments[1] : "8");
}
