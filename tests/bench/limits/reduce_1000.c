// Sums of 1000 × 1000 f32 in Covec's order (64 lanes over blocks of 4096 elements when the last axis is reduced; whole
// rows in blocks of 1024 otherwise), and maxima.
#include "sums.h"
#include "timing.h"

enum { rows_count = 1000, columns = 1000, size = rows_count * columns };
static float *x, *result;
static volatile float sink;

static float sum_of(const float* from, int count) {
  static _Thread_local float blocks[(size + block - 1) / block][lanes];
  const int needed = (count + block - 1) / block;
  for (int b = 0; b < needed; ++b) add_block(from + b * block, b + 1 < needed ? block : count - b * block, blocks[b]);
  return combine(blocks, needed);
}

static void sum(void) {
  static float blocks[(size + block - 1) / block][lanes];
  const int needed = (size + block - 1) / block;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < needed; ++b) add_block(x + b * block, b + 1 < needed ? block : size - b * block, blocks[b]);
  sink = combine(blocks, needed);
}
static void mean(void) {
  sum();
  sink = sink / size;
}
static void sum_axis1(void) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows_count; ++r) result[r] = sum_of(x + r * columns, columns);
}
static void sum_axis0(void) {
#pragma omp parallel for schedule(static)
  for (int part = 0; part < 2; ++part) {
    const int begin = part * columns / 2, end = (part + 1) * columns / 2;
    for (int c = begin; c < end; ++c) result[c] = -0.0f;
    for (int r = 0; r < rows_count; ++r)
      for (int c = begin; c < end; ++c) result[c] += x[r * columns + c];
  }
}

static float larger(float a, float b) { return a > b ? a : b; }
static float max_of(const float* from, int count) {
  float best[lanes];
  for (int l = 0; l < lanes; ++l) best[l] = from[0];
  int p = 0;
  for (; p + lanes <= count; p += lanes)
    for (int l = 0; l < lanes; ++l) best[l] = larger(best[l], from[p + l]);
  for (; p < count; ++p) best[0] = larger(best[0], from[p]);
  for (int l = 1; l < lanes; ++l) best[0] = larger(best[0], best[l]);
  return best[0];
}
static void max(void) {
  float part[2];
#pragma omp parallel for schedule(static)
  for (int p = 0; p < 2; ++p) part[p] = max_of(x + p * (size / 2), size / 2);
  sink = larger(part[0], part[1]);
}
static void max_axis1(void) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows_count; ++r) result[r] = max_of(x + r * columns, columns);
}
static void max_axis0(void) {
#pragma omp parallel for schedule(static)
  for (int part = 0; part < 2; ++part) {
    const int begin = part * columns / 2, end = (part + 1) * columns / 2;
    memcpy(result + begin, x + begin, (size_t)(end - begin) * sizeof(float));
    for (int r = 1; r < rows_count; ++r)
      for (int c = begin; c < end; ++c) result[c] = larger(result[c], x[r * columns + c]);
  }
}

int main(int count, char** arguments) {
  x = numbers(size, -0.5f), result = numbers(columns, 0);
  const struct row rows[] = {{"sum", sum},   {"sum_axis0", sum_axis0}, {"sum_axis1", sum_axis1}, {"max", max},
                             {"mean", mean}, {"max_axis0", max_axis0}, {"max_axis1", max_axis1}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "sum");
}
