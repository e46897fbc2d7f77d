// Sums of f32 in Covec's order where the last axis is reduced: 64 lanes over blocks of 4096 elements, the blocks in
// pairs.
#pragma once

#include <string.h>

enum { lanes = 64, block = 64 * lanes };

// One block: each lane in order. Tails are shorter chains.
static void add_block(const float* restrict from, int count, float* restrict lane) {
  float sum[lanes];
  for (int l = 0; l < lanes; ++l) sum[l] = -0.0f;
  int p = 0;
  for (; p + lanes <= count; p += lanes)
    for (int l = 0; l < lanes; ++l) sum[l] += from[p + l];
  for (int l = 0; p + l < count; ++l) sum[l] += from[p + l];
  memcpy(lane, sum, sizeof sum);
}

static float combine(float (*blocks)[lanes], int count) {
  for (; count > 1; count = (count + 1) / 2) {
    for (int b = 0; b < count / 2; ++b)
      for (int l = 0; l < lanes; ++l) blocks[b][l] = blocks[2 * b][l] + blocks[2 * b + 1][l];
    if (count % 2) memcpy(blocks[count / 2], blocks[count - 1], sizeof blocks[0]);
  }
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) blocks[0][l] += blocks[0][l + half];
  return blocks[0][0];
}
