/* A tensor of 1000 × 1000 f64 from a host into a compiled function and back. Nothing may be copied: the result must lie
 * where the host's array lies. Prints the nanoseconds of one round trip, three times. */
#include <covec/covec.h>

#include "../limits/timing.h"

static covec_session* session;
static covec_value* identity;
static double* numbers_of_host;

static void stop(const char* text) {
  fprintf(stderr, "%s\n", text);
  exit(1);
}

static void round_trip(void) {
  const int64_t dims[2] = {1000, 1000};
  covec_value *in = NULL, *out = NULL;
  covec_view view;
  if (covec_lend(session, COVEC_F64, 2, dims, numbers_of_host, NULL, NULL, &in) != COVEC_OK ||
      covec_call(session, identity, &in, 1, &out) != COVEC_OK || covec_look(session, out, &view) != COVEC_OK) {
    stop(covec_error_text(session));
  }
  if (view.data != numbers_of_host) stop("the elements were copied");
  covec_release(in);
  covec_release(out);
}

int main(void) {
  session = covec_open(NULL);
  numbers_of_host = calloc(1000 * 1000, sizeof(double));
  if (covec_run(session, "marshal", "@compile\nfn identity(x) = x", NULL) != COVEC_OK ||
      covec_get(session, "identity", &identity) != COVEC_OK) {
    stop(covec_error_text(session));
  }
  report(round_trip);
  covec_release(identity);
  covec_close(session);
  return 0;
}
