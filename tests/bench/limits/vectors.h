// Vectors of 16 floats, and squares of 16 by 16.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

enum { square = 16 };
typedef float vector16 __attribute__((vector_size(64), aligned(4)));

// Rows become columns: by four perfect shuffles of the 256 numbers.
static inline void turn(vector16 row[square]) {
  for (int round = 0; round < 4; ++round) {
    vector16 next[square];
    for (int i = 0; i < 8; ++i) {
      const vector16 a = row[i], b = row[i + 8];
      next[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    for (int i = 0; i < square; ++i) row[i] = next[i];
  }
}

// Rows of `stride` numbers, of which 16 are read and turned.
static inline void read_turned(const float* from, int stride, vector16 row[square]) {
  for (int r = 0; r < square; ++r) row[r] = *(const vector16*)(from + (long)r * stride);
  turn(row);
}

static inline vector16 spread(float value) { return value - (vector16){0}; }

// a * b + c, rounded once; a line written past the cache.
static inline vector16 fused(vector16 a, vector16 b, vector16 c) {
#if defined(__AVX512F__)
  return (vector16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#else
  for (int i = 0; i < square; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
#endif
}
static inline void write_line(float* to, vector16 line) {
#if defined(__AVX512F__)
  _mm512_stream_ps(to, (__m512)line);
#else
  *(vector16*)to = line;
#endif
}
