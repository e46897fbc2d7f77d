// One pass over 1000 × 1000 f32 into a warm result: what the memory allows.
#include <math.h>

#include "timing.h"

enum { rows_count = 1000, columns = 1000, size = rows_count * columns };
static float *x, *y, *z, *row_values, *column_values;
static unsigned char* mask;

#define PASS(name, expression)                                                                          \
  static void name(void) {                                                                              \
    _Pragma("omp parallel for simd schedule(static)") for (int i = 0; i < size; ++i) z[i] = expression; \
  }
PASS(add, x[i] + y[i])
PASS(mul, x[i] * y[i])
PASS(divide, x[i] / y[i])
PASS(add_scalar, x[i] + 2.0f)
PASS(negate, -x[i])
PASS(absolute, fabsf(x[i]))
PASS(root, sqrtf(x[i]))
PASS(maximum, x[i] > y[i] ? x[i] : y[i])
PASS(choose, mask[i] ? x[i] : y[i])

static void less(void) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < size; ++i) mask[i] = x[i] < y[i];
}
static void add_row(void) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows_count; ++r)
    for (int c = 0; c < columns; ++c) z[r * columns + c] = x[r * columns + c] + row_values[c];
}
static void add_column(void) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows_count; ++r)
    for (int c = 0; c < columns; ++c) z[r * columns + c] = x[r * columns + c] + column_values[r];
}

int main(int count, char** arguments) {
  x = numbers(size, 0.5f), y = numbers(size, 0.5f), z = numbers(size, 0);
  row_values = numbers(columns, 0), column_values = numbers(rows_count, 0);
  mask = calloc(size, 1);
  for (int i = 0; i < size; ++i) mask[i] = i % 13 < 6;
  const struct row rows[] = {{"add", add},       {"mul", mul},      {"div", divide},      {"add_scalar", add_scalar},
                             {"negate", negate}, {"abs", absolute}, {"sqrt", root},       {"maximum", maximum},
                             {"where", choose},  {"less", less},    {"add_row", add_row}, {"add_column", add_column},
                             {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "add");
}
