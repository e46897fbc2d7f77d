// Prints the nanoseconds of one call, three times; n grows until a block lasts long enough to be read off a clock.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*work_function)(void);

static double seconds(work_function work, long n) {
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (long i = 0; i < n; ++i) work();
  clock_gettime(CLOCK_MONOTONIC, &b);
  return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

static void report(work_function work) {
  long n = 1;
  double spent = seconds(work, n);
  while (spent < 0.02) {
    n *= 2;
    spent = seconds(work, n);
  }
  for (int block = 0; block < 3; ++block) printf("%.3f\n", seconds(work, n) / (double)n * 1e9);
}

struct row {
  const char* name;
  work_function work;
};

static int report_row(const struct row* rows, const char* name) {
  for (; rows->name; ++rows) {
    if (strcmp(rows->name, name) == 0) return report(rows->work), 0;
  }
  fprintf(stderr, "no such row: %s\n", name);
  return 2;
}

// `count` numbers in [low, low + 1), 64-byte aligned and touched.
static float* numbers(size_t count, float low) {
  float* x = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
  unsigned state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = low + (float)(state >> 8) / 16777216.0f;
  }
  return x;
}
