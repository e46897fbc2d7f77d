/* What a prepared call takes, with one thread: ROW is scalar, gradient, loop or threads.
 *   scalar     x -> sin(x) * x + 1: nanoseconds of covec_worker_run, and of the same in covec_call_numbers
 *   gradient   of sin(x) * y + z * z by three numbers, and its mallocs
 *   loop       a step of a controller each millisecond for three seconds: mallocs and page faults after the first one
 *   threads    calls in a second of one worker, and of two on two threads
 * Each time is the thread's own, the least of nine rounds of 100,000 calls. */
#define _GNU_SOURCE
#include <covec/covec.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* glibc's, counted: libcovec's come here, too. */
void* __libc_malloc(size_t size);
static uint64_t mallocs;
void* malloc(size_t size) {
  __atomic_fetch_add(&mallocs, 1, __ATOMIC_RELAXED);
  return __libc_malloc(size);
}

enum { rounds = 9, calls = 100000 };

static const char* const program =
    "fn f(x) = sin(x) * x + 1\n"
    "fn one(x) = x\n"
    "fn g(x, y, z) = sin(x) * y + z * z\n"
    "w = randn(12, 12)\n"
    "fn control(x) {\n"
    "  for i in range(4) { x = tanh(w @ x) + 0.1 * x }\n"
    "  return x\n"
    "}\n";

static covec_session* session;

static void need(covec_status status) {
  if (status == COVEC_OK) return;
  fputs(covec_error_text(session), stderr);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Of the thread: others may run beside it. */
static double own_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct call {
  covec_worker* worker;
  double in[16], out[16];
};

static covec_prepared* prepared(const char* function, const char* types) {
  covec_value* f = NULL;
  covec_prepared* made = NULL;
  need(covec_run(session, "function", function, &f));
  need(covec_prepare(session, f, types, &made));
  covec_release(f);
  return made;
}

/* Numbers, or one tensor. */
static void open_worker(struct call* call, const covec_prepared* made) {
  need(covec_worker_open(made, &call->worker));
  for (int i = 0; i < 16; ++i) call->in[i] = 0.5 + 0.1 * i;
  for (size_t i = 0; i < covec_prepared_inputs(made); ++i) covec_worker_bind_input(call->worker, i, call->in + i);
  for (size_t i = 0; i < covec_prepared_outputs(made); ++i) covec_worker_bind_output(call->worker, i, call->out + i);
}

static double of_worker(struct call* call) {
  double least = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const double before = own_seconds();
    for (int i = 0; i < calls; ++i) {
      call->in[0] += 1e-9;
      if (covec_worker_run(call->worker) != COVEC_OK) exit(1);
    }
    const double taken = 1e9 * (own_seconds() - before) / calls;
    if (taken < least) least = taken;
  }
  return least;
}

static double of_session(const char* function, size_t in_count, size_t out_count) {
  double least = 1e18, in[16] = {0.5, 0.6, 0.7}, out[16];
  covec_value* f = NULL;
  need(covec_run(session, "function", function, &f));
  for (int round = 0; round < rounds; ++round) {
    const double before = own_seconds();
    for (int i = 0; i < calls; ++i) {
      in[0] += 1e-9;
      need(covec_call_numbers(session, f, in, in_count, out, out_count));
    }
    const double taken = 1e9 * (own_seconds() - before) / calls;
    if (taken < least) least = taken;
  }
  covec_release(f);
  return least;
}

static void report(const char* name, const char* function, const char* types, size_t in_count, size_t out_count) {
  struct call call;
  open_worker(&call, prepared(function, types));
  covec_worker_run(call.worker);
  const uint64_t before = mallocs;
  const double taken = of_worker(&call);
  printf("%s: %.1f ns, mallocs %llu", name, taken, (unsigned long long)(mallocs - before));
  if (in_count > 0) printf("; covec_call_numbers %.1f ns", of_session(function, in_count, out_count));
  puts("");
}

static int loop(void) {
  struct call call;
  open_worker(&call, prepared("control", "f64[12]"));
  struct rusage usage;
  uint64_t mallocs_before = 0;
  long faults_before = 0;
  double next = now(), longest = 0;
  for (int step = 0; step < 3000; ++step) {
    if (step == 1000) {
      getrusage(RUSAGE_SELF, &usage);
      mallocs_before = mallocs;
      faults_before = usage.ru_minflt + usage.ru_majflt;
    }
    const double before = now();
    if (covec_worker_run(call.worker) != COVEC_OK) return 1;
    memcpy(call.in, call.out, 12 * sizeof(double));
    const double taken = now() - before;
    if (step >= 1000 && taken > longest) longest = taken;
    next += 1e6;
    while (now() < next) {
      struct timespec rest = {0, (long)(next - now() > 0 ? next - now() : 0)};
      nanosleep(&rest, NULL);
    }
  }
  getrusage(RUSAGE_SELF, &usage);
  printf("loop: mallocs %llu, page faults %ld, longest step %.1f us\n", (unsigned long long)(mallocs - mallocs_before),
         usage.ru_minflt + usage.ru_majflt - faults_before, longest * 1e-3);
  return 0;
}

static const covec_prepared* shared;
static int go;

struct done {
  double calls, seconds; /* of the thread's own time: others may run beside it */
};

static void* thread(void* result) {
  struct call call;
  open_worker(&call, shared);
  while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) {
  }
  long count = 0;
  const double before = own_seconds();
  while (__atomic_load_n(&go, __ATOMIC_RELAXED) == 1) {
    for (int i = 0; i < 100; ++i) covec_worker_run(call.worker);
    count += 100;
  }
  *(struct done*)result = (struct done){(double)count, own_seconds() - before};
  covec_worker_close(call.worker);
  return NULL;
}

/* Calls in a second of the wall's clock, and in one of each thread's own. */
static void in_a_second(int count, double* wall, double* own) {
  pthread_t threads[2];
  struct done done[2] = {{0, 1}, {0, 1}};
  __atomic_store_n(&go, 0, __ATOMIC_RELEASE);
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, thread, &done[i]);
  const double before = now();
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  const struct timespec half = {0, 500000000};
  nanosleep(&half, NULL);
  __atomic_store_n(&go, 2, __ATOMIC_RELEASE);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  const double by_wall = (done[0].calls + done[1].calls) / (now() - before) * 1e9;
  const double by_own = done[0].calls / done[0].seconds + done[1].calls / done[1].seconds;
  if (by_wall > *wall) *wall = by_wall;
  if (by_own > *own) *own = by_own;
}

static int threads(void) {
  shared = prepared("grad((x, y, z) -> sin(x) * y + z * z, wrt=(0, 1, 2))", "f64, f64, f64");
  double wall[2] = {0, 0}, own[2] = {0, 0};
  for (int round = 0; round < rounds; ++round) {
    in_a_second(1, &wall[0], &own[0]);
    in_a_second(2, &wall[1], &own[1]);
  }
  printf("threads: one %.2f M calls/s, two %.2f, ratio %.2f; by the threads' own time %.2f and %.2f, ratio %.2f\n",
         wall[0] * 1e-6, wall[1] * 1e-6, wall[1] / wall[0], own[0] * 1e-6, own[1] * 1e-6, own[1] / own[0]);
  return 0;
}

int main(int count, char** arguments) {
  const char* row = count > 1 ? arguments[1] : "scalar";
  const covec_options options = {.threads = 1};
  session = covec_open(&options);
  need(covec_run(session, "program", program, NULL));
  if (strcmp(row, "loop") == 0) return loop();
  if (strcmp(row, "threads") == 0) return threads();
  if (strcmp(row, "gradient") == 0) {
    report("gradient", "grad(g, wrt=(0, 1, 2))", "f64, f64, f64", 3, 3);
    report("gradient of a tensor", "grad(x -> sin(x[0]) * x[1] + x[2] * x[2])", "f64[3]", 0, 0);
    return 0;
  }
  report("nothing", "one", "f64", 1, 1);
  report("scalar", "f", "f64", 1, 1);
  return 0;
}
