/* Loads libcovec by name, lets it start threads, and unloads it while they live, again and again; threads that have run
 * sessions end only afterwards. */
#include <covec/covec.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void* find(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    printf("%s\n", dlerror());
    exit(1);
  }
  return found;
}

struct Use {
  void* library;
  pthread_barrier_t *used, *unloaded;
  int good;
};

static void* use(void* argument) {
  struct Use* self = argument;
  covec_session* (*open)(const covec_options*) =
      (covec_session * (*)(const covec_options*)) find(self->library, "covec_open");
  covec_status (*run)(covec_session*, const char*, const char*, covec_value**) =
      (covec_status(*)(covec_session*, const char*, const char*, covec_value**))find(self->library, "covec_run");
  covec_status (*close)(covec_session*) = (covec_status(*)(covec_session*))find(self->library, "covec_close");
  const covec_options options = {.threads = 4};
  covec_session* session = open(&options);
  self->good =
      run(session, "host", "@compile\nfn f(x) = sum(exp(x))\ngrad(f)(linspace(0.0, 1.0, 1000000))", NULL) == COVEC_OK;
  self->good = self->good && run(session, "host", "f(", NULL) == COVEC_ERROR;
  close(session);
  pthread_barrier_wait(self->used);
  pthread_barrier_wait(self->unloaded);
  return NULL; /* here what the library keeps by thread goes */
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (int round = 0; round < 3; ++round) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
    pthread_barrier_t used, unloaded;
    pthread_barrier_init(&used, NULL, 2);
    pthread_barrier_init(&unloaded, NULL, 2);
    struct Use self = {library, &used, &unloaded, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, use, &self);
    pthread_barrier_wait(&used);
    dlclose(library);
    usleep(20000); /* workers wake up in what was unloaded */
    pthread_barrier_wait(&unloaded);
    pthread_join(thread, NULL);
    if (!self.good) return 1;
  }
  printf("unloaded\n");
  return 0;
}
