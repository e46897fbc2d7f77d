// Levenberg and Marquardt's method on the host's data: the model is a script, a step with its Jacobian one prepared
// call on the host's memory, the strategy is the host's.
#include <covec/covec.hpp>

#include <cmath>
#include <cstdio>

namespace host = covec::host;

namespace {

constexpr size_t points = 200;

const char* const model = R"(
fn value(p, t) = p[0] * exp(-p[1] * t) * cos(p[2] * t)
# The parameters after a step with damping, and the sums of squares before and after it.
fn step(p, damping, t, y) {
    fn residuals(p) = value(p, t) - y
    r = residuals(p)
    J = jacobian(residuals)(p)
    H = J.T @ J
    q = p - solve(H + damping * eye(3) * H, J.T @ r)
    return q, sum(r^2), sum(residuals(q)^2)
}
)";

using Parameters = std::array<double, 3>;
using Series = std::array<double, points>;

}  // namespace

int main() {
  Series t{}, y{};
  for (size_t i = 0; i < points; ++i) {
    t[i] = 0.02 * static_cast<double>(i);
    y[i] = 2.5 * std::exp(-0.7 * t[i]) * std::cos(3.0 * t[i]) + 1e-3 * std::sin(1000.0 * t[i]);
  }
  host::Session session({.threads = 1});
  session.run(model, "model").value();
  using Step = std::tuple<Parameters, double, double>(Parameters, double, Series, Series);
  auto step = session.prepare<Step>(*session.get("step"));
  if (!step) {
    std::fputs(step.error().text.c_str(), stderr);
    return 1;
  }
  Parameters p{1.0, 1.0, 2.5};
  double damping = 1e-2, square = 0;
  int tried = 0;
  for (; tried < 100; ++tried) {
    const auto [q, before, after] = *(*step)(p, damping, t, y);
    square = before;
    if (after < before) {
      p = q;
      damping *= 0.3;
      if (before - after < 1e-12 * before) break;
    } else {
      damping *= 4;
    }
  }
  std::printf("amplitude %.3f, decay %.3f, frequency %.3f; squares %.2e after %d steps\n", p[0], p[1], p[2], square,
              tried);
}
