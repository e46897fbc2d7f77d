// covec_web FILE: runs a script as a page does, with what lies beside it and in folders there as files in memory. What
// the program writes stays in memory. For tests: it shows mistakes of COVEC_WEB without a browser.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "interpreter/web/page.hpp"

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t longest = uintmax_t{1} << 24;  // bytes of a file that is given
constexpr int deepest = 1;                         // folders in one another
constexpr size_t memory = size_t{512} << 20;       // bytes of values; a page's
constexpr size_t stack = size_t{7} << 20;          // bytes; systems give the first thread eight

void give(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::string path = file.string();
  covec_page_give_file(path.data(), path.size(), bytes.data(), bytes.size());
}

}  // namespace

void covec_page_output(int32_t kind, const char* bytes, size_t count) {
  using covec::page::Kind;
  const auto of = static_cast<Kind>(kind);
  if (of == Kind::output || of == Kind::value) std::fwrite(bytes, 1, count, stdout);
  if (of != Kind::error) return;
  std::fflush(stdout);
  std::fwrite(bytes, 1, count, stderr);
}

int32_t covec_page_ask() {
  std::string line;
  if (!std::getline(std::cin, line)) return 0;
  covec_page_give_line(line.data(), line.size());
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: covec_web FILE\n", stderr);
    return 2;
  }
  const fs::path script = argv[1];
  covec_page_start(memory, stack, 0);
  std::error_code error;
  fs::recursive_directory_iterator item(script.has_parent_path() ? script.parent_path() : ".", error);
  for (; !error && item != fs::recursive_directory_iterator(); item.increment(error)) {
    std::error_code unknown;
    if (item.depth() >= deepest) item.disable_recursion_pending();
    if (item->is_regular_file(unknown) && item->file_size(unknown) <= longest) give(item->path());
  }
  const std::string path = script.string();
  return covec_page_run(path.data(), path.size(), 0);
}
