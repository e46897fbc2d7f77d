#include "jit/source/device_library.hpp"

#include "jit/source/c99_scalar.hpp"
#include "jit/source/filled.hpp"

namespace covec::source {

namespace {

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

}  // namespace

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
