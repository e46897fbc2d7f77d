#include "jit/emit/products.hpp"

#include "jit/emit/frame.hpp"
#include "jit/source/filled.hpp"

namespace covec::emit {

namespace {

// Each element is a sum of blocks of 512 terms, added in order, and each block one chain of fma from 0: as the library
// multiplies (stdlib/ops/linalg). The terms of up to 64 elements are added side by side: the loops over `w` elements
// have known counts where they are compiled, so that compilers vectorize them, GCC from -O2 on.
constexpr const char* text = R"(/* a @ b, each element in blocks of 512 terms, each block a chain of fma from 0. */
typedef struct {
  int64_t m, n, k;
  const {T}* a;
  int64_t a_row, a_column;
  const {T}* b;
  int64_t b_row;
  {T}* c;
  int64_t c_row;
} {NAME}_of;
COVEC_INLINE int64_t {NAME}_least(int64_t a, int64_t b) { return a < b ? a : b; }
COVEC_INLINE {T} {NAME}_add(int quick, {T} a, {T} b, {T} c) {
  return quick ? covec_quick_{FMA}(a, b, c) : covec_{FMA}(a, b, c);
}
/* w elements each at (0, j), (i1, j + j1), (i2, j + j2) and (i3, j + j3), which may be the same ones. */
COVEC_INLINE void {NAME}_tile(int quick, int w, {NAME}_of p, int64_t i1, int64_t i2, int64_t i3, int64_t j,
                              int64_t j1, int64_t j2, int64_t j3) {
  {T} x0[{TWICE}], x1[{TWICE}], x2[{TWICE}], x3[{TWICE}];
  const {T} *a = p.a, *b = p.b + j;
  {T} *const c0 = p.c + j, *const c1 = c0 + i1 * p.c_row + j1, *const c2 = c0 + i2 * p.c_row + j2,
      *const c3 = c0 + i3 * p.c_row + j3;
  int64_t t = 0, end;
  int v;
  do {
    end = p.k - t > 512 ? t + 512 : p.k;
    for (v = 0; v < w; ++v) x0[v] = x1[v] = x2[v] = x3[v] = 0;
    for (int64_t s = t; s < end; ++s, a += p.a_column, b += p.b_row) {
      const {T} a0 = a[0], a1 = a[i1 * p.a_row], a2 = a[i2 * p.a_row], a3 = a[i3 * p.a_row];
      for (v = 0; v < w; ++v) x0[v] = {NAME}_add(quick, a0, b[v], x0[v]);
      for (v = 0; v < w; ++v) x1[v] = {NAME}_add(quick, a1, b[j1 + v], x1[v]);
      for (v = 0; v < w; ++v) x2[v] = {NAME}_add(quick, a2, b[j2 + v], x2[v]);
      for (v = 0; v < w; ++v) x3[v] = {NAME}_add(quick, a3, b[j3 + v], x3[v]);
    }
    for (v = 0; t > 0 && v < w; ++v) x0[v] += c0[v], x1[v] += c1[v], x2[v] += c2[v], x3[v] += c3[v];
    for (v = 0; v < w; ++v) c0[v] = x0[v];
    for (v = 0; v < w; ++v) c1[v] = x1[v];
    for (v = 0; v < w; ++v) c2[v] = x2[v];
    for (v = 0; v < w; ++v) c3[v] = x3[v];
    t = end;
  } while (t < p.k);
}
COVEC_INLINE void {NAME}_row(int quick, int w, {NAME}_of p) {
  int64_t j, first, rest;
  for (j = 0; j < p.n; j += 4 * w) {
    first = {NAME}_least(j, p.n - w), rest = p.n - w - first;
    {NAME}_tile(quick, w, p, 0, 0, 0, first, {NAME}_least(w, rest), {NAME}_least(2 * w, rest),
                {NAME}_least(3 * w, rest));
  }
}
/* Of four rows each, then of one that is left; pieces of w columns, of which there are as many or more. */
COVEC_INLINE void {NAME}_rows(int quick, int w, {NAME}_of p) {
  int64_t j, i2, i3;
  for (; p.m > 1; p.m -= 4, p.a += 4 * p.a_row, p.c += 4 * p.c_row) {
    i2 = {NAME}_least(2, p.m - 1), i3 = {NAME}_least(3, p.m - 1);
    for (j = 0; j < p.n; j += w) {
      if (p.n - j > w && p.n >= 2 * w) {
        {NAME}_tile(quick, 2 * w, p, 1, i2, i3, {NAME}_least(j, p.n - 2 * w), 0, 0, 0);
        j += w;
      } else {
        {NAME}_tile(quick, w, p, 1, i2, i3, {NAME}_least(j, p.n - w), 0, 0, 0);
      }
    }
  }
  if (p.m != 1) return;
  if (p.n > 4 * w)
    {NAME}_row(quick, 2 * w, p);
  else
    {NAME}_row(quick, w, p);
}
COVEC_INLINE void {NAME}_all(int quick, {NAME}_of p) {
  if (p.n >= {WIDTH})
    {NAME}_rows(quick, {WIDTH}, p);
  else if (p.n >= {HALF})
    {NAME}_rows(quick, {HALF}, p);
  else
    {NAME}_rows(quick, 1, p);
}
#if COVEC_ASKS
__attribute__((target("fma"))) static void {NAME}_quick({PARAMETERS}) {
  __asm__("" : "+r"(k)); /* of which GCC must not know that it is some: it keeps x0 to x3 in memory then */
  {
    const {NAME}_of p = {m, n, k, a, a_row, a_column, b, b_row, c, c_row};
    {NAME}_all(1, p);
  }
}
#endif
static void {NAME}({PARAMETERS}) {
  const {NAME}_of p = {m, n, k, k > 0 ? a : c, a_row, a_column, k > 0 ? b : c, b_row, c, c_row};
#if COVEC_ASKS
  if (__builtin_cpu_supports("fma"))
    {NAME}_quick(m, n, k, p.a, a_row, a_column, p.b, b_row, c, c_row);
  else
    {NAME}_rows(0, 1, p);
#else
  {NAME}_all(0, p);
#endif
}
)";

constexpr const char* parameters = R"(int64_t m, int64_t n, int64_t k, const {T}* a, int64_t a_row, int64_t a_column,
    const {T}* b, int64_t b_row, {T}* c, int64_t c_row)";

}  // namespace

std::string product_function(File& file, Dtype dtype) {
  constexpr size_t vector_bytes = 32;  // a register of AVX
  const auto width = [&](size_t part) { return std::to_string(vector_bytes * part / 2 / size_of(dtype)); };
  const std::string type = number_type(dtype);
  return file.function("matmul_" + std::string(name_of(dtype)),
                       source::filled(text, {{"{T}", type},
                                             {"{FMA}", dtype == Dtype::f32 ? "fmaf" : "fma"},
                                             {"{HALF}", width(1)},
                                             {"{WIDTH}", width(2)},
                                             {"{TWICE}", width(4)},
                                             {"{PARAMETERS}", source::filled(parameters, {{"{T}", type}})}}));
}

}  // namespace covec::emit
