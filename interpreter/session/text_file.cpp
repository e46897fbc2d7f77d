// Reads files with system calls. A C++ stream reports an error in the middle of a file by an exception that no caller
// expects.
#include "interpreter/session/text_file.hpp"

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/gate/system.hpp"

namespace covec {

using eval::row;

namespace {

constexpr size_t longest = size_t{64} << 20;  // of a program; what is longer is no program, or has no end
constexpr size_t piece = size_t{64} << 10;    // bytes read at a time

}  // namespace

TextFile read_text(int descriptor) {
  TextFile file;
  for (;;) {
    const size_t size = file.text.size();
    if (size > longest) return {"", &row("endless_file")};
    file.text.resize(size + piece);
    const int64_t count = gate::read_next(descriptor, file.text.data() + size, piece);
    if (count < 0) return {"", &row("unreadable_file")};
    file.text.resize(size + static_cast<size_t>(count));
    if (count == 0) return file;
  }
}

TextFile read_text_file(const std::string& path) { return read_text(gate::open_to_read(path, 0).number()); }

}  // namespace covec
