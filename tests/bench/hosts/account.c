/* What one call takes: the program on standard input names `made`, which gives a function without arguments, and
 * `tensors`, which counts those of a result. Prints, as its argument says: bytes: the most that are held at once, what
 * the function was given and its result included; blocks: those that it takes from the session's pool beyond its
 * result's; mallocs: those of the process; making: the nanoseconds of the first call beyond the second, from the best
 * of five sessions. The others are those of the third call. */
#include <covec/covec.h>
#include <math.h>

#include "../limits/timing.h"

static covec_session* session;

/* glibc's, counted: libcovec's come here, too. */
void* __libc_malloc(size_t size);
static uint64_t mallocs;
void* malloc(size_t size) {
  __atomic_fetch_add(&mallocs, 1, __ATOMIC_RELAXED);
  return __libc_malloc(size);
}

static void need(covec_status status) {
  if (status == COVEC_OK) return;
  fputs(covec_error_text(session), stderr);
  exit(1);
}

static covec_account account(void) {
  covec_account now;
  need(covec_memory(session, &now));
  return now;
}

static char* text_of_input(void) {
  size_t size = 0, room = 1 << 16;
  char* text = malloc(room);
  while (text != NULL) {
    size += fread(text + size, 1, room - 1 - size, stdin);
    if (size < room - 1) break;
    text = realloc(text, room *= 2);
  }
  if (text == NULL) exit(1);
  text[size] = 0;
  return text;
}

/* Opens a session; the account is that of the program before it has made anything. */
static covec_value* opened(const char* text, covec_account* empty) {
  const covec_options options = {.use_environment = 1};
  covec_value* call = NULL;
  session = covec_open(&options);
  need(covec_run(session, "case", text, NULL));
  *empty = account();
  need(covec_run(session, "made", "call = made()", NULL));
  need(covec_get(session, "call", &call));
  return call;
}

static double nanoseconds_of(covec_value* call, covec_value** result) {
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  need(covec_call(session, call, NULL, 0, result));
  clock_gettime(CLOCK_MONOTONIC, &b);
  return 1e9 * (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec);
}

static int64_t tensors(covec_value* result) {
  covec_value *counts = NULL, *count = NULL;
  covec_view view;
  need(covec_get(session, "tensors", &counts));
  need(covec_call(session, counts, &result, 1, &count));
  need(covec_look(session, count, &view));
  const int64_t number = *(const int64_t*)view.data;
  covec_release(count);
  covec_release(counts);
  return number;
}

static double making(const char* text) {
  double first = INFINITY, second = INFINITY;
  for (int again = 0; again < 5; ++again) {
    covec_account empty;
    covec_value *call = opened(text, &empty), *result = NULL;
    first = fmin(first, nanoseconds_of(call, &result));
    covec_release(result);
    second = fmin(second, nanoseconds_of(call, &result));
    covec_release(result);
    covec_release(call);
    covec_close(session);
  }
  return first - second;
}

static double taken(const char* text, const char* what) {
  covec_account empty;
  covec_value *call = opened(text, &empty), *result = NULL;
  for (int again = 0; again < 2; ++again) {
    nanoseconds_of(call, &result);
    covec_release(result);
  }
  need(covec_reset_peak(session));
  const uint64_t before = account().allocations, mallocs_before = mallocs;
  nanoseconds_of(call, &result);
  const uint64_t made = mallocs - mallocs_before;
  const covec_account after = account();
  const int64_t blocks = (int64_t)(after.allocations - before) - tensors(result);
  covec_release(result);
  covec_release(call);
  covec_close(session);
  if (strcmp(what, "mallocs") == 0) return (double)made;
  return strcmp(what, "bytes") == 0 ? (double)(after.peak - empty.used) : (double)blocks;
}

int main(int count, char** arguments) {
  char* text = text_of_input();
  const char* what = count > 1 ? arguments[1] : "bytes";
  printf("%.0f\n", strcmp(what, "making") == 0 ? making(text) : taken(text, what));
  free(text);
  return 0;
}
