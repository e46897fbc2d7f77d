// Networks in f32 with Eigen's products, derived by hand, on memory that is there before: the Jacobian of 100-200-50;
// steps of softmax regression and of a network of two layers; value and gradient of an LSTM.
#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "timing.h"

namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXf;  // columns are contiguous
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::RowVectorXf;

template <typename M>
M filled(Index rows, Index columns, float scale) {
  static unsigned state = 1;
  M m(rows, columns);
  for (Index i = 0; i < m.size(); ++i) m.data()[i] = scale * (2 * next_number(&state) - 1);
  return m;
}

template <typename M>
void keep(const M& value) {
  __asm__ volatile("" : : "r"(value.data()) : "memory");
}

namespace jacobian {
constexpr Index inputs = 100, hidden = 200, outputs = 50;
struct Data {
  Rows a = filled<Rows>(hidden, inputs, 0.2f), c = filled<Rows>(outputs, hidden, 0.2f);
  Eigen::VectorXf x = filled<Matrix>(inputs, 1, 2), b = filled<Matrix>(hidden, 1, 0.2f), slope{hidden};
  Rows scaled{outputs, hidden}, result{outputs, inputs};
};
Data& data() {
  static Data d;
  return d;
}
void work() {
  Data& d = data();
  d.slope = d.b;
  d.slope.noalias() += d.a * d.x;
  d.slope = 1 - d.slope.array().tanh().square();
  d.scaled.noalias() = d.c * d.slope.asDiagonal();
  d.result.noalias() = d.scaled * d.a;
  keep(d.result);
}
}  // namespace jacobian

constexpr float rate = 1e-6f, beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;

// One pass over memory for a step of Adam.
struct Adam {
  explicit Adam(Index size) : m(size, 0.0f), v(size, 0.0f) {}
  std::vector<float> m, v;
  void step(Matrix& parameters, const Matrix& gradients, long number) {
    const float step_size = rate / (1 - std::pow(beta1, (float)number));
    const float unbias = 1 / std::sqrt(1 - std::pow(beta2, (float)number));
    float* __restrict w = parameters.data(), * __restrict ms = m.data(), * __restrict vs = v.data();
    const float* __restrict g = gradients.data();
    const Index size = parameters.size();
#pragma omp simd
    for (Index i = 0; i < size; ++i) {
      ms[i] = beta1 * ms[i] + (1 - beta1) * g[i];
      vs[i] = beta2 * vs[i] + (1 - beta2) * g[i] * g[i];
      w[i] -= step_size * ms[i] / (std::sqrt(vs[i]) * unbias + epsilon);
    }
  }
};

std::vector<int> labels_of(Index batch) {
  std::vector<int> labels(batch);
  for (Index i = 0; i < batch; ++i) labels[i] = (int)(i * 7 % 10);
  return labels;
}

// From logits to the derivative of the mean cross entropy by them.
void logits_to_slopes(Matrix& z, Eigen::ArrayXf& row, const std::vector<int>& labels) {
  row = z.col(0);
  for (Index k = 1; k < z.cols(); ++k) row = row.max(z.col(k).array());
  z.colwise() -= row.matrix();
  z = z.array().exp();
  row = z.col(0);
  for (Index k = 1; k < z.cols(); ++k) row += z.col(k).array();
  row = 1 / (row * (float)z.rows());
  z.array().colwise() *= row;
  const float share = 1 / (float)z.rows();
  for (Index i = 0; i < z.rows(); ++i) z(i, labels[i]) -= share;
}

namespace regression {
constexpr Index batch = 32, inputs = 784, classes = 10;
struct Data {
  Rows x = filled<Rows>(batch, inputs, 1);
  std::vector<int> labels = labels_of(batch);
  Matrix w = filled<Matrix>(inputs, classes, 0.1f), b = Matrix::Zero(1, classes);
  Matrix z{batch, classes}, gw{inputs, classes}, gb{1, classes};
  Eigen::ArrayXf row{batch};
  Adam of_w{inputs * classes}, of_b{classes};
  long number = 0;
};
Data& data() {
  static Data d;
  return d;
}
void slopes(Data& d) {
  d.z.noalias() = d.x * d.w;
  d.z.rowwise() += d.b.row(0);
  logits_to_slopes(d.z, d.row, d.labels);
}
void sgd() {
  Data& d = data();
  slopes(d);
  d.w.noalias() -= rate * d.x.transpose() * d.z;
  d.b -= rate * d.z.colwise().sum();
  keep(d.w);
}
void adam() {
  Data& d = data();
  slopes(d);
  d.gw.noalias() = d.x.transpose() * d.z;
  d.gb = d.z.colwise().sum();
  ++d.number;
  d.of_w.step(d.w, d.gw, d.number);
  d.of_b.step(d.b, d.gb, d.number);
  keep(d.w);
}
}  // namespace regression

namespace network {
constexpr Index batch = 128, inputs = 784, hidden = 256, classes = 10;
struct Data {
  Rows x = filled<Rows>(batch, inputs, 1);
  std::vector<int> labels = labels_of(batch);
  Matrix a = filled<Matrix>(inputs, hidden, 0.1f), c = filled<Matrix>(hidden, classes, 0.1f);
  Matrix b = filled<Matrix>(1, hidden, 0.1f), d = filled<Matrix>(1, classes, 0.1f);
  Matrix h{batch, hidden}, z{batch, classes}, gh{batch, hidden};
  Matrix ga{inputs, hidden}, gb{1, hidden}, gc{hidden, classes}, gd{1, classes};
  Eigen::ArrayXf row{batch};
  Adam of_a{inputs * hidden}, of_b{hidden}, of_c{hidden * classes}, of_d{classes};
  long number = 0;
};
Data& data() {
  static Data d;
  return d;
}
void step() {
  Data& d = data();
  d.h.noalias() = d.x * d.a;
  for (Index k = 0; k < hidden; ++k) d.h.col(k) = (d.h.col(k).array() + d.b(k)).max(0.0f);
  d.z.noalias() = d.h * d.c;
  d.z.rowwise() += d.d.row(0);
  logits_to_slopes(d.z, d.row, d.labels);
  d.gc.noalias() = d.h.transpose() * d.z;
  d.gd = d.z.colwise().sum();
  d.gh.noalias() = d.z * d.c.transpose();
  d.gh = (d.h.array() > 0).select(d.gh, 0.0f);
  d.ga.noalias() = d.x.transpose() * d.gh;
  d.gb = d.gh.colwise().sum();
  ++d.number;
  d.of_a.step(d.a, d.ga, d.number);
  d.of_b.step(d.b, d.gb, d.number);
  d.of_c.step(d.c, d.gc, d.number);
  d.of_d.step(d.d, d.gd, d.number);
  keep(d.a);
}
}  // namespace network

// Rows are times, and within them examples; gates lie side by side: input, forget, candidate, output.
namespace recurrent {
constexpr Index batch = 32, steps = 50, inputs = 128, hidden = 128, gates = 4 * hidden, all = steps * batch;
using Gate = Eigen::Map<Eigen::Array<float, hidden, 1>, Eigen::Aligned64>;
struct Data {
  Rows x = filled<Rows>(all, inputs, 1), wx = filled<Rows>(inputs, gates, 0.15f),
       wh = filled<Rows>(hidden, gates, 0.15f);
  Row b = filled<Rows>(1, gates, 0.1f);
  Rows z{all, gates};  // gates, then the derivatives by what is in them
  Rows h = Rows::Zero(all + batch, hidden),
       c = Rows::Zero(all + batch, hidden);  // from the state before the first step on
  Rows bent{all, hidden};                    // tanh of c
  Rows dh{batch, hidden}, dc{batch, hidden};
  Rows gwx{inputs, gates}, gwh{hidden, gates};
  Row gb{gates};
  float value = 0;
};
Data& data() {
  static Data d;
  return d;
}
Gate gate(Rows& m, Index row, Index number = 0) { return Gate(m.data() + row * m.cols() + number * hidden); }

void forth(Data& d) {
  d.z.noalias() = d.x * d.wx;
  d.z.rowwise() += d.b;
  for (Index t = 0; t < steps; ++t) {
    d.z.middleRows(t * batch, batch).noalias() += d.h.middleRows(t * batch, batch) * d.wh;
    for (Index r = t * batch; r < (t + 1) * batch; ++r) {
      Gate in = gate(d.z, r, 0), forget = gate(d.z, r, 1), candidate = gate(d.z, r, 2), out = gate(d.z, r, 3);
      in = in.logistic();
      forget = forget.logistic();
      candidate = candidate.tanh();
      out = out.logistic();
      Gate c = gate(d.c, r + batch), bent = gate(d.bent, r);
      c = forget * gate(d.c, r) + in * candidate;
      bent = c.tanh();
      gate(d.h, r + batch) = out * bent;
    }
  }
  d.value = d.h.bottomRows(all).squaredNorm() / (float)(all * hidden);
}

void back(Data& d) {
  const float share = 2 / (float)(all * hidden);
  d.dh.setZero();
  d.dc.setZero();
  for (Index t = steps; t-- > 0;) {
    for (Index i = 0; i < batch; ++i) {
      const Index r = t * batch + i;
      Gate in = gate(d.z, r, 0), forget = gate(d.z, r, 1), candidate = gate(d.z, r, 2), out = gate(d.z, r, 3);
      Gate dh = gate(d.dh, i), dc = gate(d.dc, i), bent = gate(d.bent, r), before = gate(d.c, r);
      dh += share * gate(d.h, r + batch);
      dc += dh * out * (1 - bent.square());
      out = dh * bent * out * (1 - out);
      const Eigen::Array<float, hidden, 1> kept = dc * forget;
      forget = kept * before * (1 - forget);
      const Eigen::Array<float, hidden, 1> by_candidate = dc * in * (1 - candidate.square());
      in = dc * candidate * in * (1 - in);
      candidate = by_candidate;
      dc = kept;
    }
    d.dh.noalias() = d.z.middleRows(t * batch, batch) * d.wh.transpose();
  }
  d.gwx.noalias() = d.x.transpose() * d.z;
  d.gwh.noalias() = d.h.topRows(all).transpose() * d.z;
  d.gb = d.z.colwise().sum();
}

void work() {
  Data& d = data();
  forth(d);
  back(d);
  keep(d.gwx);
}
}  // namespace recurrent

}  // namespace

int main(int count, char** arguments) {
  const row rows[] = {{"jac_mlp", jacobian::work}, {"sgd", regression::sgd}, {"adam", regression::adam},
                      {"mlp", network::step},      {"rnn", recurrent::work}, {nullptr, nullptr}};
  return report_row(rows, count > 1 ? arguments[1] : "sgd");
}
