// Reads at, and sums into, ten million places in random order: indices from the end count back, others beyond are an
// error, and sums are added in order. y starts as zeros.
#include <stdint.h>

#include "timing.h"

enum { size = 10 * 1000 * 1000, piece = 1000 };
static float *x, *y;
static int64_t* at;

static inline int64_t place(int64_t i) { return i < 0 ? i + size : i; }
static inline void inside(const int64_t* indices) {
  int wrong = 0;
  for (int k = 0; k < piece; ++k) wrong |= (indices[k] < -size) | (indices[k] >= size);
  if (wrong) abort();
}
static void gather(void) {
#pragma omp parallel for schedule(static)
  for (int start = 0; start < size; start += piece) {
    inside(at + start);
    for (int k = start; k < start + piece; ++k) y[k] = x[place(at[k])];
  }
}
static void scatter(void) {
  memset(y, 0, size * sizeof *y);
  for (int start = 0; start < size; start += piece) {
    inside(at + start);
    for (int k = start; k < start + piece; ++k) y[place(at[k])] += x[k];
  }
}

static int check(void) {
  gather();
  for (int k = 0; k < size; k += 101)
    if (y[k] != x[at[k]]) return fprintf(stderr, "gather wrong at %d\n", k), 1;
  scatter();
  double all = 0, wanted = 0;
  for (int k = 0; k < size; ++k) all += y[k], wanted += x[k];
  if (all - wanted > 1 || wanted - all > 1) return fprintf(stderr, "scatter adds up to %g, not %g\n", all, wanted), 1;
  return 0;
}

int main(int count, char** arguments) {
  x = numbers(size, -0.5f), y = numbers(size, 0);
  at = (int64_t*)aligned(size * sizeof *at);
  unsigned state = 1;
  for (int k = 0; k < size; ++k) at[k] = (int64_t)((double)next_number(&state) * size);
  if (check()) return 1;
  const struct row rows[] = {{"gather", gather}, {"scatter", scatter}, {NULL, NULL}};
  return report_row(rows, count > 1 ? arguments[1] : "gather");
}
