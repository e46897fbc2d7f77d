// Loops over elements, as a C programmer would write them; what is changed is a copy.
#include <stdint.h>

#include "timing.h"

enum { side = 1000, all = side * side };
static double *from, *to;
static volatile double sink;

static void copy(void) { memcpy(to, from, all * sizeof(double)); }
static void stencil(void) {
  copy();
  const double* const u = from;
  double* restrict const v = to;
  for (int64_t i = 1; i < side - 1; ++i) {
    for (int64_t j = 1; j < side - 1; ++j) {
      v[i * side + j] =
          0.25 * (u[(i - 1) * side + j] + u[(i + 1) * side + j] + u[i * side + j - 1] + u[i * side + j + 1]);
    }
  }
}
static void rows(void) {
  copy();
  for (int64_t i = 0; i < side; ++i) {
    for (int64_t j = 1; j < side; ++j) to[i * side + j] = 0.9 * to[i * side + j - 1] + 0.1 * to[i * side + j];
  }
}
static void columns(void) {
  copy();
  for (int64_t i = 1; i < side; ++i) {
    for (int64_t j = 0; j < side; ++j) to[i * side + j] = 0.9 * to[(i - 1) * side + j] + 0.1 * to[i * side + j];
  }
}
static void product(void) {
  memset(to, 0, side * sizeof(double));
  for (int64_t i = 0; i < side; ++i) {
    for (int64_t j = 0; j < side; ++j) to[i] += from[i * side + j] * from[j];
  }
}
static void squares(void) {  // the function alone, without its derivative
  double s = 0;
  for (int64_t i = 0; i < all; ++i) s += from[i] * from[i];
  sink = s;
}

int main(int number, char** arguments) {
  from = malloc(all * sizeof(double));
  to = malloc(all * sizeof(double));
  if (from == NULL || to == NULL) return 1;
  for (int64_t i = 0; i < all; ++i) from[i] = (double)(i % 1000) / 1000, to[i] = 0;
  const struct row table[] = {{"stencil", stencil}, {"rows", rows},       {"columns", columns},
                              {"product", product}, {"squares", squares}, {NULL, NULL}};
  return report_row(table, number > 1 ? arguments[1] : "stencil");
}
