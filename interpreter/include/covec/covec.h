/* Covec for a C host: sessions, text, functions, values without copies, errors as data.
 *
 * A session is an interpreter with its own memory, names and random numbers. Sessions share nothing: several may run at
 * the same time on several threads. Values belong to the session that made them.
 *
 * What holds for each function, unless it says otherwise:
 *
 * Ownership. A covec_value* that a function stores through a covec_value** is a new handle of the caller's, who gives
 * it back by covec_release, before or after covec_close. Arguments stay the caller's. A text that a function gives ends
 * with a zero byte; one that belongs to a value is valid until that value is released, one of an error until the
 * session's next call.
 *
 * Threads. A session is used by one thread at a time: a call from a second one is COVEC_MISUSE and changes nothing.
 * covec_interrupt and covec_interrupt_next may come from any thread or a signal handler, covec_release, covec_text,
 * covec_text_bytes and covec_kind_of from any thread. A session that runs calls functions of the host's (output,
 * release): they may use other sessions, read texts, release values and interrupt; whatever else they ask of the
 * session that runs is COVEC_MISUSE. Functions that programs call (covec_function) may do more.
 *
 * Errors. Functions that can fail give COVEC_OK or another status; the session then holds the error (covec_error_*)
 * until its next call, a handle that was asked for is null, and other outputs are as they were. Null for a session, a
 * value or an output that must be there, null for an array with a count, and a value of another session are
 * COVEC_MISUSE. Nothing is printed and nothing exits.
 *
 * Cost. A call takes tens of nanoseconds beside what it does. A function that makes a value of parts takes time in
 * proportion to their number, and one that names a part of a value none of its size; nothing copies elements of tensors
 * unless it says so.
 *
 * Later versions add names, constants of enumerations, and fields at the end of the structs of options, and change none
 * that are here. See docs/embedding.md for a tour. */
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
  COVEC_F64 = 6,
  COVEC_I8 = 7,
  COVEC_U8 = 8,
  COVEC_U16 = 9,
  COVEC_U32 = 10,
  COVEC_I16 = 11
} covec_dtype;

typedef enum covec_kind {
  COVEC_NONE = 0,
  COVEC_NUMBER = 1, /* a tensor of rank 0 */
  COVEC_TENSOR = 2, /* of rank 1 to 16 */
  COVEC_STRING = 3,
  COVEC_TUPLE = 4,
  COVEC_LIST = 5,
  COVEC_RECORD = 6,
  COVEC_MAP = 7,
  COVEC_FUNCTION = 8,
  COVEC_MODULE = 9,
  COVEC_OTHER = 10,  /* range(3), zip(…) */
  COVEC_COMPLEX = 11 /* a complex number or tensor */
} covec_kind;

typedef enum covec_stream { COVEC_STDOUT = 1, COVEC_STDERR = 2 } covec_stream;

/* What print and warnings write goes here; without a callback, to the process's own streams. An exception that it
 * throws ends what runs, with COVEC_ERROR. */
typedef void (*covec_output)(void* user, covec_stream stream, const char* text, size_t bytes);

/* A form of what a value looks like. */
typedef enum covec_form {
  COVEC_TEXT = 0, /* what the command's prompt shows */
  COVEC_HTML = 1, /* a table: a piece of a page, without scripts and colours */
  COVEC_SVG = 2,  /* a figure */
  COVEC_PNG = 3   /* a figure, as the bytes of a file */
} covec_form;

/* Shows what a program shows by plot.show or table.show: the value, and its text with the end of a line. The callback
 * asks covec_display for the value's other forms; what it may do, and what becomes of covec_fail and of exceptions, is
 * as for covec_callback. The handle is the library's and ends with the call. Without a callback the text goes to
 * `output`. */
typedef void (*covec_show)(void* user, covec_session* session, covec_value* value, const char* text, size_t bytes);

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
  COVEC_MAY_IMPORT = 16,        /* files in folders that may be read; built-in modules are always there */
  COVEC_MAY_COMMUNICATE = 32    /* with other ranks, by the module `parallel` */
} covec_permission;

/* Ranks: processes of the host that run the same programs together, as the module `parallel` has them. The host's
 * functions move bytes between them, as MPI does; covec/mpi.hpp has them for an MPI_Comm. Each gives 0, or the number
 * of an error, which ends what runs with COVEC_ERROR. One operation runs at a time. What it was given stays there until
 * it is complete, also after an interrupt; the functions and `user` until the session is closed. An operation may be
 * complete when its start returns, or later, whenever `is_complete` says so. */
typedef struct covec_ranks {
  size_t bytes; /* sizeof(covec_ranks): later versions add fields at the end */
  int rank;     /* of this process, from 0 */
  int size;     /* how many there are; 1 needs no functions */
  void* user;   /* handed to the functions */
  /* Starts to gather sizes[i] bytes of each rank i in `all`, one after the other; sizes[rank] of them are at `mine`.
   * All sizes together are less than 2^31. */
  int (*all_gather)(void* user, const void* mine, const int* sizes, void* all);
  /* Starts to send given[i] bytes of `mine` to each rank i, one after the other, and to get taken[i] bytes of each in
   * `all`. Few ranks may have any. All of `given` are less than 2^31 together, and so are those of `taken`. */
  int (*all_to_all)(void* user, const void* mine, const int* given, void* all, const int* taken);
  /* Starts to send bytes to the rank `to`, and to get bytes of the rank `from`; -1: nobody. Those two ranks do the same
   * with this one, and others need not. What one rank sends another comes in the order in which it was sent. */
  int (*exchange)(void* user, const void* mine, int bytes, int to, void* received, int received_bytes, int from);
  /* Whether what was started is complete. It is asked again and again, and must not wait. */
  int (*is_complete)(void* user, int* complete);
  /* A rank that waits so long for the others fails, and can do no more with them; 0: it waits for ever. */
  uint64_t wait_microseconds;
} covec_ranks;

/* Zeros are the usual options. Later versions add fields at the end. */
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

  /* The ranks that run the session's programs together, each in a session of its own. Null: this one runs them alone.
   * It is copied. What programs print goes to the output of rank 0 alone. */
  const covec_ranks* ranks;

  covec_show show; /* null: texts of figures and tables go to `output` */
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

/* --- sessions --- */

/* "0.5.0", or "0.5.0.dev0" before its release. From any thread. */
COVEC_API const char* covec_version(void);

/* Opens a session in less than a millisecond, on any thread. `options` may be null; `bytes` is the size of the host's
 * covec_options: fields behind it are zero. Null where there is no memory, where a field is set that this version of
 * the library does not know, and where `ranks` has no such rank or lacks a function (errno is EINVAL then). */
COVEC_API covec_session* covec_open_sized(const covec_options* options, size_t bytes);
/* The same with the size that this header knows. (The function of this name, for programs of version 0.4 and those that
 * look it up at run time, takes the fields up to use_environment.) */
COVEC_API covec_session* covec_open(const covec_options* options);
#define covec_open(...) covec_open_sized((__VA_ARGS__), sizeof(covec_options))
/* For programs that are not trusted: they reach nothing outside of the session but what the options permit. Null as
 * above, and where a folder cannot be opened (errno says why). */
COVEC_API covec_session* covec_open_untrusted_sized(const covec_options* options, size_t bytes);
#define covec_open_untrusted(...) covec_open_untrusted_sized((__VA_ARGS__), sizeof(covec_options))
/* Null does nothing. COVEC_MISUSE while the session runs: it stays open then. Its names let their values go, as far as
 * these are not held; those that are keep their memory. */
COVEC_API covec_status covec_close(covec_session* session);

/* Makes what runs stop at its next step with COVEC_INTERRUPTED; forgotten where nothing runs. covec_interrupt_next is
 * remembered until a run or call has given COVEC_INTERRUPTED: one that comes just before a run stops it. Safe in signal
 * handlers and from other threads. */
COVEC_API void covec_interrupt(covec_session* session);
COVEC_API void covec_interrupt_next(covec_session* session);

COVEC_API covec_status covec_memory(covec_session* session, covec_account* account);
COVEC_API covec_status covec_reset_peak(covec_session* session);

/* A profile of all that the session runs from here on, on this thread, until covec_profile_end: a thousand times a
 * second it is noted where the program is. Meanwhile the process's SIGPROF is the session's. COVEC_ERROR where the
 * system gives no timer, COVEC_MISUSE where a profile is being taken. */
COVEC_API covec_status covec_profile_begin(covec_session* session);
/* Ends it, on the same thread (COVEC_MISUSE elsewhere), and gives a record of three strings: `table`, shares of time by
 * line, function and kernel; `svg`, a flame graph that a browser shows; `speedscope`, JSON for https://speedscope.app.
 * `name` is what the latter two are called; null: "host". `profile` may be null. */
COVEC_API covec_status covec_profile_end(covec_session* session, const char* name, covec_value** profile);

/* --- programs and names --- */

/* Runs a program text or file in the session's module; names that it assigns stay. `name` is what errors call the text;
 * null: "host". If result is not null it receives the value of a last expression, or null when there is none. */
COVEC_API covec_status covec_run(covec_session* session, const char* name, const char* text, covec_value** result);
COVEC_API covec_status covec_run_file(covec_session* session, const char* path);
/* Runs a text in a scope of its own, as the body of a function: the names that it assigns are not the session's, whose
 * names it can read. Gives the last function that it defines outside of blocks; COVEC_ERROR where there is none. */
COVEC_API covec_status covec_define(covec_session* session, const char* name, const char* text, covec_value** function);

/* Module-level variables (functions too). covec_get gives COVEC_ERROR when there is no such name. covec_set takes the
 * names that a program could assign: a keyword is COVEC_MISUSE. */
COVEC_API covec_status covec_get(covec_session* session, const char* name, covec_value** value);
COVEC_API covec_status covec_set(covec_session* session, const char* name, covec_value* value);
/* The names of all module-level variables that have values, as a list of strings, in order of definition. */
COVEC_API covec_status covec_names(covec_session* session, covec_value** names);
/* A builtin of the language by its name: "sin", "vjp", "stack". COVEC_ERROR when there is none. */
COVEC_API covec_status covec_builtin(covec_session* session, const char* name, covec_value** value);

/* --- calls --- */

/* Calls a function value with positional arguments. `result` may be null. */
COVEC_API covec_status covec_call(covec_session* session, covec_value* function, covec_value* const* arguments,
                                  size_t count, covec_value** result);
/* The same, where the last `named` of the `count` arguments are given by name. */
COVEC_API covec_status covec_call_named(covec_session* session, covec_value* function, covec_value* const* arguments,
                                        size_t count, const char* const* names, size_t named, covec_value** result);
/* Calls a function that gives a tuple of `result_count` values and stores a handle of each. COVEC_ERROR where it gives
 * something else; all results are null then. */
COVEC_API covec_status covec_call_many(covec_session* session, covec_value* function, covec_value* const* arguments,
                                       size_t count, covec_value** results, size_t result_count);
/* Calls a function value with numbers (f64) and stores the numbers of its result, as covec_read_numbers does. One
 * crossing, no handles: the way for small functions that are called often. COVEC_ERROR where the result has not
 * `out_count` numbers or something else than numbers. */
COVEC_API covec_status covec_call_numbers(covec_session* session, covec_value* function, const double* in,
                                          size_t in_count, double* out, size_t out_count);

/* --- functions made of functions ---
 *
 * compile(f), grad(f), value_and_grad(f), jacobian(f) and vmap(f) of the language, for a function value. `wrt` says by
 * which parameters: a number, a name or a tuple of them; null: the first. `in_axes` is that of the language; null: the
 * first axis of each argument. Other options: covec_builtin and covec_call_named. Code is made at the first call. */
COVEC_API covec_status covec_compile(covec_session* session, covec_value* function, covec_value** compiled);
COVEC_API covec_status covec_grad(covec_session* session, covec_value* function, covec_value* wrt,
                                  covec_value** gradient);
COVEC_API covec_status covec_value_and_grad(covec_session* session, covec_value* function, covec_value* wrt,
                                            covec_value** both);
COVEC_API covec_status covec_jacobian(covec_session* session, covec_value* function, covec_value* wrt,
                                      covec_value** jacobian);
COVEC_API covec_status covec_vmap(covec_session* session, covec_value* function, covec_value* in_axes,
                                  covec_value** mapped);
/* The names of a function's parameters, as a list of strings. */
COVEC_API covec_status covec_parameters(covec_session* session, covec_value* function, covec_value** names);
/* What is known of a function, as a record of strings: `name`; `signature`, "f(x, y=2.0)" as its definition writes it,
 * or the name alone; `doc`, the comment above its definition, or "". */
COVEC_API covec_status covec_about(covec_session* session, covec_value* function, covec_value** record);

/* --- handles --- */

/* What a value is. From any thread; null is COVEC_NONE. */
COVEC_API covec_kind covec_kind_of(const covec_value* value);
/* Another handle of the same value. */
COVEC_API covec_status covec_copy(covec_session* session, covec_value* value, covec_value** copy);
/* Gives a handle back; null does nothing. From any thread: while the session runs on another one, the value is queued
 * and goes when that call ends, at the latest when the next one does. */
COVEC_API void covec_release(covec_value* value);
/* How print would write a value, made once and valid until the value is released; "?" where memory does not suffice.
 * A string may hold zero bytes: covec_text_bytes gives the length of its text. From any thread; null and 0 where the
 * text is still to be made and the session runs on another thread. */
COVEC_API const char* covec_text(covec_value* value);
COVEC_API size_t covec_text_bytes(covec_value* value);

/* What a value looks like: a string, or of COVEC_PNG a vector of u8. `shown` is null where the value has no such form,
 * for COVEC_PNG also where Cairo is missing. Callbacks may ask, too. */
COVEC_API covec_status covec_display(covec_session* session, covec_value* value, covec_form form, covec_value** shown);

/* --- making values --- */

COVEC_API covec_status covec_none(covec_session* session, covec_value** value);
COVEC_API covec_status covec_number(covec_session* session, double number, covec_value** value);   /* f64 */
COVEC_API covec_status covec_integer(covec_session* session, int64_t number, covec_value** value); /* i64 */
COVEC_API covec_status covec_boolean(covec_session* session, int boolean, covec_value** value);    /* 0 or 1 */
/* Copies `bytes` bytes, zero bytes among them if it likes. A text is UTF-8. */
COVEC_API covec_status covec_string(covec_session* session, const char* text, size_t bytes, covec_value** value);

/* A tensor on the host's memory (row-major), without a copy: Covec reads it in place and never writes to it (a program
 * that updates it updates its own copy). release(owner) is called when the last use is gone, maybe after covec_close;
 * null: the memory outlives the session. Rank 0 copies the one number. A bool must be 0 or 1, and all of them are
 * looked at. Where the status is not COVEC_OK, the memory has not been lent and release is not called; release must not
 * throw. COVEC_MISUSE for a rank beyond 16 and for dimensions whose bytes overflow. */
COVEC_API covec_status covec_lend(covec_session* session, covec_dtype dtype, unsigned rank, const int64_t* dims,
                                  const void* data, void (*release)(void* owner), void* owner, covec_value** value);
/* The same for memory of any layout. Strides count elements and may be negative or 0; `data` is the element with all
 * indices 0; null strides: row-major. Where the elements fill less than a quarter of the memory from the first to the
 * last they are copied, and release is called at once. */
COVEC_API covec_status covec_lend_strided(covec_session* session, covec_dtype dtype, unsigned rank, const int64_t* dims,
                                          const int64_t* strides, const void* data, void (*release)(void* owner),
                                          void* owner, covec_value** value);
/* A tensor with a row-major copy of the host's elements; strides as for covec_lend_strided. */
COVEC_API covec_status covec_tensor(covec_session* session, covec_dtype dtype, unsigned rank, const int64_t* dims,
                                    const int64_t* strides, const void* data, covec_value** value);
/* A complex number (rank 0) or tensor with a copy of the host's elements, row-major, each its real and its imaginary
 * part, as C's `double complex` and C++'s std::complex lie. `part` is COVEC_F64 (c128) or COVEC_F32 (c64); another one
 * is COVEC_MISUSE. */
COVEC_API covec_status covec_complex(covec_session* session, covec_dtype part, unsigned rank, const int64_t* dims,
                                     const void* data, covec_value** value);

COVEC_API covec_status covec_tuple(covec_session* session, covec_value* const* items, size_t count,
                                   covec_value** value);
COVEC_API covec_status covec_list(covec_session* session, covec_value* const* items, size_t count, covec_value** value);
/* A record with these fields, in order. COVEC_MISUSE where a name is no name of a variable, a keyword for example, or
 * comes twice. */
COVEC_API covec_status covec_record(covec_session* session, const char* const* names, covec_value* const* items,
                                    size_t count, covec_value** value);
/* A key is a string, an integer, a bool or a tuple of keys. COVEC_MISUSE where one is not, or comes twice. */
COVEC_API covec_status covec_map(covec_session* session, covec_value* const* keys, covec_value* const* items,
                                 size_t count, covec_value** value);

/* --- functions of the host's ---
 *
 * A function value whose calls are the host's to answer. Programs name, store, hand on and call it as any other
 * function, in compiled code too; there is one call for each that the program makes, on the thread that runs the
 * session. */

/* Answers a call. The arguments are the library's and end with the call: covec_copy keeps one, covec_release of one
 * does nothing. Handles that it makes are the host's. The result is a value of the session: a handle that the callback
 * made, which it hands over, or one of the arguments. Null: the call fails, by covec_fail, or else with the error that
 * the session holds since the callback began.
 *
 * Meanwhile values of the session can be made, looked at, taken apart and released, and covec_interrupt stops what runs
 * once the callback has returned. To run, call, name (covec_get, covec_set) or close is COVEC_MISUSE. Other sessions
 * may be used. An exception that it throws makes the call fail. It must return: longjmp out of it is undefined. */
typedef covec_value* (*covec_callback)(void* user, covec_session* session, covec_value* const* arguments, size_t count);

/* Zeros are the usual options, but `callback` must be there. Later versions add fields at the end. */
typedef struct covec_function_options {
  covec_callback callback;
  void* user; /* handed to the callback */
  /* Called with `user` when the last use of the function is gone (compiled code is one), maybe after covec_close; it
   * must not throw. Null: nobody need know. */
  void (*destroy)(void* user);
  /* The names of the parameters, a list that ends in a null: a call gives them all, by position or name. Null: any
   * number of arguments, by position. */
  const char* const* parameters;
  /* The type of each result, as an annotation has it: "f64", "i64[3]", "f32[_, n, n]" (_: any extent; extents of one
   * name are equal). Code that is compiled is compiled behind the call too, where it would leave to the interpreter
   * what depends on a result of unknown type. A callback that gives another type makes the call fail. Null: anything.
   */
  const char* result;
  /* 1: the callback computes its result from its arguments alone, so that a call that nobody needs may be left out, one
   * that is there twice be made once, and any be made again. */
  int pure;
  /* The rule for reverse mode: rule(arguments…, result, cotangent) gives the cotangent of the argument, or a tuple with
   * one for each of several; none stands for zeros. A function of the language has derivatives of any order itself, one
   * of the host's may have a rule of its own. Null: derivatives by a result with floats in it are an error. */
  covec_value* reverse;
  const char* documentation; /* for help, in Markdown; null: none */
} covec_function_options;

/* Makes a function value that errors and print call `name`, a name of a variable; covec_set makes it known to programs.
 * COVEC_MISUSE, where destroy will not be called, for a name, parameter or type that is none and a rule that is no
 * function or takes too few arguments. A call takes some hundred nanoseconds beside what the callback does. */
COVEC_API covec_status covec_function_sized(covec_session* session, const char* name,
                                            const covec_function_options* options, size_t bytes, covec_value** value);
static inline covec_status covec_function(covec_session* session, const char* name,
                                          const covec_function_options* options, covec_value** value) {
  return covec_function_sized(session, name, options, sizeof(covec_function_options), value);
}
/* In a callback: its call fails at its place in the program with this message, as by error(text, kind=kind), once it
 * returns; what it gives is dropped then. A null kind is "user". COVEC_MISUSE elsewhere, and for a kind that error does
 * not know. */
COVEC_API covec_status covec_fail(covec_session* session, const char* kind, const char* text);

/* --- taking values apart ---
 *
 * COVEC_ERROR of the kind "type" where the value is of another kind than the function is for, "index" or "key" where it
 * has no such part. */

/* A number of any dtype as a double, rounded where it has no room; an integer or bool as an int64_t; a bool. */
COVEC_API covec_status covec_get_number(covec_session* session, covec_value* value, double* number);
COVEC_API covec_status covec_get_integer(covec_session* session, covec_value* value, int64_t* number);
COVEC_API covec_status covec_get_boolean(covec_session* session, covec_value* value, int* boolean);
/* The bytes of a string in place, with a zero byte behind them. `bytes` may be null. */
COVEC_API covec_status covec_get_string(covec_session* session, covec_value* value, const char** text, size_t* bytes);

/* The elements of a numeric value, in place. COVEC_ERROR when the value is no tensor. */
COVEC_API covec_status covec_look(covec_session* session, covec_value* value, covec_view* view);
/* 1 where nothing but this handle has the elements of the tensor: no name, other value, other handle or code, and no
 * memory of the host's. The host may then write them in place, where covec_look says, between calls. A number, and what
 * is no tensor, gives 0. */
COVEC_API covec_status covec_is_exclusive(covec_session* session, covec_value* value, int* exclusive);
/* Whose memory the elements lie in: what covec_lend was given for it. Both are null for memory of the session's own. */
COVEC_API covec_status covec_lender(covec_session* session, covec_value* value, void (**release)(void* owner),
                                    void** owner);
/* Copies the elements of a numeric value in row-major order to `data`, which has room for `bytes` bytes. COVEC_ERROR
 * where the dtype is another one; COVEC_MISUSE where `bytes` is not what they take. */
COVEC_API covec_status covec_read(covec_session* session, covec_value* value, covec_dtype dtype, void* data,
                                  size_t bytes);
/* The same of a complex value, as covec_complex takes the elements. Its shape: covec_item gives its real part (0) and
 * its imaginary part (1). */
COVEC_API covec_status covec_read_complex(covec_session* session, covec_value* value, covec_dtype part, void* data,
                                          size_t bytes);
/* Stores the numbers of a value, as f64: of a tensor its elements in row-major order, of a tuple, list, record or map
 * the numbers of its parts in order. COVEC_ERROR where there are not `count`, or something else than numbers. */
COVEC_API covec_status covec_read_numbers(covec_session* session, covec_value* value, double* numbers, size_t count);

/* How many parts a tuple, list, record or map has, and part number `index` of it, from 0. A complex value has two. */
COVEC_API covec_status covec_length(covec_session* session, covec_value* value, size_t* length);
COVEC_API covec_status covec_item(covec_session* session, covec_value* value, size_t index, covec_value** item);
/* A field of a record or a name of a module. */
COVEC_API covec_status covec_field(covec_session* session, covec_value* value, const char* name, covec_value** item);
/* The name of field number `index` of a record, valid until the record is released. COVEC_ERROR where it has a zero
 * byte, as the names of a table's columns may have. */
COVEC_API covec_status covec_field_name(covec_session* session, covec_value* value, size_t index, const char** name);
/* Key number `index` of a map; what a map has for a key, null and COVEC_OK where it has nothing. */
COVEC_API covec_status covec_key(covec_session* session, covec_value* value, size_t index, covec_value** key);
COVEC_API covec_status covec_find(covec_session* session, covec_value* value, covec_value* key, covec_value** item);

/* --- DLPack ---
 *
 * Tensors without a copy to and from libraries that speak DLPack (https://dmlc.github.io/dlpack), on the processor. The
 * structs are those of its header, version 1. Complex tensors are copied, both ways. */

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Takes the tensor over and makes `*managed` null: its deleter is called when the last use is gone. COVEC_MISUSE, with
 * `*managed` as it was, for null (a tensor that has been taken), one that the session holds already, one on a device, a
 * dtype that Covec has not, a bool that is neither 0 nor 1, a rank beyond 16, and a major version that is not 1. */
COVEC_API covec_status covec_from_dlpack(covec_session* session, struct DLManagedTensor** managed, covec_value** value);
COVEC_API covec_status covec_from_dlpack_versioned(covec_session* session, struct DLManagedTensorVersioned** managed,
                                                   covec_value** value);
/* A numeric or complex value for others to read, not to write: the versioned struct says so. Its deleter may be called
 * from any thread, also after covec_close. */
COVEC_API covec_status covec_to_dlpack(covec_session* session, covec_value* value, struct DLManagedTensor** managed);
COVEC_API covec_status covec_to_dlpack_versioned(covec_session* session, covec_value* value,
                                                 struct DLManagedTensorVersioned** managed);

/* --- prepared calls ---
 *
 * A function's code for fixed types, without its session: numbers and tensors of fixed extents go in and come out in
 * the host's memory. It gives the bits that covec_call gives. Threads share a covec_prepared; each runs it by a
 * covec_worker of its own, which has memory of its own. Both outlive the session, and nothing that a session does
 * changes them: names of the module and captured variables are what they were when the function was prepared.
 *
 * Ownership. The caller's, who gives them back by covec_prepared_release and covec_worker_close, in any order.
 *
 * Threads. covec_prepared_*: any, at the same time, until it is released. covec_worker_*: one at a time; a call from a
 * second one is COVEC_MISUSE and changes nothing. covec_worker_interrupt may come from any thread or a signal handler.
 *
 * Errors. A worker holds the error of its last covec_worker_* call that failed (covec_worker_error_*), until its next
 * one. It can be used afterwards. */

typedef struct covec_prepared covec_prepared;
typedef struct covec_worker covec_worker;

/* Of an input or output: rank 0 is a number. `dims` belongs to the covec_prepared; `bytes` is what all elements take.
 */
typedef struct covec_type {
  covec_dtype dtype;
  unsigned rank;
  const int64_t* dims;
  size_t bytes;
} covec_type;

/* `function`: of the language, with or without @compile, or made by grad, value_and_grad, jacobian, vmap and others.
 * `types` are those of its arguments, "f64, f32[100, 4], {w: f64[3], b: f64}"; parameters that have defaults may be
 * left out. Null: those of its annotations. Parts of records and tuples are inputs and outputs one by one, in order.
 * COVEC_ERROR where the function cannot be prepared, and the message says why: it prints, draws random numbers, reaches
 * files, the clock or the host, runs on a device, has a statement that only the interpreter can run, reads shared
 * memory that is no argument, or gives something else than numbers and tensors whose extents follow from the types.
 * Takes milliseconds: the function is compiled. On the session's thread. */
COVEC_API covec_status covec_prepare(covec_session* session, covec_value* function, const char* types,
                                     covec_prepared** prepared);
/* Null does nothing. Workers stay. */
COVEC_API void covec_prepared_release(covec_prepared* prepared);
COVEC_API size_t covec_prepared_inputs(const covec_prepared* prepared);
COVEC_API size_t covec_prepared_outputs(const covec_prepared* prepared);
/* COVEC_MISUSE beyond the last one. */
COVEC_API covec_status covec_prepared_input(const covec_prepared* prepared, size_t index, covec_type* type);
COVEC_API covec_status covec_prepared_output(const covec_prepared* prepared, size_t index, covec_type* type);

/* COVEC_ERROR, and null, where there is no memory. Takes microseconds, in proportion to the function's size. */
COVEC_API covec_status covec_worker_open(const covec_prepared* prepared, covec_worker** worker);
/* Null does nothing. COVEC_MISUSE while it runs: it stays open then. */
COVEC_API covec_status covec_worker_close(covec_worker* worker);

/* Where input or output number `index` lies: row-major, aligned as its dtype, and the host's until another place is
 * bound or the worker is closed. A bool is a byte, 0 or 1. Inputs are never written. COVEC_MISUSE beyond the last one,
 * for null (but where there are no elements), and where memory is not aligned. Takes tens of nanoseconds. */
COVEC_API covec_status covec_worker_bind_input(covec_worker* worker, size_t index, const void* memory);
COVEC_API covec_status covec_worker_bind_output(covec_worker* worker, size_t index, void* memory);

/* Reads the inputs, computes on this thread alone, and writes the outputs when all is computed: an output may lie where
 * an input does, and where the status is not COVEC_OK the outputs are as they were. COVEC_ERROR: the program's error.
 * COVEC_INTERRUPTED: covec_worker_interrupt came while it ran. COVEC_MISUSE: something is not bound, two outputs lie in
 * the same memory, or a bool is neither 0 nor 1. From the second run that went well on nothing is taken from malloc,
 * but by functions that make lists or text and by a few builtins (docs/embedding.md). Some tens of nanoseconds beside
 * what the code takes. */
COVEC_API covec_status covec_worker_run(covec_worker* worker);
/* Forgotten where nothing runs. */
COVEC_API void covec_worker_interrupt(covec_worker* worker);

/* Kinds are those of covec_error_kind. The place is that in the program's text as it was when the function was
 * prepared; line and column are 0 where none is known. On the thread that uses the worker. */
COVEC_API const char* covec_worker_error_kind(const covec_worker* worker);
COVEC_API const char* covec_worker_error_message(const covec_worker* worker);
COVEC_API const char* covec_worker_error_file(const covec_worker* worker);
COVEC_API unsigned covec_worker_error_line(const covec_worker* worker);
COVEC_API unsigned covec_worker_error_column(const covec_worker* worker);

/* --- the last error, as text and as data ---
 *
 * On the thread that uses the session. Empty, 0 or null when there is none; texts are never null, and a zero byte in
 * one is written \0. */

/* The whole report, as a terminal shows it: message, place, hint, calls; and its first line alone. */
COVEC_API const char* covec_error_text(const covec_session* session);
COVEC_API const char* covec_error_message(const covec_session* session);
/* "syntax" (what is found before a program runs), "type", "shape", "index", "key", "value", "file", "assertion", "user"
 * as a program's catch would see it; and "limit" (memory, depth), "interrupted", "exit",
 * "internal" and "misuse". */
COVEC_API const char* covec_error_kind(const covec_session* session);
COVEC_API const char* covec_error_hint(const covec_session* session);
/* Where it is: the name of a text or the path of a file, line and column from 1. */
COVEC_API const char* covec_error_file(const covec_session* session);
COVEC_API unsigned covec_error_line(const covec_session* session);
COVEC_API unsigned covec_error_column(const covec_session* session);
/* The calls that led there, the innermost first: how many, the function of call number `index`, as its definition has
 * it, and where it was called. Beyond the last one: "" and 0. */
COVEC_API size_t covec_error_calls(const covec_session* session);
COVEC_API const char* covec_error_call_function(const covec_session* session, size_t index);
COVEC_API const char* covec_error_call_file(const covec_session* session, size_t index);
COVEC_API unsigned covec_error_call_line(const covec_session* session, size_t index);
COVEC_API unsigned covec_error_call_column(const covec_session* session, size_t index);

#ifdef __cplusplus
}
#endif
#endif
