// A recurrence over the rows of a matrix, into a copy of it.
#include "timing.h"

enum { rows_of_matrix = 1000, most = 256 };
static double *x, *result;
static volatile int width;

static void decay(void) {
  const int n = width;
  memcpy(result, x, sizeof(double) * (size_t)(rows_of_matrix * n));
  for (int i = 1; i < rows_of_matrix; ++i) {
    const double* restrict before = result + (i - 1) * n;
    double* restrict row = result + i * n;
    for (int j = 0; j < n; ++j) row[j] = row[j] * 0.5 + before[j] * 0.25;
  }
}

int main(int count, char** arguments) {
  x = doubles(rows_of_matrix * most, 0), result = doubles(rows_of_matrix * most, 0);
  const char* const name = count > 1 ? arguments[1] : "short";
  width = strcmp(name, "short") == 0 ? 16 : most;
  const struct row rows[] = {{"short", decay}, {"wide", decay}, {NULL, NULL}};
  return report_row(rows, name);
}
