// A function with a branch, of a million numbers: both ways, and the right one of each.
#include <math.h>

#include "timing.h"

enum { size = 1000 * 1000 };
static double *x, *y;

static void branch(void) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < size; ++i) {
    const double root = sqrt(fabs(x[i]) + 1.0), square = x[i] * x[i] - x[i];
    y[i] = x[i] > 0 ? square : root;
  }
}

static void functions(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < size; ++i) y[i] = x[i] > 0 ? exp(-x[i]) : sin(x[i]) * x[i];
}

static void long_side(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < size; ++i) {
    if (x[i] > 0) {
      double z = x[i];
      for (int k = 0; k < 30; ++k) z = z * x[i] + 0.125;
      y[i] = z;
    } else {
      y[i] = -x[i];
    }
  }
}

int main(int count, char** arguments) {
  x = doubles(size, -0.5), y = doubles(size, 0);
  branch();
  for (int i = 0; i < size; ++i)
    if (y[i] != (x[i] > 0 ? x[i] * x[i] - x[i] : sqrt(fabs(x[i]) + 1.0))) return fprintf(stderr, "wrong at %d\n", i), 1;
  const struct row rows[] = {{"branch", branch}, {"functions", functions}, {"long", long_side}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "branch");
}
