/* What it costs a host to call a function of one number, with one thread: ROW is WAY.FUNCTION; the way is `handles`
 * (lend, call, look, release) or `numbers` (covec_call_numbers), the function plain, compiled, annotated or both. */
#include <covec/covec.h>

#include "../limits/timing.h"

static covec_session* session;
static covec_value* function;
static double x, sum;

static void need(covec_status status) {
  if (status == COVEC_OK) return;
  fputs(covec_error_text(session), stderr);
  exit(1);
}

static void by_handles(void) {
  covec_value *in = NULL, *out = NULL;
  covec_view view;
  x += 1e-6;
  need(covec_lend(session, COVEC_F64, 0, NULL, &x, NULL, NULL, &in));
  need(covec_call(session, function, &in, 1, &out));
  need(covec_look(session, out, &view));
  sum += *(const double*)view.data;
  covec_release(in);
  covec_release(out);
}

static void by_numbers(void) {
  double y;
  x += 1e-6;
  need(covec_call_numbers(session, function, &x, 1, &y, 1));
  sum += y;
}

int main(int count, char** arguments) {
  const struct row rows[] = {{"handles", by_handles}, {"numbers", by_numbers}, {NULL, NULL}};
  const char* const row = count > 1 ? arguments[1] : "numbers.plain";
  const char* const name = strchr(row, '.');
  const covec_options options = {.threads = 1};
  char way[16] = "";
  session = covec_open(&options);
  if (name == NULL || (size_t)(name - row) >= sizeof way) return 2;
  memcpy(way, row, (size_t)(name - row));
  need(covec_run(session, "calls",
                 "fn plain(x) = sin(x) * x + 1\n@compile\nfn compiled(x) = sin(x) * x + 1\n"
                 "fn annotated(x: f64) = sin(x) * x + 1\n@compile\nfn both(x: f64) = sin(x) * x + 1",
                 NULL));
  need(covec_get(session, name + 1, &function));
  return report_row(rows, way);
}
