/* A C host: lends Covec an array without a copy, runs a program on it, calls a function that the program defines, and
 * looks at the result in place. Build it against an installed Covec:  cc main.c $(pkg-config --cflags --libs covec) */
#include <covec/covec.h>
#include <stdio.h>

static const char program[] =
    "fn loss(w, x, y) = mean((x @ w - y)^2)\n"
    "fn step(w, x, y) = w - 0.1 * grad(loss)(w, x, y)\n";

static int fail(covec_session* session) {
  fputs(covec_error_text(session), stderr);
  covec_close(session);
  return 1;
}

int main(void) {
  const double x[4][2] = {{1, 0}, {0, 1}, {1, 1}, {2, 1}};
  const double y[4] = {3, -1, 2, 5}; /* 3 x0 - x1 */
  const double start[2] = {0, 0};
  const int64_t x_dims[2] = {4, 2}, y_dims[1] = {4}, w_dims[1] = {2};

  covec_session* session = covec_open(NULL);
  if (session == NULL) return 1;
  covec_value *step = NULL, *xs = NULL, *ys = NULL, *w = NULL;
  if (covec_run(session, "program", program, NULL) != COVEC_OK || covec_get(session, "step", &step) != COVEC_OK ||
      covec_lend(session, COVEC_F64, 2, x_dims, x, NULL, NULL, &xs) != COVEC_OK ||
      covec_lend(session, COVEC_F64, 1, y_dims, y, NULL, NULL, &ys) != COVEC_OK ||
      covec_lend(session, COVEC_F64, 1, w_dims, start, NULL, NULL, &w) != COVEC_OK) {
    return fail(session);
  }
  for (int i = 0; i < 500; ++i) {
    covec_value* const arguments[3] = {w, xs, ys};
    covec_value* next = NULL;
    if (covec_call(session, step, arguments, 3, &next) != COVEC_OK) return fail(session);
    covec_release(w);
    w = next;
  }
  covec_view view;
  if (covec_look(session, w, &view) != COVEC_OK) return fail(session);
  const double* found = view.data;
  printf("w = %.3f %.3f\n", found[0], found[view.strides[0]]);

  /* An error is a value: it says what and where, and the session goes on. */
  if (covec_run(session, "wrong", "zeros(3) + zeros(4)", NULL) == COVEC_ERROR) {
    printf("line %u: %s\n", covec_error_line(session), covec_error_message(session));
  }
  covec_release(step);
  covec_release(xs);
  covec_release(ys);
  covec_release(w);
  covec_close(session);
  return 0;
}
