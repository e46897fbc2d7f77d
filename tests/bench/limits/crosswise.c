// x.T + 0 of 2048² and 4096² floats by hand: squares of 16 by 16 are turned in registers, tiles of 2 by 2 squares keep
// to few pages, and whole cache lines are written past the cache.
#include "timing.h"
#include "vectors.h"

enum { tile = 2 * square };
static int side;
static float *x, *y;

static inline void turn_square(int row, int column) {
  vector16 lines[square];
  read_turned(x + (size_t)column * side + row, side, lines);
  for (int r = 0; r < square; ++r) write_line(y + (size_t)(row + r) * side + column, lines[r] + 0.0f);
}
static void turned(void) {
#pragma omp parallel for schedule(static)
  for (int row = 0; row < side; row += tile)
    for (int column = 0; column < side; column += tile)
      for (int r = 0; r < tile; r += square)
        for (int c = 0; c < tile; c += square) turn_square(row + r, column + c);
}

int main(int count, char** arguments) {
  const char* const name = count > 1 ? arguments[1] : "2048";
  side = atoi(name);
  x = numbers((size_t)side * side, -0.5f), y = numbers((size_t)side * side, 0);
  turned();
  for (int i = 0; i < side * side; i += 997) {
    if (y[i] != x[(size_t)(i % side) * side + i / side]) return fprintf(stderr, "wrong at %d\n", i), 1;
  }
  const struct row rows[] = {{"2048", turned}, {"4096", turned}, {NULL, NULL}};
  return report_row(rows, name);
}
