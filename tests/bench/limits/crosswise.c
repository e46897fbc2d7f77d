// x.T + 0 of 2048² floats by hand: squares of 16 by 16 through a small buffer, so that whole cache lines are read and
// written.
#include "timing.h"

enum { side = 2048, square = 16 };
static float *x, *y;

static void turned(void) {
#pragma omp parallel for schedule(static)
  for (int r0 = 0; r0 < side; r0 += square) {
    for (int c0 = 0; c0 < side; c0 += square) {
      float buffer[square][square];
      for (int c = 0; c < square; ++c) {
        const float* from = x + (size_t)(c0 + c) * side + r0;
        for (int r = 0; r < square; ++r) buffer[r][c] = from[r];
      }
      for (int r = 0; r < square; ++r) {
        float* to = y + (size_t)(r0 + r) * side + c0;
        for (int c = 0; c < square; ++c) to[c] = buffer[r][c] + 0.0f;
      }
    }
  }
}

int main(int count, char** arguments) {
  x = numbers((size_t)side * side, -0.5f), y = numbers((size_t)side * side, 0);
  turned();
  for (int i = 0; i < side * side; i += 997) {
    if (y[i] != x[i % side * side + i / side]) return fprintf(stderr, "wrong at %d\n", i), 1;
  }
  const struct row rows[] = {{"turned", turned}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "turned");
}
