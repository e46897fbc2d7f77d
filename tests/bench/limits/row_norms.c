// The softmax, and the norm of layers, of 4096 rows of 1024 f32, row by row: a row stays in the nearest cache, memory
// is read and written once. Sums in Covec's order.
#include <math.h>

#include "polynomials.h"
#include "sums.h"
#include "timing.h"

enum { rows_count = 4096, columns = 1024 };
static float *x, *y, *scale, *shift;

static float sum_of(const float* row) {
  float blocks[1][lanes];
  add_block(row, columns, blocks[0]);
  return combine(blocks, 1);
}
static float largest_of(const float* row) {
  float best[lanes];
  memcpy(best, row, sizeof best);
  for (int p = lanes; p < columns; p += lanes)
    for (int l = 0; l < lanes; ++l) best[l] = row[p + l] > best[l] ? row[p + l] : best[l];
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) best[l] = best[l + half] > best[l] ? best[l + half] : best[l];
  return best[0];
}

static void softmax(void) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows_count; ++r) {
    const float* const from = x + (size_t)r * columns;
    float* restrict const to = y + (size_t)r * columns;
    const float largest = largest_of(from);
    float parts[columns];
    for (int c = 0; c < columns; ++c) parts[c] = exp32(from[c] - largest);
    const float sum = sum_of(parts);
    for (int c = 0; c < columns; ++c) to[c] = parts[c] / sum;
  }
}
static void layernorm(void) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows_count; ++r) {
    const float* const from = x + (size_t)r * columns;
    float* restrict const to = y + (size_t)r * columns;
    const float mean = sum_of(from) / columns;
    float centred[columns], squares[columns];
    for (int c = 0; c < columns; ++c) centred[c] = from[c] - mean, squares[c] = centred[c] * centred[c];
    const float deviation = sqrtf(sum_of(squares) / columns + 1e-5f);
    for (int c = 0; c < columns; ++c) to[c] = centred[c] / deviation * scale[c] + shift[c];
  }
}

// Against the C library and sums of doubles.
static int check(void) {
  for (int r = 0; r < rows_count; r += 101) {
    const float* const row = x + (size_t)r * columns;
    double sum = 0, mean = 0, square = 0;
    for (int c = 0; c < columns; ++c) sum += exp(row[c]), mean += row[c] / columns;
    for (int c = 0; c < columns; ++c) square += (row[c] - mean) * (row[c] - mean) / columns;
    softmax();
    for (int c = 0; c < columns; ++c)
      if (fabs(y[(size_t)r * columns + c] * sum / exp(row[c]) - 1) > 1e-6)
        return fprintf(stderr, "softmax wrong at %d, %d\n", r, c), 1;
    layernorm();
    for (int c = 0; c < columns; ++c) {
      const double wanted = (row[c] - mean) / sqrt(square + 1e-5) * scale[c] + shift[c];
      if (fabs(y[(size_t)r * columns + c] - wanted) > 1e-5) return fprintf(stderr, "norm wrong at %d, %d\n", r, c), 1;
    }
  }
  return 0;
}

int main(int count, char** arguments) {
  x = numbers((size_t)rows_count * columns, -0.5f), y = numbers((size_t)rows_count * columns, 0);
  scale = numbers(columns, 0.5f), shift = numbers(columns, -0.5f);
  if (check()) return 1;
  const struct row rows[] = {{"softmax_rows", softmax}, {"layernorm", layernorm}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "softmax_rows");
}
