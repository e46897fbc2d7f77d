// Rows of 2 and 8 numbers, a million in all: a row beside each of them, the index of the largest, sums; and a copy
// whose elements but the outer ones are halved.
#include <stdint.h>

#include "timing.h"

enum { size = 1000 * 1000 };
static double *x, *result, row[2];
static int64_t* positions;

static void add_row(void) {
  for (int i = 0; i < size; i += 2) {
    result[i] = x[i] + row[0];
    result[i + 1] = x[i + 1] + row[1];
  }
}

// A NaN is the largest.
static void largest(void) {
  for (int i = 0; i < size / 2; ++i) {
    const double a = x[2 * i], b = x[2 * i + 1];
    positions[i] = a == a && (b != b || b > a);
  }
}

// In Covec's order.
static void sums(void) {
  for (int i = 0; i < size / 8; ++i) {
    double part[8];
    for (int k = 0; k < 8; ++k) part[k] = x[8 * i + k] * x[8 * i + k];
    for (int half = 4; half > 0; half /= 2)
      for (int k = 0; k < half; ++k) part[k] += part[k + half];
    result[i] = part[0];
  }
}

static void halved(void) {
  result[0] = x[0];
  for (int i = 1; i < size - 1; ++i) result[i] = x[i] * 0.5;
  result[size - 1] = x[size - 1];
}

int main(int count, char** arguments) {
  x = doubles(size, 0), result = doubles(size, 0), positions = aligned(size / 2 * sizeof *positions);
  for (int i = 0; i < size / 2; ++i) positions[i] = 0;
  row[0] = 0.25, row[1] = 0.75;
  const struct row rows[] = {
      {"add_row", add_row}, {"argmax", largest}, {"sums", sums}, {"halved", halved}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "add_row");
}
