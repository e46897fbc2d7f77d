// a exp(-x^2) + b sin x + sqrt |x| and the gradient of sin(exp(log |x|)), fused by hand: one read and one write, with
// polynomials of the accuracy that Covec has, for arguments of ordinary size (nothing here looks after the others).
#include <math.h>

#include "polynomials.h"
#include "timing.h"

enum { size = 1000 * 1000 };
static float *x32, *y32;
static double *x64, *y64;

static void f32_pass(void) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < size; ++i) {
    const float x = x32[i];
    y32[i] = 1.5f * exp32(-(x * x)) + 0.5f * sin32(x, 0) + sqrtf(fabsf(x));
  }
}
static void f64_pass(void) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < size; ++i) {
    const double x = x64[i];
    y64[i] = 1.5 * exp64(-(x * x)) + 0.5 * sin64(x) + sqrt(fabs(x));
  }
}
static int chain_size = size;
static void chain(void) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < chain_size; ++i) {
    const float x = x32[i], size_of_x = fabsf(x), e = exp32(log32(size_of_x));
    const float sign = x > 0 ? 1.0f : -1.0f;
    y32[i] = sin32(e, 1) * e / size_of_x * sign;
  }
}

// How far `got`, with so many binary digits, is off, in units in the last place.
static double units_off(long double got, long double wanted, int digits) {
  int exponent;
  frexpl(wanted, &exponent);
  return (double)(fabsl(got - wanted) / ldexpl(1, exponent - digits));
}
// The functions are within one unit, as Covec's are: against the C library's, in wider floats.
static void check_functions(double x) {
  const float z = (float)x, y = -z * z, size_of_z = fabsf(z);
  const double off[] = {units_off(sin32(z, 0), sin(z), 24), units_off(sin32(z, 1), cos(z), 24),
                        units_off(exp32(y), exp(y), 24),    units_off(log32(size_of_z), log(size_of_z), 24),
                        units_off(sin64(x), sinl(x), 53),   units_off(exp64(-x * x), expl(-(long double)(x * x)), 53)};
  for (unsigned i = 0; i < sizeof off / sizeof *off; ++i) {
    if (off[i] < 1) continue;
    fprintf(stderr, "function %u is %g units off at %g\n", i, off[i], x);
    exit(1);
  }
}

static void check(void) {
  for (int i = 1; i < 100000; ++i) check_functions(i * 7e-5);
  f32_pass();
  f64_pass();
  for (int i = 0; i < size; i += 101) {
    const double x = x64[i], wanted = 1.5 * exp(-(x * x)) + 0.5 * sin(x) + sqrt(fabs(x)), z = x32[i];
    const double wanted32 = 1.5 * exp(-(z * z)) + 0.5 * sin(z) + sqrt(fabs(z));
    if (fabs(y64[i] - wanted) > 1e-15 || fabs(y32[i] - wanted32) > 6e-7) {
      fprintf(stderr, "wrong at %g: %.17g for %.17g, %.9g for %.9g\n", x, y64[i], wanted, y32[i], wanted32);
      exit(1);
    }
  }
  chain();
  for (int i = 0; i < size; i += 101) {
    const double x = x32[i], wanted = cos(fabs(x)) * (x > 0 ? 1 : -1);
    if (fabs(y32[i] - wanted) > 1e-6) {
      fprintf(stderr, "chain wrong at %g: %.9g for %.9g\n", x, y32[i], wanted);
      exit(1);
    }
  }
}

int main(int count, char** arguments) {
  x32 = numbers(size, -0.5f), y32 = numbers(size, 0);
  x64 = aligned_alloc(64, size * sizeof(double)), y64 = aligned_alloc(64, size * sizeof(double));
  for (int i = 0; i < size; ++i) x64[i] = 4.0 * x32[i], y64[i] = 0;
  check();
  const char* const name = count > 1 ? arguments[1] : "f32";
  if (strcmp(name, "chain_10000") == 0) {
    chain_size = 10000 * 10000;
    x32 = numbers(chain_size, -0.5f), y32 = numbers(chain_size, 0);
  }
  const struct row rows[] = {
      {"f32", f32_pass}, {"f64", f64_pass}, {"chain", chain}, {"chain_10000", chain}, {NULL, NULL}};
  return report_row(rows, name);
}
