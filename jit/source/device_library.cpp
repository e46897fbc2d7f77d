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

// Each item has 4 × 4 results of the tile, 16 apart; 16 steps of k are in local memory at a time.
constexpr const char* product = R"(
typedef struct { int32_t axes; int32_t dims[4]; int32_t a[4]; int32_t b[4]; } NAME_batch;
COVEC_KERNEL NAME(int64_t m, int64_t n, int64_t k, int64_t batches, COVEC_GLOBAL const MEMORY* a, int64_t a_first,
                  int64_t a_row, int64_t a_column, COVEC_GLOBAL const MEMORY* b, int64_t b_first, int64_t b_row,
                  int64_t b_column, COVEC_GLOBAL MEMORY* c, int64_t c_first, NAME_batch batch,
                  COVEC_GLOBAL int32_t* failed) {
  COVEC_LOCAL REAL left[16][65];
  COVEC_LOCAL REAL right[16][65];
  const int64_t down = (m + 63) / 64, across = (n + 63) / 64;
  const int x = covec_item % 16, y = covec_item / 16;
  for (int64_t unit = covec_group; unit < batches * down * across; unit += covec_groups) {
    const int64_t number = unit / (down * across), tile = unit - number * down * across;
    const int64_t row = tile / across * 64, column = (tile - tile / across * across) * 64;
    int64_t a_at = a_first, b_at = b_first, rest = number;
    for (int axis = batch.axes - 1; axis >= 0; --axis) {
      const int64_t above = rest / batch.dims[axis], index = rest - above * batch.dims[axis];
      a_at += index * batch.a[axis];
      b_at += index * batch.b[axis];
      rest = above;
    }
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

constexpr const char* copy = R"(
typedef struct { int32_t axes; int32_t dims[8]; int32_t strides[8]; } NAME_walk;
COVEC_FUNCTION int64_t NAME_at(int64_t i, NAME_walk walk) {
  int64_t at = 0, rest = i;
  for (int axis = walk.axes - 1; axis >= 0; --axis) {
    const int64_t above = axis > 0 ? rest / walk.dims[axis] : 0;
    at += (rest - above * walk.dims[axis]) * walk.strides[axis];
    rest = above;
  }
  return at;
}
COVEC_KERNEL NAME_pack(int64_t n, COVEC_GLOBAL WORD* to, int64_t to_first, COVEC_GLOBAL const WORD* from,
                       int64_t from_first, NAME_walk walk) {
  for (int64_t i = covec_first; i < n; i += covec_all) to[to_first + i] = from[from_first + NAME_at(i, walk)];
}
COVEC_KERNEL NAME_place(int64_t n, COVEC_GLOBAL WORD* to, int64_t to_first, COVEC_GLOBAL const WORD* from,
                        int64_t from_first, NAME_walk walk) {
  for (int64_t i = covec_first; i < n; i += covec_all) to[to_first + NAME_at(i, walk)] = from[from_first + i];
}
)";

}  // namespace

std::string device_product(Dtype dtype, const std::string& name) {
  return filled(product, {{"LOAD_A", c_loaded(dtype, "a[a_at + (row + i) * a_row + (t + along) * a_column]")},
                          {"LOAD_B", c_loaded(dtype, "b[b_at + (t + deep) * b_row + (column + j) * b_column]")},
                          {"STORED", c_stored(dtype, "sum[r][s]")},
                          {"NAME", name},
                          {"MEMORY", std::string(c_memory_type(dtype))},
                          {"REAL", std::string(c_type(dtype))},
                          {"FMA", dtype == Dtype::f64 ? "fma" : "fmaf"}});
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

}  // namespace covec::source
