// Writes matrix products for devices: small and large tiles, with or without an epilogue kernel. It also writes the
// code that repairs NaN by the rule of zero cotangents. Start at product_text().
#include "jit/source/c99_scalar.hpp"
#include "jit/source/device_library.hpp"
#include "jit/source/filled.hpp"

namespace covec::source {

namespace {

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

constexpr const char* nan_repair = R"(
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
COVEC_KERNEL NAME_repair(int64_t m, int64_t n, int64_t k, int64_t batches, COVEC_GLOBAL const REAL* a, int64_t a_first,
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
  const std::string follows = filled(wide ? end_of_wide_tile : end_of_tile,
                                     {{"SIDE", std::to_string(device_wide_columns(dtype) / 16)}, {"CALL", end.call}});
  return end.text + product_text(dtype, wide, follows, end.parameters, name);
}

std::string device_nan_repair(Dtype dtype, const std::string& name) {
  return filled(std::string(batch_of_products) + nan_repair, {{"NAME", name}, {"REAL", std::string(c_type(dtype))}});
}

}  // namespace covec::source
