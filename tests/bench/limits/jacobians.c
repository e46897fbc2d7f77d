// Jacobians derived by hand: of two powers of a number, and of tanh of 1000 numbers, where writing the matrix is the
// work.
#include <math.h>

#include "timing.h"

enum { size = 1000 };
static volatile double at = 1.5, kept[2];
static float *x, *j;

static void small(void) {
  const double here = at;
  kept[0] = 2 * here;
  kept[1] = 3 * here * here;
}
static void ew(void) {
  memset(j, 0, sizeof(float) * size * size);
  for (int i = 0; i < size; ++i) {
    const float y = tanhf(x[i]);
    j[i * (size + 1)] = 1 - y * y;
  }
  __asm__ volatile("" : : "r"(j) : "memory");
}

int main(int count, char** arguments) {
  x = numbers(size, -0.5f), j = numbers((size_t)size * size, 0);
  const struct row rows[] = {{"small", small}, {"ew", ew}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "small");
}
