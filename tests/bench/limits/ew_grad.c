// Gradients of pointwise functions, derived and fused by hand: one read and one write.
#include "timing.h"

enum { size = 1000 * 1000 };
static float *x, *g;

static void square(void) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < size; ++i) g[i] = 2.0f * x[i];
}
static void where(void) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < size; ++i) g[i] = x[i] > 0 ? 2.0f * x[i] : -1.0f;
}

int main(int count, char** arguments) {
  x = numbers(size, -0.5f), g = numbers(size, 0);
  const struct row rows[] = {{"square", square}, {"where", where}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "square");
}
