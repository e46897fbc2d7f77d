/* Preloaded into the command by memory_test.py: a machine with little memory, and an allocator that has none. Both
   begin with the session, which asks for the machine's memory; what the process did before is not counted.

     MACHINE_MEMORY=bytes   what the machine has
     HEAP_ROOM=bytes        allocations beyond them fail, until others have been freed
     FAIL_AT=n              the n-th allocation fails
     COUNT_FILE=path        gets the number of allocations */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

static atomic_int begun;
static atomic_llong count, live;
static long long room = -1, fail_at = -1;

static long long number(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? -1 : atoll(text);
}

long sysconf(int name) {
  static long (*real)(int);
  if (real == NULL) real = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  if (name != _SC_PHYS_PAGES) return real(name);
  const long long bytes = number("MACHINE_MEMORY");
  room = number("HEAP_ROOM");
  fail_at = number("FAIL_AT");
  begun = 1;
  return bytes < 0 ? real(name) : (long)(bytes / 4096);
}

static int refused(size_t bytes) {
  if (!begun) return 0;
  const long long now = ++count;
  const int fails = now == fail_at || (room >= 0 && live + (long long)bytes > room);
  if (fails) errno = ENOMEM;
  return fails;
}

static void* taken(void* block) {
  if (begun && block != NULL) live += (long long)malloc_usable_size(block);
  return block;
}

static void given_back(void* block) {
  if (begun && block != NULL) live -= (long long)malloc_usable_size(block);
}

void* malloc(size_t bytes) { return refused(bytes) ? NULL : taken(__libc_malloc(bytes)); }
void* calloc(size_t n, size_t bytes) { return refused(n * bytes) ? NULL : taken(__libc_calloc(n, bytes)); }
void* memalign(size_t alignment, size_t bytes) {
  return refused(bytes) ? NULL : taken(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = memalign(alignment, bytes);
  return *block == NULL ? ENOMEM : 0;
}
void* realloc(void* block, size_t bytes) {
  if (refused(bytes)) return NULL;
  given_back(block);
  return taken(__libc_realloc(block, bytes));
}
void free(void* block) {
  given_back(block);
  __libc_free(block);
}

__attribute__((destructor)) static void tell(void) {
  const char* path = getenv("COUNT_FILE");
  FILE* file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%lld\n", (long long)count);
  fclose(file);
}
