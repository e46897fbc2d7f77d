// A row times a matrix and a matrix times a column, of 1000 and 1000² f32, in Covec's order: each element is a chain of
// fused multiply-adds over 512 terms and another over the rest. So what runs side by side is elements, never terms.
#include <math.h>

#include "timing.h"
#include "vectors.h"

enum { side = 1000, chain = 512, together = 8 };
static float *a, *v, *result;

static void row_by_matrix(void) {
  float part[2][side] = {{0}};
  for (int k = 0; k < side; k += together) {  // both chains are whole eights
    float* restrict const sums = part[k / chain];
    for (int c = 0; c < side; ++c) {
      float sum = sums[c];
      for (int t = 0; t < together; ++t) sum = __builtin_fmaf(v[k + t], a[(k + t) * side + c], sum);
      sums[c] = sum;
    }
  }
  for (int c = 0; c < side; ++c) result[c] = part[0][c] + part[1][c];
}

// Sixteen rows, side by side. The last square may reach beyond its row, the last rows beyond the matrix: there is
// memory.
static void sixteen_rows(const float* from, float* to) {
  vector16 part[2] = {{0}}, terms[square];
  for (int k = 0; k < side; k += square) {
    const int count = side - k < square ? side - k : square;
    vector16 sum = part[k / chain];
    read_turned(from + k, side, terms);
    for (int t = 0; t < count; ++t) sum = fused(terms[t], spread(v[k + t]), sum);
    part[k / chain] = sum;
  }
  *(vector16*)to = part[0] + part[1];
}
static void matrix_by_column(void) {
  for (int r = 0; r < side; r += square) sixteen_rows(a + r * side, result + r);
}

static float in_order(const float* left, int step_left, const float* right, int step_right) {
  float part[2] = {0, 0};
  for (int k = 0; k < side; ++k) part[k / chain] = fmaf(left[k * step_left], right[k * step_right], part[k / chain]);
  return part[0] + part[1];
}
static int check(void) {
  row_by_matrix();
  for (int c = 0; c < side; ++c)
    if (result[c] != in_order(v, 1, a + c, side)) return fprintf(stderr, "wrong at column %d\n", c), 1;
  matrix_by_column();
  for (int r = 0; r < side; ++r)
    if (result[r] != in_order(a + r * side, 1, v, 1)) return fprintf(stderr, "wrong at row %d\n", r), 1;
  return 0;
}

int main(int count, char** arguments) {
  a = numbers((side + square) * side, -0.5f), v = numbers(side, -0.5f), result = numbers(side + square, 0);
  if (check()) return 1;
  const struct row rows[] = {{"row", row_by_matrix}, {"column", matrix_by_column}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "row");
}
