/* A controller that runs without its session: prepared once, then called a thousand times without malloc.
 *
 *   cc main.c $(pkg-config --cflags --libs covec) */
#include <covec/covec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const program =
    "fn step(state, target) {\n"
    "  force = 8.0 * (target - state[0]) - 4.0 * state[1]\n"
    "  velocity = state[1] + 0.01 * force\n"
    "  return (stack((state[0] + 0.01 * velocity, velocity)), force)\n"
    "}\n"
    "fn read(x, i) = x[i]\n";

static void fail(const char* text) {
  fputs(text, stderr);
  exit(1);
}

static covec_worker* worker_for(covec_session* session, const char* name, const char* types) {
  covec_value* function = NULL;
  covec_prepared* prepared = NULL;
  covec_worker* worker = NULL;
  if (covec_get(session, name, &function) != COVEC_OK || covec_prepare(session, function, types, &prepared) != COVEC_OK)
    fail(covec_error_text(session));
  covec_release(function);
  if (covec_worker_open(prepared, &worker) != COVEC_OK) fail("no memory\n");
  covec_prepared_release(prepared); /* the worker holds it */
  return worker;
}

int main(void) {
  covec_session* session = covec_open(NULL);
  if (session == NULL || covec_run(session, "controller", program, NULL) != COVEC_OK) fail("no session\n");
  covec_worker* step = worker_for(session, "step", "f64[2], f64");
  covec_worker* read = worker_for(session, "read", "f64[2], i64");
  covec_close(session);

  double state[2] = {0, 0}, target = 1, force = 0;
  covec_worker_bind_input(step, 0, state);
  covec_worker_bind_input(step, 1, &target);
  covec_worker_bind_output(step, 0, state); /* all is read before anything is written */
  covec_worker_bind_output(step, 1, &force);
  for (int i = 0; i < 1000; ++i) {
    if (covec_worker_run(step) != COVEC_OK) fail(covec_worker_error_message(step));
  }
  printf("at %.3f\n", state[0]);

  double element = 0;
  int64_t place = 2;
  covec_worker_bind_input(read, 0, state);
  covec_worker_bind_input(read, 1, &place);
  covec_worker_bind_output(read, 0, &element);
  if (covec_worker_run(read) == COVEC_ERROR)
    printf("%s:%u:%u: %s error: %s\n", covec_worker_error_file(read), covec_worker_error_line(read),
           covec_worker_error_column(read), covec_worker_error_kind(read), covec_worker_error_message(read));

  covec_worker_close(read);
  covec_worker_close(step);
  return 0;
}
