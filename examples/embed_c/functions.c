/* A C host whose program calls back: a table of the host's as a function of the language, with a rule for its
 * derivative that gradients use. Build it against an installed Covec:  cc functions.c $(pkg-config --cflags --libs
 * covec) */
#include <covec/covec.h>
#include <stdio.h>

typedef struct table {
  size_t count;
  double first, step;
  const double* rows;
} table;

/* Linear between the rows. */
static covec_value* look_up(void* user, covec_session* session, covec_value* const* arguments, size_t count) {
  const table* t = user;
  (void)count; /* as many as there are names of parameters */
  double x;
  if (covec_get_number(session, arguments[0], &x) != COVEC_OK) return NULL; /* the call fails as that has failed */
  const double at = (x - t->first) / t->step;
  if (!(at >= 0 && at < (double)(t->count - 1))) {
    covec_fail(session, "value", "x lies beyond the table");
    return NULL;
  }
  const size_t row = (size_t)at;
  const double part = at - (double)row;
  covec_value* result = NULL;
  covec_number(session, t->rows[row] * (1 - part) + t->rows[row + 1] * part, &result);
  return result;
}

static const char program[] =
    "fn density_rule(x, y, ct) = ct * (density(x + 0.01) - density(x - 0.01)) / 0.02\n" /* density is looked up at the
                                                                                           call */
    "density = none\n";

static const char use[] =
    "@compile\n"
    "fn mass(x) {\n"
    "    total = 0.0\n"
    "    for i in range(1, 5) { total += density(x * i) }\n"
    "    return total\n"
    "}\n"
    "print(mass(0.5), grad(mass)(0.5))\n";

static int fail(covec_session* session) {
  fputs(covec_error_text(session), stderr);
  covec_close(session);
  return 1;
}

int main(void) {
  static const double rows[] = {1, 2, 4, 8};
  table density = {4, 0, 1, rows};
  static const char* const names[] = {"x", NULL};

  covec_session* session = covec_open(NULL);
  if (session == NULL) return 1;
  covec_value *rule = NULL, *function = NULL;
  if (covec_run(session, "rule", program, NULL) != COVEC_OK || covec_get(session, "density_rule", &rule) != COVEC_OK)
    return fail(session);
  const covec_function_options options = {
      .callback = look_up, .user = &density, .parameters = names, .result = "f64", .pure = 1, .reverse = rule};
  if (covec_function(session, "density", &options, &function) != COVEC_OK ||
      covec_set(session, "density", function) != COVEC_OK || covec_run(session, "use", use, NULL) != COVEC_OK)
    return fail(session);
  /* An error of the host's has its place in the program. */
  if (covec_run(session, "beyond", "x = 5\ny = density(x)", NULL) == COVEC_ERROR)
    printf("line %u: %s\n", covec_error_line(session), covec_error_message(session));
  covec_release(rule);
  covec_release(function);
  covec_close(session);
  return 0;
}
