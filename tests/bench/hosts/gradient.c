/* The compiled gradient of three numbers, shared by the host, in ns: what hosts/python.py is compared with. */
#include <covec/covec.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 20000, ROUNDS = 40 };

static covec_session* session;

static void need(covec_status status) {
  if (status == COVEC_OK) return;
  fputs(covec_error_text(session), stderr);
  exit(1);
}

static void release(void* owner) { (void)owner; }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void) {
  const double x[3] = {1, 2, 3};
  const int64_t dims[1] = {3};
  covec_value *function = NULL, *gradient = NULL;
  double least = 1e9, sum = 0;
  session = covec_open(NULL);
  need(covec_run(session, "gradient", "compile(x -> sum(x * x))", &function));
  need(covec_grad(session, function, NULL, &gradient));
  for (int round = 0; round < ROUNDS; ++round) {
    const double begin = now();
    for (int i = 0; i < CALLS; ++i) {
      covec_value *in = NULL, *out = NULL;
      covec_view view;
      need(covec_lend(session, COVEC_F64, 1, dims, x, release, NULL, &in));
      need(covec_call(session, gradient, &in, 1, &out));
      need(covec_look(session, out, &view));
      sum += *(const double*)view.data;
      covec_release(in);
      covec_release(out);
    }
    const double taken = (now() - begin) / CALLS;
    if (taken < least) least = taken;
  }
  printf("%.0f\n", least);
  return sum == 2.0 * CALLS * ROUNDS ? 0 : 1;
}
