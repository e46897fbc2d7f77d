// Runs a fuzzer's inputs without libFuzzer: each line of the files given is one, in hexadecimal digits (see corpus.py),
// and each folder given holds one per file. Under the sanitizers (preset asan) the same inputs look for reads out of
// bounds.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

unsigned digit(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); }

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

int run_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    std::string bytes;
    for (size_t i = 0; i + 1 < line.size(); i += 2) {
      bytes += static_cast<char>(digit(line[i]) << 4 | digit(line[i + 1]));
    }
    run(bytes);
  }
  return count;
}

int run_folder(const std::filesystem::path& path) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    std::ifstream file(entry.path(), std::ios::binary);
    run({std::istreambuf_iterator<char>(file), {}});
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    count += std::filesystem::is_directory(argv[i]) ? run_folder(argv[i]) : run_lines(argv[i]);
  }
  std::printf("%d inputs\n", count);
  return count == 0 ? 1 : 0;
}
