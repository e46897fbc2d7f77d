// Loops over numbers, as a C programmer would write them, without help of the compiler's for their order of adding.
#include <stdint.h>

#include "timing.h"

static volatile int64_t count = 10000, terms = 100000, steps = 1000000;
static volatile double start = 0.3, rate = 3.6, sink;
static volatile int64_t whole_sink;

static void cond_loop(void) {
  int64_t s = 0;
  const int64_t n = count;
  for (int64_t i = 0; i < n; ++i) {
    if (i % 2 == 0)
      s += i;
    else
      s -= i;
    __asm__ volatile("" : "+r"(s));  // serial, as it is written
  }
  whole_sink = s;
}
static void pow_loop(void) {
  double s = 0;
  const int64_t n = terms;
  for (int64_t i = 0; i < n; ++i) s += (double)(i * i);
  sink = s;
}
static void loop_grad(void) {  // the function alone, without its derivative
  double x = start;
  const double a = rate;
  const int64_t n = steps;
  for (int64_t i = 0; i < n; ++i) x = a * x * (1.0 - x);
  sink = x;
}
static void turn(void) {
  double v[2] = {1.0, 0.5};
  for (int i = 0; i < 100000; ++i) {
    const double x = v[0];
    v[0] = v[1];
    v[1] = -x;
  }
  sink = v[0];
}
static void spring(const double y[2], double w, double k[2]) {
  k[0] = y[1];
  k[1] = -w * y[0] - 0.1 * y[1];
}
static void along(const double y[2], double h, const double k[2], double to[2]) {
  for (int i = 0; i < 2; ++i) to[i] = y[i] + h * k[i];
}
static volatile double stiffness = 1.5;
static void rk4(void) {
  double y[2] = {1.0, 0.0}, k1[2], k2[2], k3[2], k4[2], at[2];
  const double h = 0.01, w = stiffness;
  for (int i = 0; i < 1000; ++i) {
    spring(y, w, k1);
    along(y, h / 2, k1, at);
    spring(at, w, k2);
    along(y, h / 2, k2, at);
    spring(at, w, k3);
    along(y, h, k3, at);
    spring(at, w, k4);
    for (int j = 0; j < 2; ++j) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
  }
  sink = y[0];
}
static int64_t fib(int64_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static volatile int64_t fib_of = 25;
static void fib_work(void) { whole_sink = fib(fib_of); }

__attribute__((noinline)) static double add(double x, double y) { return x + y; }
static void call_add(void) { sink = add(start, rate); }

int main(int number, char** arguments) {
  const struct row rows[] = {{"cond_loop", cond_loop},
                             {"pow_loop", pow_loop},
                             {"loop_grad", loop_grad},
                             {"fib", fib_work},
                             {"call_add", call_add},
                             {"turn", turn},
                             {"rk4", rk4},
                             {NULL, NULL}};
  return report_row(rows, number > 1 ? arguments[1] : "cond_loop");
}
