// Reads files with system calls. A C++ stream reports an error in the middle of a file by an exception that no caller
// expects.
#include "interpreter/session/text_file.hpp"

#include <unistd.h>

#include <cerrno>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/gate/system.hpp"

namespace covec {

using eval::row;

namespace {

constexpr size_t longest = size_t{64} << 20;  // of a program; what is longer is no program, or has no end
constexpr size_t piece = size_t{64} << 10;    // bytes read at a time

// As many bytes as there are now, 0 at the end, -1 where it cannot be read.
ssize_t read_some(int descriptor, char* to) {
  ssize_t count;
  do {
    count = read(descriptor, to, piece);
  } while (count < 0 && errno == EINTR);
  return count;
}

}  // namespace

TextFile read_text(int descriptor) {
  TextFile file;
  for (;;) {
    const size_t size = file.text.size();
    if (size > longest) return {"", &row("endless_file")};
    file.text.resize(size + piece);
    const ssize_t count = read_some(descriptor, file.text.data() + size);
    if (count < 0) return {"", &row("unreadable_file")};
    file.text.resize(size + static_cast<size_t>(count));
    if (count == 0) return file;
  }
}

TextFile read_text_file(const std::string& path) { return read_text(gate::open_to_read(path, 0).number()); }

}  // namespace covec
