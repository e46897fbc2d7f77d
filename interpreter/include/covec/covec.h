/* Covec for a C host: sessions, text, tensors without copies, functions, errors as values.
 *
 * A session is an interpreter with its own memory, names and random numbers. Sessions share nothing: several may run at
 * the same time on several threads, each used by one thread at a time (covec_interrupt may be called from any thread or
 * a signal handler, covec_release from any thread). Values belong to the session that made them, and may be released
 * after it was closed.
 *
 * A session that runs calls functions of the host's (output, release): they may use other sessions, look at values'
 * texts, release values and interrupt; whatever else they ask of the session that runs is COVEC_MISUSE.
 *
 * Functions that can fail give COVEC_OK or another status; the session then holds the error (covec_error_*) until
 * its next call. Nothing is printed and nothing exits. See docs/embedding.md for a tour. */
#ifndef COVEC_COVEC_H
#define COVEC_COVEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define COVEC_API __attribute__((visibility("default")))
#else
#define COVEC_API
#endif

typedef struct covec_session covec_session;
typedef struct covec_value covec_value; /* a counted handle; covec_release gives it back */

typedef enum covec_status {
  COVEC_OK = 0,
  COVEC_ERROR = 1,      /* the program's error: syntax, names, shapes, … */
  COVEC_MISUSE = 2,     /* the host's: a null handle, a value of another session, a bad dtype */
  COVEC_INTERRUPTED = 3 /* covec_interrupt was called */
} covec_status;

typedef enum covec_dtype {
  COVEC_BOOL = 0,
  COVEC_I32 = 1,
  COVEC_I64 = 2,
  COVEC_F16 = 3,  /* IEEE 754's binary16, as its 16 bits */
  COVEC_BF16 = 4, /* the upper 16 bits of an f32 */
  COVEC_F32 = 5,
  COVEC_F64 = 6
} covec_dtype;

typedef enum covec_stream { COVEC_STDOUT = 1, COVEC_STDERR = 2 } covec_stream;

/* What print and warnings write goes here; without a callback, to the process's own streams. An exception that it
 * throws ends what runs, with COVEC_ERROR. */
typedef void (*covec_output)(void* user, covec_stream stream, const char* text, size_t bytes);

/* The next line for input(), without its end: 1, or 0 at the end of the input. The text is copied before the next call.
 */
typedef int (*covec_input)(void* user, const char** line, size_t* bytes);
/* The text of a module, by the name or path that the import gives: 1, or 0 where there is none. It is copied before the
 * next call. A name means the same module wherever it is imported. */
typedef int (*covec_resolve)(void* user, const char* name, const char** text, size_t* bytes);

/* input() is permitted by an input function. */
typedef enum covec_permission {
  COVEC_MAY_READ_CLOCK = 1,
  COVEC_MAY_SLEEP = 2,
  COVEC_MAY_USE_DEVICES = 4,    /* and their drivers */
  COVEC_MAY_LOAD_LIBRARIES = 8, /* Cairo, libpng and libjpeg, for pictures */
  COVEC_MAY_IMPORT = 16         /* files in folders that may be read; built-in modules are always there */
} covec_permission;

typedef struct covec_options {
  uint64_t memory_limit; /* bytes of tensors at once; 0: three quarters of the machine's memory */
  unsigned threads;      /* for large operations; 0: all cores, 1: none beside the caller's */
  covec_output output;
  void* user;          /* handed to the host's functions */
  int use_environment; /* 1: COVEC_ENGINE, COVEC_ISA, COVEC_THREADS and COVEC_PATH count, as for the command */

  /* Who answers input() and gives the texts of modules that are not built in. Null: nobody; files. */
  covec_input input;
  covec_resolve resolve;
  /* What programs of covec_open_untrusted may do; covec_open allows everything. Lists of folders end in a null, null is
   * none. A folder that is named stays that folder, whatever takes its name later. */
  const char* const* read_folders;
  const char* const* write_folders;
  unsigned permissions; /* COVEC_MAY_…, added up */
  /* Limits. 0: none but those that always hold. */
  unsigned text_nesting;      /* open brackets in a text, at most 1000 */
  uint64_t text_bytes;        /* of each text that is run or imported, at most 16 MiB */
  uint64_t run_microseconds;  /* of one run or call, on the wall's clock: then COVEC_INTERRUPTED */
  uint64_t run_printed_bytes; /* of one run or call */
  unsigned run_calls;         /* open at once, at most 10000 */
} covec_options;

/* The elements of a tensor in place. Element [i, j] lies at (char*)data + (i*strides[0] + j*strides[1]) * size of
 * dtype; valid while the value is held. */
typedef struct covec_view {
  covec_dtype dtype;
  unsigned rank;
  const int64_t* dims;
  const int64_t* strides; /* in elements */
  const void* data;
} covec_view;

/* What a session's programs hold, in bytes, and how many blocks of memory tensors have taken so far. */
typedef struct covec_account {
  uint64_t used;
  uint64_t peak; /* the most at once, from the beginning or the last covec_reset_peak on */
  uint64_t limit;
  uint64_t allocations;
} covec_account;

COVEC_API const char* covec_version(void);

/* options may be null. Gives null only when there is no memory. */
COVEC_API covec_session* covec_open(const covec_options* options);
/* For programs that are not trusted: they reach nothing outside of the session but what the options permit. `bytes` is
 * the size of the host's covec_options. Null also where a folder cannot be opened (errno says why). */
COVEC_API covec_session* covec_open_untrusted_sized(const covec_options* options, size_t bytes);
#define covec_open_untrusted(...) covec_open_untrusted_sized((__VA_ARGS__), sizeof(covec_options))
/* COVEC_MISUSE while the session runs: it stays open then. */
COVEC_API covec_status covec_close(covec_session* session);

/* Runs a program text or file in the session's module; names that it assigns stay. `name` is what errors call the text.
 * If result is not null it receives the value of a last expression, or null when there is none. */
COVEC_API covec_status covec_run(covec_session* session, const char* name, const char* text, covec_value** result);
COVEC_API covec_status covec_run_file(covec_session* session, const char* path);

/* Module-level variables (functions too). covec_get gives COVEC_ERROR when there is no such name. */
COVEC_API covec_status covec_get(covec_session* session, const char* name, covec_value** value);
COVEC_API covec_status covec_set(covec_session* session, const char* name, covec_value* value);

/* Calls a function value with positional arguments. */
COVEC_API covec_status covec_call(covec_session* session, covec_value* function, covec_value* const* arguments,
                                  size_t count, covec_value** result);

/* A tensor on the host's memory (row-major), without a copy: Covec reads it in place and never writes to it (a program
 * that updates it updates its own copy). release(owner) is called when the last use is gone, maybe after covec_close;
 * null: the memory outlives the session. Rank 0 copies the one number. A bool must be 0 or 1. Where the status is not
 * COVEC_OK, the memory has not been lent and release is not called; release must not throw. */
COVEC_API covec_status covec_lend(covec_session* session, covec_dtype dtype, unsigned rank, const int64_t* dims,
                                  const void* data, void (*release)(void* owner), void* owner, covec_value** value);

/* The elements of a numeric value, in place. COVEC_ERROR when the value is no tensor. */
COVEC_API covec_status covec_look(covec_session* session, covec_value* value, covec_view* view);

/* How print would write a value, made once and valid until the value is released; "?" where memory does not suffice.
 * A string may hold zero bytes: covec_text_bytes gives the length of its text. Null and 0 while the session runs on
 * another thread. covec_release may come from any thread: while the session runs on another one, the value goes when
 * that call ends. */
COVEC_API const char* covec_text(covec_value* value);
COVEC_API size_t covec_text_bytes(covec_value* value);
COVEC_API void covec_release(covec_value* value);

COVEC_API covec_status covec_memory(covec_session* session, covec_account* account);
COVEC_API covec_status covec_reset_peak(covec_session* session);

/* The last error: the whole text with place and calls, and its parts. Empty and 0 when there is none. A zero byte in it
 * is written \0. */
COVEC_API const char* covec_error_text(const covec_session* session);
COVEC_API const char* covec_error_message(const covec_session* session);
COVEC_API unsigned covec_error_line(const covec_session* session);

/* Makes what runs stop at its next step with COVEC_INTERRUPTED; forgotten where nothing runs. covec_interrupt_next is
 * remembered until a run or call has given COVEC_INTERRUPTED: one that comes just before a run stops it. Safe in signal
 * handlers and from other threads. */
COVEC_API void covec_interrupt(covec_session* session);
COVEC_API void covec_interrupt_next(covec_session* session);

#ifdef __cplusplus
}
#endif
#endif
