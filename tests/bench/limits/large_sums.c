// Sums of many f32 in Covec's order: of ten million numbers, and of the columns of 4096² of them.
#include <math.h>

#include "sums.h"
#include "timing.h"

enum { size = 10 * 1000 * 1000, blocks_count = (size + block - 1) / block };
enum { group = 64, groups = (blocks_count + group - 1) / group };  // whole subtrees of the pairs
enum { side = 4096, rows_of_block = 1024, strip = 1024, together = 8 };
static float *x, *result;
static volatile float sink;

// The blocks of one group: a stack of sums of 1, 2, 4, … blocks, so that what is added stays in the nearest cache.
static void add_group(int first, int count, float* restrict total) {
  float stack[8][lanes];
  int depth = 0;
  for (int b = 0; b < count; ++b) {
    const int start = (first + b) * block;
    add_block(x + start, size - start < block ? size - start : block, stack[depth++]);
    for (int done = b + 1; done % 2 == 0; done /= 2) {
      --depth;
      for (int l = 0; l < lanes; ++l) stack[depth - 1][l] += stack[depth][l];
    }
  }
  for (; depth > 1; --depth)
    for (int l = 0; l < lanes; ++l) stack[depth - 2][l] += stack[depth - 1][l];
  memcpy(total, stack[0], sizeof stack[0]);
}
static void sum_10M(void) {
  static float totals[groups][lanes];
#pragma omp parallel for schedule(static)
  for (int g = 0; g < groups; ++g)
    add_group(g * group, blocks_count - g * group < group ? blocks_count - g * group : group, totals[g]);
  sink = combine(totals, groups);
}

// A strip of columns over one block of rows: each sum in order, eight rows for each time that it is read and written.
static void add_rows(const float* from, float* restrict sums) {
  for (int c = 0; c < strip; ++c) sums[c] = -0.0f;
  for (int r = 0; r < rows_of_block; r += together) {
    const float* const rows = from + (size_t)r * side;
    for (int c = 0; c < strip; ++c) {
      float sum = sums[c];
      for (int t = 0; t < together; ++t) sum += rows[t * side + c];
      sums[c] = sum;
    }
  }
}
static void column_sum(void) {
#pragma omp parallel for schedule(static)
  for (int s = 0; s < side / strip; ++s) {
    float sums[side / rows_of_block][strip];
    for (int b = 0; b < side / rows_of_block; ++b) add_rows(x + (size_t)b * rows_of_block * side + s * strip, sums[b]);
    for (int c = 0; c < strip; ++c) result[s * strip + c] = (sums[0][c] + sums[1][c]) + (sums[2][c] + sums[3][c]);
  }
}

// Against sums of doubles.
static int check(void) {
  double all = 0;
  for (int i = 0; i < size; ++i) all += x[i];
  sum_10M();
  if (fabs(sink - all) > 1) return fprintf(stderr, "the sum is %g, not %g\n", sink, all), 1;
  column_sum();
  for (int c = 0; c < side; c += 101) {
    double wanted = 0;
    for (int r = 0; r < side; ++r) wanted += x[(size_t)r * side + c];
    if (fabs(result[c] - wanted) > 1e-3) return fprintf(stderr, "wrong at column %d\n", c), 1;
  }
  return 0;
}

int main(int count, char** arguments) {
  x = numbers((size_t)side * side, -0.5f), result = numbers(side, 0);
  if (check()) return 1;
  const struct row rows[] = {{"sum_10M", sum_10M}, {"column_sum", column_sum}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "sum_10M");
}
