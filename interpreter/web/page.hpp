// What a page of a browser calls: a session that runs programs by the interpreter alone. The page's worker, or node,
// has the module's memory and numbers for addresses; texts are UTF-8 and pass as an address and a length. What
// comes of it goes to the host (host.hpp). One session at a time: start at covec_page_start.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpreter/web/host.hpp"

extern "C" {

// Memory into which the host writes what it passes, until it is released.
char* covec_page_room(size_t bytes);
void covec_page_release(char* room);

// A session in place of the one before. Bytes of values and of stack in memory that programs may use, and calls that
// may be open at once; 0: as many as the language, or a browser's engine, lets by.
void covec_page_start(size_t memory, size_t stack, uint32_t calls);

// A file for programs, in memory. Names without a slash at their beginning lie in "/".
void covec_page_give_file(const char* path, size_t path_length, const char* bytes, size_t count);
// Tells the paths of all files, those that programs wrote among them; or the bytes of one.
void covec_page_tell_files();
void covec_page_tell_file(const char* path, size_t path_length);

// Runs a file as a program in the session. `shows`: the value of its last expression is told. Gives the status with
// which a command would end: 0, or 1 after an error that has been told.
int32_t covec_page_run(const char* path, size_t path_length, int32_t shows);

// Gives the line that the host was asked for, without its end.
void covec_page_give_line(const char* bytes, size_t count);

// Tells what has been printed and not been told. For a host that a trap comes to, before it drops the module.
void covec_page_flush();

// Tells what may follow a text up to the cursor. Gives where in the text the candidates begin.
size_t covec_page_complete(const char* text, size_t length);

}  // extern "C"
