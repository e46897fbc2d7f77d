// Prints the nanoseconds of one call, three times; n grows until a block lasts long enough to be read off a clock.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

// Large blocks in large pages, as Covec and NumPy ask for.
static inline void* aligned(size_t bytes) {
  const size_t page = (size_t)2 << 20, alignment = bytes < 2 * page ? 64 : page;
  const size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = aligned_alloc(alignment, whole);
  if (memory == NULL) exit(1);
  if (alignment == page) madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

// From 0 to 1, one after the other.
static inline float next_number(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return (float)(*state >> 8) / 16777216.0f;
}

// `count` numbers in [low, low + 1), 64-byte aligned and touched.
static inline float* numbers(size_t count, float low) {
  float* x = (float*)aligned(count * sizeof(float));
  unsigned state = 1;
  for (size_t i = 0; i < count; ++i) x[i] = low + next_number(&state);
  return x;
}
static inline double* doubles(size_t count, double low) {
  double* x = (double*)aligned(count * sizeof(double));
  unsigned state = 1;
  for (size_t i = 0; i < count; ++i) x[i] = low + (double)next_number(&state);
  return x;
}
