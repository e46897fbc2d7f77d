#include "jit/source/device_library.hpp"

#include "jit/source/c99_scalar.hpp"

namespace covec::source {

namespace {

// {NAME} and the like are filled in.
std::string filled(std::string text, std::initializer_list<std::pair<const char*, std::string>> parts) {
  for (const auto& [key, part] : parts) {
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + part.size())) {
      text.replace(at, std::char_traits<char>::length(key), part);
    }
  }
  return text;
}

// The axes of a batch, and where the factors of product number `number` begin.
constexpr const char* batch_of_products = R"(
typedef struct { int32_t axes; int32_t dims[4]; int32_t a[4]; int32_t b[4]; } NAME_batch;
COVEC_FUNCTION int64_t NAME_at(NAME_batch batch, int64_t number, int right) {
  int64_t at = 0;
  for (int axis = batch.axes - 1; axis >= 0; --axis) {
    const int64_t above = number / batch.dims[axis];
    at += (number - above * batch.dims[axis]) * (right ? batch.b[axis] : batch.a[axis]);
    number = above;
  }
  return at;
}
)";

// Each item has 4 × 4 results of the tile, 16 apart; 16 steps of k are in local memory at a time.
constexpr const char* product = R"(
COVEC_KERNEL NAME(int64_t m, int64_t n, int64_t k, int64_t batches, COVEC_GLOBAL const MEMORY* a, int64_t a_first,
                  int64_t a_row, int64_t a_column, COVEC_GLOBAL const MEMORY* b, int64_t b_first, int64_t b_row,
                  int64_t b_column, COVEC_GLOBAL MEMORY* c, int64_t c_first, NAME_batch batch,
                  COVEC_GLOBAL int32_t* failed PARAMETERS) {
  COVEC_LOCAL REAL left[16][65];
  COVEC_LOCAL REAL right[16][65];
  const int64_t down = (m + 63) / 64, across = (n + 63) / 64;
  const int x = covec_item % 16, y = covec_item / 16;
  for (int64_t unit = covec_group; unit < batches * down * across; unit += covec_groups) {
    const int64_t number = unit / (down * across), tile = unit - number * down * across;
    const int64_t row = tile / across * 64, column = (tile - tile / across * across) * 64;
    int64_t a_at = a_first + NAME_at(batch, number, 0), b_at = b_first + NAME_at(batch, number, 1);
    REAL sum[4][4];
    for (int64_t block = 0; block < k; block += 512) {
      const int64_t end = block + 512 < k ? block + 512 : k;
      REAL chain[4][4];
      for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s) chain[r][s] = 0;
      for (int64_t t = block; t < end; t += 16) {
        const int steps = (int)(end - t < 16 ? end - t : 16);
        for (int e = covec_item; e < 16 * 64; e += 256) {
          const int place = e % 64, step = e / 64;
          const int along = a_row == 1 ? step : e % 16, i = a_row == 1 ? place : e / 16;
          left[along][i] = row + i < m && along < steps ? LOAD_A : 0;
          const int deep = b_row == 1 ? e % 16 : step, j = b_row == 1 ? e / 16 : place;
          right[deep][j] = column + j < n && deep < steps ? LOAD_B : 0;
        }
        covec_barrier();
        for (int step = 0; step < steps; ++step) {
          for (int r = 0; r < 4; ++r)
            for (int s = 0; s < 4; ++s) chain[r][s] = FMA(left[step][y + 16 * r], right[step][x + 16 * s], chain[r][s]);
        }
        covec_barrier();
      }
      for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s) sum[r][s] = block == 0 ? chain[r][s] : sum[r][s] + chain[r][s];
    }
    for (int r = 0; r < 4; ++r) {
      for (int s = 0; s < 4; ++s) {
        const int64_t i = row + y + 16 * r, j = column + x + 16 * s;
        if (i >= m || j >= n) continue;
        c[c_first + (number * m + i) * n + j] = STORED;
        if (sum[r][s] != sum[r][s]) *failed = 1;
      }
    }
    END
  }
}
)";

// Each item has 8 × SIDE results, in squares of 4 × 4 that lie 64 apart. While the products of 16 steps of k are added
// up, the next 16 are on their way. Sums of blocks go by way of c, so that there are registers for the chains.
constexpr const char* wide_product = R"(
typedef struct COVEC_ALIGNED(16) { REAL at[4]; } NAME_four;
COVEC_KERNEL COVEC_TWO_GROUPS NAME(int64_t m, int64_t n, int64_t k, int64_t batches, COVEC_GLOBAL const REAL* a,
                                   int64_t a_first, int64_t a_row, int64_t a_column, COVEC_GLOBAL const REAL* b,
                                   int64_t b_first, int64_t b_row, int64_t b_column, COVEC_GLOBAL REAL* c,
                                   int64_t c_first, NAME_batch batch, COVEC_GLOBAL int32_t* failed PARAMETERS) {
  COVEC_LOCAL NAME_four left[16][33];
  COVEC_LOCAL NAME_four right[16][4 * SIDE + 1];
  const int64_t down = (m + 127) / 128, across = (n + 16 * SIDE - 1) / (16 * SIDE);
  const int x = covec_item % 16, y = covec_item / 16;
  const int a_down = a_row == 1, b_along = b_column == 1;
  const int a_i = a_down ? covec_item % 128 : covec_item / 16, a_t = a_down ? covec_item / 128 : covec_item % 16;
  const int a_di = a_down ? 0 : 16, a_dt = a_down ? 2 : 0;
  const int b_j = b_along ? covec_item % (16 * SIDE) : covec_item / 16;
  const int b_t = b_along ? covec_item / (16 * SIDE) : covec_item % 16;
  const int b_dj = b_along ? 0 : 16, b_dt = b_along ? 16 / SIDE : 0;
  const int64_t a_step = a_di * a_row + a_dt * a_column, b_step = b_dj * b_column + b_dt * b_row;
  for (int64_t unit = covec_group; unit < batches * down * across; unit += covec_groups) {
    const int64_t number = unit / (down * across), tile = unit - number * down * across;
    const int64_t row = tile / across * 128, column = (tile - tile / across * across) * (16 * SIDE);
    int64_t a_at = a_first + NAME_at(batch, number, 0), b_at = b_first + NAME_at(batch, number, 1);
    a_at += (row + a_i) * a_row + a_t * a_column;
    b_at += (column + b_j) * b_column + b_t * b_row;
    const int a_left = (int)(m - row < 128 ? m - row : 128) - a_i;
    const int b_left = (int)(n - column < 16 * SIDE ? n - column : 16 * SIDE) - b_j;
    for (int64_t block = 0; block < k; block += 512) {
      const int length = (int)(k - block < 512 ? k - block : 512);
      REAL chain[8][SIDE], next_a[8], next_b[SIDE];
      #pragma unroll
      for (int r = 0; r < 8; ++r)
        #pragma unroll
        for (int s = 0; s < SIDE; ++s) chain[r][s] = 0;
      for (int t = -16; t < length; t += 16) {
        if (t >= 0) {
          #pragma unroll
          for (int u = 0; u < 8; ++u) left[a_t + u * a_dt][(a_i + u * a_di) / 4].at[(a_i + u * a_di) % 4] = next_a[u];
          #pragma unroll
          for (int u = 0; u < SIDE; ++u)
            right[b_t + u * b_dt][(b_j + u * b_dj) / 4].at[(b_j + u * b_dj) % 4] = next_b[u];
          covec_barrier();
        }
        const int more = length - t - 16;
        if (more > 0) {
          #pragma unroll
          for (int u = 0; u < 8; ++u)
            next_a[u] = u * a_di < a_left && a_t + u * a_dt < more ? a[a_at + u * a_step] : 0;
          #pragma unroll
          for (int u = 0; u < SIDE; ++u)
            next_b[u] = u * b_dj < b_left && b_t + u * b_dt < more ? b[b_at + u * b_step] : 0;
          a_at += 16 * a_column;
          b_at += 16 * b_row;
        }
        if (t < 0) continue;
        const int steps = length - t < 16 ? length - t : 16;
        for (int step = 0; step < steps; ++step) {
          NAME_four p[2], q[SIDE / 4];
          #pragma unroll
          for (int h = 0; h < 2; ++h) p[h] = left[step][y + 16 * h];
          #pragma unroll
          for (int h = 0; h < SIDE / 4; ++h) q[h] = right[step][x + 16 * h];
          #pragma unroll
          for (int r = 0; r < 8; ++r)
            #pragma unroll
            for (int s = 0; s < SIDE; ++s) chain[r][s] = FMA(p[r / 4].at[r % 4], q[s / 4].at[s % 4], chain[r][s]);
        }
        covec_barrier();
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        #pragma unroll
        for (int s = 0; s < SIDE; ++s) {
          const int64_t i = row + 64 * (r / 4) + 4 * y + r % 4, j = column + 64 * (s / 4) + 4 * x + s % 4;
          if (i < m && j < n) {
            const int64_t place = c_first + (number * m + i) * n + j;
            const REAL sum = block == 0 ? chain[r][s] : c[place] + chain[r][s];
            c[place] = sum;
            if (block + length == k && sum != sum) *failed = 1;
          }
        }
      }
    }
    END
  }
}
)";

constexpr const char* mending = R"(
COVEC_KERNEL NAME_begin(COVEC_GLOBAL int32_t* words) {
  if (covec_first == 0) words[0] = words[1] = words[2] = words[3] = 0;
}
COVEC_KERNEL NAME_look(int64_t m, int64_t n, int64_t k, int64_t batches, COVEC_GLOBAL const REAL* a, int64_t a_first,
                       int64_t a_row, int64_t a_column, COVEC_GLOBAL const REAL* b, int64_t b_first, int64_t b_row,
                       int64_t b_column, COVEC_GLOBAL REAL* c, int64_t c_first, NAME_batch batch, int64_t zeros,
                       int64_t always, COVEC_GLOBAL int32_t* words) {
  if (words[0] == 0) return;
  if (always != 0) words[1] = 1;
  for (int64_t i = covec_first; i < batches * m * k; i += covec_all) {
    const int64_t line = i / k, number = line / m;
    const REAL x = a[a_first + NAME_at(batch, number, 0) + (line - number * m) * a_row + (i - line * k) * a_column];
    if (zeros != 1 && !(x - x == 0)) words[1] = 1;
    if ((zeros & 1) != 0 && x != 0) words[2] = 1;
  }
  for (int64_t i = covec_first; i < batches * k * n; i += covec_all) {
    const int64_t line = i / n, number = line / k;
    const REAL x = b[b_first + NAME_at(batch, number, 1) + (line - number * k) * b_row + (i - line * n) * b_column];
    if (zeros != 2 && !(x - x == 0)) words[1] = 1;
    if ((zeros & 2) != 0 && x != 0) words[3] = 1;
  }
}
COVEC_KERNEL NAME_mend(int64_t m, int64_t n, int64_t k, int64_t batches, COVEC_GLOBAL const REAL* a, int64_t a_first,
                       int64_t a_row, int64_t a_column, COVEC_GLOBAL const REAL* b, int64_t b_first, int64_t b_row,
                       int64_t b_column, COVEC_GLOBAL REAL* c, int64_t c_first, NAME_batch batch, int64_t zeros,
                       int64_t always, COVEC_GLOBAL int32_t* words) {
  if (words[1] == 0) return;
  const int nothing = ((zeros & 1) != 0 && words[2] == 0) || ((zeros & 2) != 0 && words[3] == 0);
  const int64_t terms = nothing ? 0 : k;
  for (int64_t i = covec_first; i < batches * m * n; i += covec_all) {
    if (c[c_first + i] == c[c_first + i]) continue;
    const int64_t line = i / n, number = line / m;
    const int64_t left = a_first + NAME_at(batch, number, 0) + (line - number * m) * a_row;
    const int64_t right = b_first + NAME_at(batch, number, 1) + (i - line * n) * b_column;
    REAL sum = 0;
    for (int64_t t = 0; t < terms; ++t) {
      const REAL x = a[left + t * a_column], y = b[right + t * b_row];
      if (((zeros & 1) != 0 && x == 0) || ((zeros & 2) != 0 && y == 0)) continue;
      const REAL product = x * y;
      sum += product;
    }
    c[c_first + i] = sum;
  }
}
)";

constexpr const char* nan_check = R"(
COVEC_KERNEL NAME(int64_t n, COVEC_GLOBAL const MEMORY* x, int64_t x_first, COVEC_GLOBAL int32_t* failed) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    const REAL value = LOAD;
    if (value != value) *failed = 1;
  }
}
)";

constexpr const char* sort = R"(
COVEC_FUNCTION int64_t NAME_key(REAL value) { KEY }
COVEC_KERNEL NAME_start(int64_t n, int64_t length, int64_t padded, COVEC_GLOBAL const MEMORY* x, int64_t x_first,
                        COVEC_GLOBAL int64_t* keys, int64_t keys_first, COVEC_GLOBAL int64_t* places,
                        int64_t places_first, int64_t descending) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    const int64_t row = i / padded, place = i - row * padded;
    int64_t key = INT64_MAX;
    if (place < length) {
      key = NAME_key(LOAD);
      if (descending != 0) key = ~key;
    }
    keys[keys_first + i] = key;
    places[places_first + i] = place;
  }
}
COVEC_KERNEL NAME_step(int64_t n, COVEC_GLOBAL int64_t* keys, int64_t keys_first, COVEC_GLOBAL int64_t* places,
                       int64_t places_first, int64_t padded, int64_t size, int64_t reach) {
  for (int64_t pair = covec_first; pair < n; pair += covec_all) {
    const int64_t above = pair / reach, i = pair + above * reach, j = i + reach;
    const int64_t a = keys[keys_first + i], b = keys[keys_first + j];
    const int64_t p = places[places_first + i], q = places[places_first + j];
    const int rises = (i & (padded - 1) & size) == 0, falls = a > b || (a == b && p > q);
    if (rises == falls) {
      keys[keys_first + i] = b;
      keys[keys_first + j] = a;
      places[places_first + i] = q;
      places[places_first + j] = p;
    }
  }
}
COVEC_KERNEL NAME_local(int64_t n, COVEC_GLOBAL int64_t* keys, int64_t keys_first, COVEC_GLOBAL int64_t* places,
                        int64_t places_first, int64_t padded, int64_t first, int64_t last) {
  COVEC_LOCAL int64_t key[BLOCK];
  COVEC_LOCAL int64_t place[BLOCK];
  for (int64_t base = covec_group * BLOCK; base < n; base += covec_groups * BLOCK) {
    for (int e = covec_item; e < BLOCK; e += HALF) {
      if (base + e < n) {
        key[e] = keys[keys_first + base + e];
        place[e] = places[places_first + base + e];
      }
    }
    covec_barrier();
    for (int64_t size = first; size <= last; size *= 2) {
      for (int reach = size < BLOCK ? (int)(size / 2) : HALF; reach >= 1; reach /= 2) {
        const int i = covec_item + covec_item / reach * reach, j = i + reach;
        if (base + j < n) {
          const int64_t a = key[i], b = key[j], p = place[i], q = place[j];
          const int rises = ((base + i) & (padded - 1) & size) == 0, falls = a > b || (a == b && p > q);
          if (rises == falls) {
            key[i] = b;
            key[j] = a;
            place[i] = q;
            place[j] = p;
          }
        }
        covec_barrier();
      }
    }
    for (int e = covec_item; e < BLOCK; e += HALF) {
      if (base + e < n) {
        keys[keys_first + base + e] = key[e];
        places[places_first + base + e] = place[e];
      }
    }
    covec_barrier();
  }
}
COVEC_KERNEL NAME_places(int64_t n, int64_t length, int64_t padded, int64_t count, COVEC_GLOBAL const MEMORY* x,
                         int64_t x_first, COVEC_GLOBAL const int64_t* places, int64_t places_first,
                         COVEC_GLOBAL int64_t* to, int64_t to_first) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    const int64_t row = i / count;
    to[to_first + i] = places[places_first + row * padded + i - row * count];
  }
}
COVEC_KERNEL NAME_values(int64_t n, int64_t length, int64_t padded, int64_t count, COVEC_GLOBAL const MEMORY* x,
                         int64_t x_first, COVEC_GLOBAL const int64_t* places, int64_t places_first,
                         COVEC_GLOBAL MEMORY* to, int64_t to_first) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    const int64_t row = i / count;
    to[to_first + i] = x[x_first + row * length + places[places_first + row * padded + i - row * count]];
  }
}
)";

constexpr const char* scan = R"(
COVEC_KERNEL NAME(int64_t n, int64_t outer, int64_t inner, COVEC_GLOBAL const REAL* x, int64_t x_first,
                  COVEC_GLOBAL REAL* to, int64_t to_first, int64_t backwards) {
  for (int64_t unit = covec_first; unit < outer * inner; unit += covec_all) {
    const int64_t side = unit / inner, column = unit - side * inner;
    const int64_t step = backwards != 0 ? -inner : inner;
    int64_t at = (side * n + (backwards != 0 ? n - 1 : 0)) * inner + column;
    REAL sum = x[x_first + at];
    to[to_first + at] = sum;
    for (int64_t q = 1; q < n; ++q) {
      at += step;
      sum = JOINED;
      to[to_first + at] = sum;
    }
  }
}
)";

constexpr const char* running_extremes = R"(
COVEC_FUNCTION int64_t NAME_key(REAL x) { return KEY; }
COVEC_KERNEL NAME(int64_t n, int64_t outer, int64_t inner, COVEC_GLOBAL const REAL* x, int64_t x_first,
                  COVEC_GLOBAL RESULT* to, int64_t to_first) {
  for (int64_t unit = covec_first; unit < outer * inner; unit += covec_all) {
    const int64_t side = unit / inner, column = unit - side * inner;
    int64_t at = side * n * inner + column, place = 0;
    REAL best = x[x_first + at];
    to[to_first + at] = FOUND;
    for (int64_t q = 1; q < n; ++q) {
      at += inner;
      const REAL next = x[x_first + at];
      if (NAME_key(next) BETTER NAME_key(best)) best = next, place = q;
      to[to_first + at] = FOUND;
    }
  }
}
)";

constexpr const char* copy = R"(
typedef struct { int32_t axes; int32_t dims[8]; int32_t to[8]; int32_t from[8]; } NAME_walk;
COVEC_KERNEL NAME_copy(int64_t n, COVEC_GLOBAL WORD* to, int64_t to_first, COVEC_GLOBAL const WORD* from,
                       int64_t from_first, NAME_walk walk) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    int64_t to_at = to_first, from_at = from_first, rest = i;
    for (int axis = walk.axes - 1; axis >= 0; --axis) {
      const int64_t above = axis > 0 ? rest / walk.dims[axis] : 0, index = rest - above * walk.dims[axis];
      to_at += index * walk.to[axis];
      from_at += index * walk.from[axis];
      rest = above;
    }
    to[to_at] = from[from_at];
  }
}
COVEC_KERNEL NAME_clear(int64_t n, COVEC_GLOBAL WORD* to, int64_t to_first) {
  for (int64_t i = covec_first; i < n; i += covec_all) to[to_first + i] = 0;
}
)";

// Places of x that an index names, beside elements of another array. Along axis `block` x is at offsets.
constexpr const char* places = R"(
typedef struct { int32_t axes; int32_t block; int32_t dims[8]; int32_t x[8]; int32_t other[8]; } NAME_walk;
COVEC_FUNCTION int64_t NAME_find(int64_t i, NAME_walk walk, int64_t* x_at, int64_t* other_at) {
  int64_t rest = i, place = 0;
  for (int axis = walk.axes - 1; axis >= 0; --axis) {
    const int64_t above = axis > 0 ? rest / walk.dims[axis] : 0, index = rest - above * walk.dims[axis];
    if (axis == walk.block) place = index;
    *x_at += index * walk.x[axis];
    *other_at += index * walk.other[axis];
    rest = above;
  }
  return place;
}
COVEC_KERNEL NAME_read(int64_t n, COVEC_GLOBAL const MEMORY* x, int64_t x_first, COVEC_GLOBAL MEMORY* other,
                       int64_t other_first, COVEC_GLOBAL const int64_t* offsets, NAME_walk walk) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    int64_t x_at = x_first, other_at = other_first;
    const int64_t place = NAME_find(i, walk, &x_at, &other_at);
    other[other_at] = x[x_at + (walk.block >= 0 ? offsets[place] : 0)];
  }
}
COVEC_KERNEL NAME_write(int64_t n, COVEC_GLOBAL MEMORY* x, int64_t x_first, COVEC_GLOBAL const MEMORY* other,
                        int64_t other_first, COVEC_GLOBAL const int64_t* offsets, NAME_walk walk) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    int64_t x_at = x_first, other_at = other_first;
    const int64_t place = NAME_find(i, walk, &x_at, &other_at), offset = walk.block >= 0 ? offsets[place] : 0;
    if (offset >= 0) x[x_at + offset] = other[other_at];
  }
}
COVEC_KERNEL NAME_add(int64_t n, COVEC_GLOBAL MEMORY* x, int64_t x_first, COVEC_GLOBAL const MEMORY* other,
                      int64_t other_first, COVEC_GLOBAL const int64_t* offsets, COVEC_GLOBAL const int64_t* begins,
                      COVEC_GLOBAL const int64_t* order, int64_t step, NAME_walk walk) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    int64_t x_at = x_first, other_at = other_first;
    const int64_t place = NAME_find(i, walk, &x_at, &other_at);
    if (walk.block >= 0) x_at += offsets[place];
    const int64_t begin = walk.block >= 0 ? begins[place] : 0, end = walk.block >= 0 ? begins[place + 1] : 1;
    MEMORY sum = x[x_at];
    for (int64_t j = begin; j < end; ++j) {
      const MEMORY term = other[other_at + (walk.block >= 0 ? order[j] * step : 0)];
      sum = SUM;
    }
    x[x_at] = sum;
  }
}
COVEC_KERNEL NAME_add_equal(int64_t n, COVEC_GLOBAL MEMORY* x, int64_t x_first, COVEC_GLOBAL const MEMORY* other,
                            int64_t other_first, COVEC_GLOBAL const int64_t* offsets,
                            COVEC_GLOBAL const int64_t* order, int64_t count, int64_t step, NAME_walk walk) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    int64_t x_at = x_first, other_at = other_first;
    const int64_t place = NAME_find(i, walk, &x_at, &other_at), offset = offsets[place];
    if (place > 0 && offsets[place - 1] == offset) continue;
    MEMORY sum = x[x_at + offset];
    for (int64_t j = place; j < count && offsets[j] == offset; ++j) {
      const MEMORY term = other[other_at + order[j] * step];
      sum = SUM;
    }
    x[x_at + offset] = sum;
  }
}
)";

// What indices that lie on the device add to the offsets of places.
constexpr const char* offsets = R"(
typedef struct { int32_t axes; int32_t dims[8]; int32_t index[8]; } NAME_walk;
COVEC_KERNEL NAME(int64_t n, COVEC_GLOBAL int64_t* offsets, COVEC_GLOBAL const INDEX* index, int64_t index_first,
                  int64_t size, int64_t stride, COVEC_GLOBAL int32_t* failed, NAME_walk walk) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    int64_t at = index_first, rest = i;
    for (int axis = walk.axes - 1; axis >= 0; --axis) {
      const int64_t above = axis > 0 ? rest / walk.dims[axis] : 0;
      at += (rest - above * walk.dims[axis]) * walk.index[axis];
      rest = above;
    }
    int64_t value = index[at];
    if (value < 0) value += size;
    if (value < 0 || value >= size) *failed = 1;
    else offsets[i] += value * stride;
  }
}
)";

// The windows of an image side by side: to is (groups, channels, rows, columns of the window, examples, positions).
constexpr const char* windows = R"(
typedef struct { int32_t groups, channels, window[2], examples, out[2], source[2], before[2], stride[2], dilation[2]; } NAME_shape;
COVEC_KERNEL NAME(int64_t n, COVEC_GLOBAL WORD* to, int64_t to_first, COVEC_GLOBAL const WORD* from,
                  int64_t from_first, NAME_shape s) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    int64_t rest = i;
    const int64_t column = rest % s.out[1];
    rest /= s.out[1];
    const int64_t row = rest % s.out[0];
    rest /= s.out[0];
    const int64_t example = rest % s.examples;
    rest /= s.examples;
    const int64_t across = column * s.stride[1] + rest % s.window[1] * s.dilation[1] - s.before[1];
    rest /= s.window[1];
    const int64_t down = row * s.stride[0] + rest % s.window[0] * s.dilation[0] - s.before[0];
    rest /= s.window[0];
    const int64_t channel = rest % s.channels, group = rest / s.channels;
    const int64_t image = (example * s.groups + group) * s.channels + channel;
    const int inside = down >= 0 && down < s.source[0] && across >= 0 && across < s.source[1];
    to[to_first + i] = inside ? from[from_first + (image * s.source[0] + down) * s.source[1] + across] : 0;
  }
}
)";

// Pools: where the largest of each window lies, elements read from such places, and added to them in order.
constexpr const char* pools = R"(
typedef struct { int32_t in[2], out[2], window[2], stride[2], before[2]; } NAME_shape;
COVEC_FUNCTION int64_t NAME_key(MEMORY x) { return KEY; }
COVEC_KERNEL NAME_places(int64_t n, COVEC_GLOBAL int64_t* to, int64_t to_first, COVEC_GLOBAL const MEMORY* x,
                         int64_t x_first, NAME_shape s) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    const int64_t column = i % s.out[1], above = i / s.out[1], row = above % s.out[0], image = above / s.out[0];
    const int64_t top = row * s.stride[0] - s.before[0], left = column * s.stride[1] - s.before[1];
    int64_t largest = INT64_MIN, place = -1;
    for (int64_t r = top < 0 ? 0 : top; r < top + s.window[0] && r < s.in[0]; ++r) {
      for (int64_t c = left < 0 ? 0 : left; c < left + s.window[1] && c < s.in[1]; ++c) {
        const int64_t key = NAME_key(x[x_first + (image * s.in[0] + r) * s.in[1] + c]);
        if (place >= 0 && key <= largest) continue;
        largest = key;
        place = r * s.in[1] + c;
      }
    }
    to[to_first + i] = place;
  }
}
COVEC_KERNEL NAME_mean(int64_t n, COVEC_GLOBAL MEMORY* to, int64_t to_first, COVEC_GLOBAL const MEMORY* x,
                       int64_t x_first, NAME_shape s) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    const int64_t column = i % s.out[1], above = i / s.out[1], row = above % s.out[0], image = above / s.out[0];
    const int64_t top = row * s.stride[0] - s.before[0], left = column * s.stride[1] - s.before[1];
    MEMORY sum = -(MEMORY)0;
    for (int64_t r = top < 0 ? 0 : top; r < top + s.window[0] && r < s.in[0]; ++r)
      for (int64_t c = left < 0 ? 0 : left; c < left + s.window[1] && c < s.in[1]; ++c)
        sum += x[x_first + (image * s.in[0] + r) * s.in[1] + c];
    to[to_first + i] = sum / (MEMORY)((int64_t)s.window[0] * s.window[1]);
  }
}
COVEC_KERNEL NAME_spread(int64_t n, COVEC_GLOBAL MEMORY* to, int64_t to_first, COVEC_GLOBAL const MEMORY* y,
                         int64_t y_first, NAME_shape s) {
  for (int64_t i = covec_first; i < n; i += covec_all) {
    const int64_t column = i % s.in[1], above = i / s.in[1], row = above % s.in[0], image = above / s.in[0];
    const int64_t down = row + s.before[0], across = column + s.before[1];
    const int64_t top = down < s.window[0] ? 0 : (down - s.window[0]) / s.stride[0] + 1;
    const int64_t left = across < s.window[1] ? 0 : (across - s.window[1]) / s.stride[1] + 1;
    MEMORY sum = 0;
    for (int64_t r = top; r <= down / s.stride[0] && r < s.out[0]; ++r)
      for (int64_t c = left; c <= across / s.stride[1] && c < s.out[1]; ++c)
        sum += y[y_first + (image * s.out[0] + r) * s.out[1] + c] / (MEMORY)((int64_t)s.window[0] * s.window[1]);
    to[to_first + i] = sum;
  }
}
COVEC_KERNEL NAME_read(int64_t n, COVEC_GLOBAL MEMORY* to, int64_t to_first, COVEC_GLOBAL const MEMORY* x,
                       int64_t x_first, COVEC_GLOBAL const int64_t* places, int64_t places_first, int64_t inside,
                       int64_t outside) {
  for (int64_t i = covec_first; i < n; i += covec_all)
    to[to_first + i] = x[x_first + i / outside * inside + places[places_first + i]];
}
COVEC_KERNEL NAME_add(int64_t n, COVEC_GLOBAL MEMORY* to, int64_t to_first, COVEC_GLOBAL const MEMORY* y,
                      int64_t y_first, COVEC_GLOBAL const int64_t* places, int64_t places_first, int64_t inside,
                      int64_t outside) {
  for (int64_t image = covec_first; image < n; image += covec_all) {
    for (int64_t k = 0; k < inside; ++k) to[to_first + image * inside + k] = 0;
    for (int64_t k = image * outside; k < (image + 1) * outside; ++k)
      to[to_first + image * inside + places[places_first + k]] += y[y_first + k];
  }
}
)";

// `end` is what follows a tile.
std::string product_text(Dtype dtype, bool wide, const std::string& end, const std::string& parameters,
                         const std::string& name) {
  std::string text = filled(std::string(batch_of_products) + (wide ? wide_product : product),
                            {{"LOAD_A", c_loaded(dtype, "a[a_at + (row + i) * a_row + (t + along) * a_column]")},
                             {"LOAD_B", c_loaded(dtype, "b[b_at + (t + deep) * b_row + (column + j) * b_column]")},
                             {"STORED", c_stored(dtype, "sum[r][s]")},
                             {"MEMORY", std::string(c_memory_type(dtype))},
                             {"REAL", std::string(c_type(dtype))},
                             {"SIDE", std::to_string(device_wide_columns(dtype) / 16)},
                             {"FMA", dtype == Dtype::f64 ? "fma" : "fmaf"}});
  return filled(std::move(text), {{"NAME", name}, {" PARAMETERS", parameters}, {"    END\n", end}});
}

// Each item goes on with the elements that it has stored, from c: the kernel stands in the text once.
constexpr const char* end_of_tile = R"(    #pragma unroll 1
    for (int e = 0; e < 16; ++e) {
      const int64_t i = row + y + 16 * (e / 4), j = column + x + 16 * (e % 4), place = (number * m + i) * n + j;
      if (i < m && j < n) CALL
    }
)";
constexpr const char* end_of_wide_tile = R"(    #pragma unroll 1
    for (int e = 0; e < 8 * SIDE; ++e) {
      const int r = e / SIDE, s = e % SIDE;
      const int64_t i = row + 64 * (r / 4) + 4 * y + r % 4, j = column + 64 * (s / 4) + 4 * x + s % 4;
      const int64_t place = (number * m + i) * n + j;
      if (i < m && j < n) CALL
    }
)";

}  // namespace

std::string device_product(Dtype dtype, const std::string& name) { return product_text(dtype, false, "", "", name); }

std::string device_wide_product(Dtype dtype, const std::string& name) {
  return product_text(dtype, true, "", "", name);
}

std::string device_ended_product(Dtype dtype, bool wide, const DeviceEnd& end, const std::string& name) {
  const std::string call = filled(end.call, {{"{VALUE}", "c[c_first + place]"}, {"{PLACE}", "place"}});
  const std::string follows = filled(wide ? end_of_wide_tile : end_of_tile,
                                     {{"SIDE", std::to_string(device_wide_columns(dtype) / 16)}, {"CALL", call}});
  return end.text + product_text(dtype, wide, follows, end.parameters, name);
}

std::string device_mending(Dtype dtype, const std::string& name) {
  return filled(std::string(batch_of_products) + mending, {{"NAME", name}, {"REAL", std::string(c_type(dtype))}});
}

std::string device_nan_check(Dtype dtype, const std::string& name) {
  return filled(nan_check, {{"LOAD", c_loaded(dtype, "x[x_first + i]")},
                            {"NAME", name},
                            {"MEMORY", std::string(c_memory_type(dtype))},
                            {"REAL", std::string(c_type(dtype))}});
}

std::string device_copy(size_t bytes, const std::string& name) {
  const char* word = bytes == 1 ? "uint8_t" : bytes == 2 ? "uint16_t" : bytes == 4 ? "uint32_t" : "uint64_t";
  return filled(copy, {{"NAME", name}, {"WORD", word}});
}

std::string device_windows(Dtype dtype, const std::string& name) {
  return filled(windows, {{"NAME", name}, {"WORD", std::string(c_type(dtype))}});
}

std::string device_pools(Dtype dtype, const std::string& name) {
  const bool wide = dtype == Dtype::f64;
  const std::string bits = wide ? "covec_bits_i64(x)" : "(int64_t)covec_bits_i32(x)";
  // An f32 as an integer keeps its sign when it is widened.
  const std::string largest = wide ? "INT64_MAX" : "(int64_t)INT32_MAX";
  return filled(pools, {{"KEY", "x != x ? INT64_MAX : " + bits + " ^ ((" + bits + " >> 63) & " + largest + ")"},
                        {"NAME", name},
                        {"MEMORY", std::string(c_type(dtype))}});
}

std::string device_places(Dtype dtype, const std::string& name) {
  const std::string type(c_memory_type(dtype)), wide = dtype == Dtype::i32 ? "uint32_t" : "uint64_t";
  const std::string sum = dtype == Dtype::boolean ? "sum | term"
                          : is_float(dtype)
                              ? c_stored(dtype, "(" + c_loaded(dtype, "sum") + " + " + c_loaded(dtype, "term") + ")")
                              : "(" + type + ")((" + wide + ")sum + (" + wide + ")term)";
  return filled(places, {{"SUM", sum}, {"NAME", name}, {"MEMORY", type}});
}

std::string device_offsets(Dtype dtype, const std::string& name) {
  return filled(offsets, {{"NAME", name}, {"INDEX", std::string(c_type(dtype))}});
}

std::string device_scan(Dtype dtype, const std::string& name) {
  std::string text;
  for (const bool sums : {true, false}) {
    const std::string op = sums ? " + " : " * ";
    const std::string joined = is_float(dtype) ? "sum" + op + "x[x_first + at]"
                                               : "(int64_t)((uint64_t)sum" + op + "(uint64_t)x[x_first + at])";
    text += filled(
        scan,
        {{"NAME", name + (sums ? "_sum" : "_product")}, {"JOINED", joined}, {"REAL", std::string(c_type(dtype))}});
  }
  return text;
}

std::string device_running_extremes(Dtype dtype, bool smallest, const std::string& name) {
  const std::string bits = dtype == Dtype::f64 ? "covec_bits_i64(x)" : "(int64_t)covec_bits_i32(x)";
  const std::string nan = smallest ? "INT64_MIN" : "INT64_MAX";
  const std::string key =
      is_float(dtype) ? "x != x ? " + nan + " : " + bits + " ^ ((" + bits + " >> 63) & INT64_MAX)" : "(int64_t)x";
  std::string text;
  for (const bool places : {false, true}) {
    text += filled(running_extremes, {{"KEY", key},
                                      {"NAME", name + (places ? "_places" : "_elements")},
                                      {"BETTER", smallest ? "<" : ">"},
                                      {"FOUND", places ? "place" : "best"},
                                      {"RESULT", places ? "int64_t" : std::string(c_type(dtype))},
                                      {"REAL", std::string(c_type(dtype))}});
  }
  return text;
}

std::string device_sort(Dtype dtype, const std::string& name) {
  constexpr const char* of_float =
      "if (value != value) return INT64_MAX; if (value == 0) return 0; const int64_t bits = "
      "covec_bits_i64((double)value); return bits ^ ((bits >> 63) & INT64_MAX);";
  return filled(sort, {{"KEY", is_float(dtype) ? of_float : "return value;"},
                       {"LOAD", c_loaded(dtype, "x[x_first + row * length + place]")},
                       {"BLOCK", std::to_string(device_sort_block)},
                       {"HALF", std::to_string(device_sort_block / 2)},
                       {"NAME", name},
                       {"MEMORY", std::string(c_memory_type(dtype))},
                       {"REAL", std::string(c_type(dtype))}});
}

}  // namespace covec::source
