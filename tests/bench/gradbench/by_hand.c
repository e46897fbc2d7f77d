// GradBench's short problems in C: functions, and derivatives by hand. run.py compiles this with -O3 -march=native
// -ffp-contract=off.
#include <math.h>
#include <stdlib.h>
#include <string.h>

double lse(long n, const double* x) {
  double largest = x[0], sum = 0;
  for (long i = 1; i < n; i++) largest = fmax(largest, x[i]);
  for (long i = 0; i < n; i++) sum += exp(x[i] - largest);
  return largest + log(sum);
}

void lse_gradient(long n, const double* x, double* gradient) {
  double largest = x[0], sum = 0;
  for (long i = 1; i < n; i++) largest = fmax(largest, x[i]);
  for (long i = 0; i < n; i++) sum += gradient[i] = exp(x[i] - largest);
  for (long i = 0; i < n; i++) gradient[i] /= sum;
}

static double residual_at(long m, const double* x, double t) {
  double residual = (t > 0) - (t < 0), power = 1;
  for (long j = 0; j < m; j++) {
    residual -= x[j] * power;
    power *= t;
  }
  return residual;
}

double llsq(long m, const double* x, long n) {
  double total = 0;
  for (long i = 0; i < n; i++) {
    const double residual = residual_at(m, x, -1 + i * 2.0 / (n - 1));
    total += residual * residual;
  }
  return total / 2;
}

void llsq_gradient(long m, const double* x, long n, double* gradient) {
  memset(gradient, 0, m * sizeof(double));
  for (long i = 0; i < n; i++) {
    const double t = -1 + i * 2.0 / (n - 1);
    double term = -residual_at(m, x, t);
    for (long j = 0; j < m; j++) {
      gradient[j] += term;
      term *= t;
    }
  }
}

static void rate(long n, const double* x, const double* y, double* k) {
  k[0] = x[0];
  for (long i = 1; i < n; i++) k[i] = x[i] * y[i - 1];
}

static void moved(long n, const double* y, double h, const double* k, double* to) {
  for (long i = 0; i < n; i++) to[i] = y[i] + h * k[i];
}

// One step, with what it computes on the way: ys are where the rates ks are taken.
static void step(long n, const double* x, double h, double* y, double* ys[4], double* ks[4]) {
  memcpy(ys[0], y, n * sizeof(double));
  for (int stage = 0; stage < 4; stage++) {
    rate(n, x, ys[stage], ks[stage]);
    if (stage < 3) moved(n, y, stage < 2 ? h / 2 : h, ks[stage], ys[stage + 1]);
  }
  for (long i = 0; i < n; i++) y[i] += h / 6 * (ks[0][i] + 2 * ks[1][i] + 2 * ks[2][i] + ks[3][i]);
}

static double* allocate(long n, double* parts[], int count) {
  double* memory = calloc(n * count, sizeof(double));
  for (int i = 0; i < count; i++) parts[i] = memory + i * n;
  return memory;
}

void ode(long n, const double* x, long s, double* y) {
  double* parts[8];
  double* memory = allocate(n, parts, 8);
  memset(y, 0, n * sizeof(double));
  for (long i = 0; i < s; i++) step(n, x, 2.0 / s, y, parts, parts + 4);
  free(memory);
}

// y at the start of each step is kept; the step is computed again on the way back.
void ode_gradient(long n, const double* x, long s, double* gradient) {
  const double h = 2.0 / s;
  double* parts[11];
  double* memory = allocate(n, parts, 11);
  double *y = parts[8], *y_bar = parts[9], *k_bar = parts[10];
  double* kept = malloc(n * s * sizeof(double));
  for (long i = 0; i < s; i++) {
    memcpy(kept + i * n, y, n * sizeof(double));
    step(n, x, h, y, parts, parts + 4);
  }
  memset(gradient, 0, n * sizeof(double));
  y_bar[n - 1] = 1;
  for (long i = s - 1; i >= 0; i--) {
    double** ys = parts;
    double* sum = parts[7];  // free: the last rate is not needed
    step(n, x, h, kept + i * n, ys, parts + 4);
    memcpy(sum, y_bar, n * sizeof(double));
    double* stage_bar = parts[4];  // the cotangent of where the stage after took its rate
    memset(stage_bar, 0, n * sizeof(double));
    for (int stage = 3; stage >= 0; stage--) {
      const double own = stage == 0 || stage == 3 ? h / 6 : h / 3, next = stage == 2 ? h : stage == 3 ? 0 : h / 2;
      for (long j = 0; j < n; j++) k_bar[j] = own * y_bar[j] + next * stage_bar[j];
      gradient[0] += k_bar[0];
      for (long j = 1; j < n; j++) gradient[j] += k_bar[j] * ys[stage][j - 1];
      for (long j = 1; j < n; j++) stage_bar[j - 1] = x[j] * k_bar[j];
      stage_bar[n - 1] = 0;
      for (long j = 0; j < n; j++) sum[j] += stage_bar[j];
    }
    memcpy(y_bar, sum, n * sizeof(double));
  }
  free(kept);
  free(memory);
}

// Rows and columns that are left are linked: rows[i] follows row i, and rows[n] is the first.
static double minor(long n, const double* a, long size, long* rows, long* columns) {
  const long row = rows[n];
  long column = columns[n], before = n;
  if (size == 1) return a[row * n + column];
  double total = 0, sign = 1;
  rows[n] = rows[row];
  for (long j = 0; j < size; j++) {
    columns[before] = columns[column];
    total += sign * a[row * n + column] * minor(n, a, size - 1, rows, columns);
    columns[before] = column;
    before = column;
    column = columns[column];
    sign = -sign;
  }
  rows[n] = row;
  return total;
}

// The same; factor is the product of what was multiplied on the way down: the cotangent of this minor.
static double minor_gradient(long n, const double* a, long size, long* rows, long* columns, double factor,
                             double* gradient) {
  const long row = rows[n];
  long column = columns[n], before = n;
  if (size == 1) {
    gradient[row * n + column] += factor;
    return a[row * n + column];
  }
  double total = 0, sign = 1;
  rows[n] = rows[row];
  for (long j = 0; j < size; j++) {
    const double entry = sign * a[row * n + column];
    columns[before] = columns[column];
    const double rest = minor_gradient(n, a, size - 1, rows, columns, factor * entry, gradient);
    columns[before] = column;
    gradient[row * n + column] += factor * sign * rest;
    total += entry * rest;
    before = column;
    column = columns[column];
    sign = -sign;
  }
  rows[n] = row;
  return total;
}

static void link(long n, long* rows, long* columns) {
  for (long i = 0; i < n; i++) rows[i] = columns[i] = i + 1;
  rows[n] = columns[n] = 0;
}

double det(long n, const double* a) {
  long rows[n + 1], columns[n + 1];
  link(n, rows, columns);
  return minor(n, a, n, rows, columns);
}

void det_gradient(long n, const double* a, double* gradient) {
  long rows[n + 1], columns[n + 1];
  link(n, rows, columns);
  memset(gradient, 0, n * n * sizeof(double));
  minor_gradient(n, a, n, rows, columns, 1, gradient);
}

static long nearest(long k, long d, const double* point, const double* centroids, double* least) {
  long found = 0;
  *least = INFINITY;
  for (long j = 0; j < k; j++) {
    double square = 0;
    for (long i = 0; i < d; i++) square += (point[i] - centroids[j * d + i]) * (point[i] - centroids[j * d + i]);
    if (square < *least) {
      *least = square;
      found = j;
    }
  }
  return found;
}

double kmeans(long n, long k, long d, const double* points, const double* centroids) {
  double total = 0, least;
  for (long i = 0; i < n; i++) {
    nearest(k, d, points + i * d, centroids, &least);
    total += least;
  }
  return total;
}

// The Hessian is a diagonal: twice the number of a centroid's points.
void kmeans_direction(long n, long k, long d, const double* points, const double* centroids, double* direction) {
  double least, *counts = calloc(k, sizeof(double));
  memset(direction, 0, k * d * sizeof(double));
  for (long i = 0; i < n; i++) {
    const long j = nearest(k, d, points + i * d, centroids, &least);
    counts[j] += 2;
    for (long c = 0; c < d; c++) direction[j * d + c] += 2 * (centroids[j * d + c] - points[i * d + c]);
  }
  for (long j = 0; j < k; j++) {
    for (long c = 0; c < d; c++) direction[j * d + c] /= counts[j];
  }
  free(counts);
}
