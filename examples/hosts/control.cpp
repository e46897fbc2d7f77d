// A controller at 1 kHz: the law is a script, and each step is a prepared call. It balances a pendulum on its head for
// as many seconds as the first argument says, and tells how long the calls took.
#include <covec/covec.hpp>

#include <sys/resource.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace host = covec::host;

namespace {

// The torque that brings the pendulum up: a quadratic regulator whose gain is a fixed point of Riccati's equation.
const char* const law = R"(
dt = 0.001
A = [[1.0, dt], [9.81 * dt, 1.0]]
B = [[0.0], [dt]]
Q = [[10.0, 0.0], [0.0, 1.0]]
fn riccati(P) {
    for k in range(20000) { P = Q + A.T @ P @ A - A.T @ P @ B @ solve(B.T @ P @ B + 0.01, B.T @ P @ A) }
    return P
}
P = riccati(Q)
K = (solve(B.T @ P @ B + 0.01, B.T @ P @ A))[0]
fn torque(angle: f64, speed: f64) = clip(-(K[0] * angle + K[1] * speed), -20.0, 20.0)
)";

double microseconds(const timespec& from, const timespec& to) {
  return static_cast<double>(to.tv_sec - from.tv_sec) * 1e6 + static_cast<double>(to.tv_nsec - from.tv_nsec) * 1e-3;
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 1.0;
  host::Session session({.threads = 1});
  session.run(law, "law").value();
  auto torque = *session.prepare<double(double, double)>(*session.get("torque"));

  double angle = 0.3, speed = 0.0;
  const int steps = static_cast<int>(seconds * 1000);
  std::vector<double> took(static_cast<size_t>(steps));
  long faults = page_faults();
  timespec next{};
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (int step = 0; step < steps; ++step) {
    if (step == steps / 2) faults = page_faults();  // what the first steps touch is there by then
    timespec before{}, after{};
    clock_gettime(CLOCK_MONOTONIC, &before);
    const double u = *torque(angle, speed);
    clock_gettime(CLOCK_MONOTONIC, &after);
    took[static_cast<size_t>(step)] = microseconds(before, after);
    speed += 0.001 * (9.81 * std::sin(angle) + u);
    angle += 0.001 * speed;
    next.tv_nsec += 1'000'000;
    if (next.tv_nsec >= 1'000'000'000) {
      next.tv_nsec -= 1'000'000'000;
      ++next.tv_sec;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
  }
  std::printf("page faults in the second half: %ld\n", page_faults() - faults);
  std::sort(took.begin(), took.end());
  std::printf("angle %.3f after %d steps; a call: median %.2f us, 99.9 %% %.2f us\n", std::fabs(angle), steps,
              took[took.size() / 2], took[took.size() * 999 / 1000]);
}
