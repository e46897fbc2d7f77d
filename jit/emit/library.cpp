#include "jit/emit/library.hpp"

#include <iterator>
#include <string_view>
#include <vector>

#include "jit/source/c_functions.hpp"

namespace covec::emit {

namespace {

// A function is named by the last word before its first bracket.
constexpr const char* memory_functions[] = {
    R"(/* Blocks of memory begin at multiples of 64. */
static int64_t covec_blocks(int64_t bytes) { return bytes > 0 ? (bytes / 64 + 1) * 64 : 64; }
)",
    R"(static void covec_copy(void* to, const void* from, int64_t bytes) {
  if (bytes > 0) memcpy(to, from, (size_t)bytes);
}
)",
};

constexpr const char* own_functions[] = {
    R"(/* The larger one: NaN is larger than all numbers, 0 than -0. */
static double covec_larger_f64(double a, double b) {
  if (a > b || a != a) return a;
  if (b > a || b != b) return b;
  return covec_bits_i64(a) >= 0 ? a : b;
}
)",
    R"(static float covec_larger_f32(float a, float b) {
  if (a > b || a != a) return a;
  if (b > a || b != b) return b;
  return covec_bits_i32(a) >= 0 ? a : b;
}
)",
    R"(/* The smaller one, but NaN; -0 is smaller than 0. */
static double covec_smaller_f64(double a, double b) {
  if (a < b || a != a) return a;
  if (b < a || b != b) return b;
  return covec_bits_i64(a) < 0 ? a : b;
}
)",
    R"(static float covec_smaller_f32(float a, float b) {
  if (a < b || a != a) return a;
  if (b < a || b != b) return b;
  return covec_bits_i32(a) < 0 ? a : b;
}
)",
    R"(/* Whether a is beyond b, in the order in which NaN is beyond all and -0 before 0. */
static int covec_above_f64(double a, double b) {
  if (a != a || b != b) return b == b;
  return a > b || (a == b && covec_bits_i64(a) > covec_bits_i64(b) && a == 0);
}
)",
    R"(static int covec_below_f64(double a, double b) {
  if (a != a || b != b) return b == b;
  return a < b || (a == b && covec_bits_i64(a) < covec_bits_i64(b) && a == 0);
}
)",
    R"(/* Whether a is beyond b, in the order in which NaN is beyond all and -0 before 0. */
static int covec_above_f32(float a, float b) {
  if (a != a || b != b) return b == b;
  return a > b || (a == b && covec_bits_i32(a) > covec_bits_i32(b) && a == 0);
}
)",
    R"(static int covec_below_f32(float a, float b) {
  if (a != a || b != b) return b == b;
  return a < b || (a == b && covec_bits_i32(a) < covec_bits_i32(b) && a == 0);
}
)",
    R"(/* a * b + c, rounded once. The C library has it where it is quick, and glibc where it is right. */
#if defined(FP_FAST_FMA) || defined(__GLIBC__)
#define covec_fma fma
#else
static uint64_t covec_word(double x) { uint64_t word; memcpy(&word, &x, 8); return word; }
static double covec_of_word(uint64_t word) { double x; memcpy(&x, &word, 8); return x; }
/* A finite number that is not 0 as m * 2^e, where m has 53 bits. */
static uint64_t covec_parts(double x, int* e) {
  const uint64_t bits = covec_word(x), exponent = bits >> 52 & 2047;
  uint64_t m = bits & UINT64_C(0xfffffffffffff);
  if (exponent != 0) {
    *e = (int)exponent - 1075;
    return m | UINT64_C(1) << 52;
  }
  for (*e = -1074; m >> 52 == 0; --*e) m <<= 1;
  return m;
}
static double covec_fma(double a, double b, double c) {
  uint64_t x, y, z, low, high, low2, high2, middle, sticky = 0, q, rest_high, rest_low, half_high, half_low;
  int ex, ey, ez, e, d, s, negative, negative2;
  if (!(a - a == 0) || !(b - b == 0) || a == 0 || b == 0) return a * b + c;
  if (!(c - c == 0)) return c; /* a * b may overflow */
  if (c == 0) return a * b;
  x = covec_parts(a, &ex), y = covec_parts(b, &ey), z = covec_parts(c, &ez);
  negative = ((int64_t)covec_word(a) < 0) != ((int64_t)covec_word(b) < 0), negative2 = (int64_t)covec_word(c) < 0;
  /* The product by halves, then both terms with their first bit at 124 to 126 of 128. */
  {
    const uint64_t x1 = x >> 32, x0 = x & 0xffffffffu, y1 = y >> 32, y0 = y & 0xffffffffu, ll = x0 * y0;
    middle = x1 * y0 + (ll >> 32);
    low = (middle & 0xffffffffu) + x0 * y1;
    high = x1 * y1 + (middle >> 32) + (low >> 32);
    low = low << 32 | (ll & 0xffffffffu);
  }
  high = high << 20 | low >> 44, low <<= 20, e = ex + ey - 20;
  high2 = z << 9, low2 = 0, ez -= 73;
  if (e < ez) {
    uint64_t t;
    t = high, high = high2, high2 = t, t = low, low = low2, low2 = t;
    d = e, e = ez, ez = d, d = negative, negative = negative2, negative2 = d;
  }
  d = e - ez;
  if (d > 127) {
    high2 = 0, low2 = 0, sticky = 1;
  } else if (d >= 64) {
    sticky = low2 != 0 || (d > 64 && high2 << (128 - d) != 0);
    low2 = d > 64 ? high2 >> (d - 64) : high2, high2 = 0;
  } else if (d > 0) {
    sticky = low2 << (64 - d) != 0;
    low2 = low2 >> d | high2 << (64 - d), high2 >>= d;
  }
  low2 |= sticky;
  if (negative == negative2) {
    low += low2;
    high += high2 + (low < low2);
  } else {
    if (high < high2 || (high == high2 && low < low2)) {
      const uint64_t h = high, l = low;
      low = low2 - l, high = high2 - h - (low2 < l), negative = negative2;
    } else {
      const uint64_t l = low;
      low = l - low2, high = high - high2 - (l < low2);
    }
    if ((high | low) == 0) return 0;
  }
  while (high >> 63 == 0) high = high << 1 | low >> 63, low <<= 1, --e;
  e += 127; /* of the first bit */
  s = 75;   /* bits that are rounded away */
  if (e < -1022) s = e < -1022 - 60 ? 129 : 75 + (-1022 - e);
  if (s > 128) {
    q = 0;
  } else {
    q = s == 128 ? 0 : high >> (s - 64);
    rest_high = s == 128 ? high : high & ((UINT64_C(1) << (s - 64)) - 1), rest_low = low;
    half_high = UINT64_C(1) << (s - 65), half_low = 0;
    if (rest_high > half_high || (rest_high == half_high && (rest_low > half_low || (q & 1) != 0))) ++q;
  }
  if (e >= -1022) q += (uint64_t)(e > 1023 ? 2046 : e + 1022) << 52;
  if (e > 1023) q = UINT64_C(0x7ff) << 52;
  return covec_of_word(q | (uint64_t)negative << 63);
}
#endif
)",
    R"(#if defined(FP_FAST_FMAF) || defined(__GLIBC__)
#define covec_fmaf fmaf
#else
static float covec_fmaf(float a, float b, float c) {
  /* The product is exact; the sum is made odd where it is not, so that it can be rounded again. */
  const double p = (double)a * b, s = p + c;
  if (s - s == 0) {
    const double t = s - p, error = (p - (s - t)) + (c - t);
    int64_t bits;
    double odd;
    memcpy(&bits, &s, 8);
    if (error != 0 && (bits & 1) == 0) {
      bits += (error > 0) == (s > 0) ? 1 : -1;
      memcpy(&odd, &bits, 8);
      return (float)odd;
    }
  }
  return (float)s;
}
#endif
)",
    R"(#if defined(__GNUC__)
#define COVEC_INLINE static inline __attribute__((always_inline))
#else
#define COVEC_INLINE static inline
#endif
/* Where the compiler may not count on the instruction for fma: whether the processor has it is asked. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__FMA__) && !defined(_MSC_VER)
#define COVEC_ASKS 1
#else
#define COVEC_ASKS 0
#endif
#if COVEC_ASKS && (defined(__STRICT_ANSI__) || defined(__clang__)) /* nothing is fused that is not written so */
#define COVEC_ASKS_FOR_ALL 1
#else
#define COVEC_ASKS_FOR_ALL 0
#endif
)",
    R"(#if COVEC_ASKS
#define covec_quick_fma __builtin_fma
#else
#define covec_quick_fma covec_fma
#endif
)",
    R"(#if COVEC_ASKS
#define covec_quick_fmaf __builtin_fmaf
#else
#define covec_quick_fmaf covec_fmaf
#endif
)",
};

std::vector<std::string> all_functions() {
  std::vector<std::string> all(std::begin(memory_functions), std::end(memory_functions));
  constexpr std::string_view prefix = "COVEC_FUNCTION";
  for (const auto& shared : {source::c_bit_functions(), source::c_number_functions()}) {
    for (const std::string& function : shared) all.push_back("static" + function.substr(prefix.size()));
  }
  all.insert(all.end(), std::begin(own_functions), std::end(own_functions));
  return all;
}

std::string name_of(const std::string& function) {
  size_t from = 0;
  if (const size_t macro = function.find("#define "); macro != std::string::npos) {
    from = macro + 8;
    return function.substr(from, function.find(' ', from) - from);
  }
  const size_t begin = function.find("covec_", function.find("static"));
  return function.substr(begin, function.find('(', begin) - begin);
}

}  // namespace

bool names_word(const std::string& text, const std::string& name) {
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !in_word(text[at - 1]);
    if (begins && (at + name.size() == text.size() || !in_word(text[at + name.size()]))) return true;
  }
  return false;
}

std::string file_head() {
  return R"(#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__)
#error "the file counts on IEEE arithmetic: not -ffast-math"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "the file counts on arithmetic in double and float: -msse2 -mfpmath=sse on 32-bit x86"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define COVEC_INDEPENDENT _Pragma("GCC ivdep")
#else
#define COVEC_INDEPENDENT
#endif
)";
}

// From the last to the first: each calls those before it only.
std::string used_functions(const std::string& text) {
  const std::vector<std::string> functions = all_functions();
  std::string used;
  for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
    if (names_word(text, name_of(*function)) || names_word(used, name_of(*function))) used.insert(0, *function);
  }
  return used;
}

}  // namespace covec::emit
