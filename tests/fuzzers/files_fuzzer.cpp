// Bytes as a file of one format (COVEC_FORMAT: ".npy", ".npz", ".safetensors", ".csv"). What comes of it is a value or
// an error that says something, with no memory left behind; and a value that was read is the same after it was written
// and read once more.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "stdlib/autodiff/eager.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/files/files.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace {

using covec::Value;
namespace ops = covec::ops;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

constexpr bool is_csv() { return std::string_view(COVEC_FORMAT) == ".csv"; }

// In memory where the system has such a folder: what is read is written ten thousand times a second.
std::string folder() {
  std::string name = std::string(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/covec-fuzzer-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) fail("no folder");
  return name;
}

class Files {
 public:
  Files() : folder_(folder()), pool_(covec::Pool::create(uint64_t{16} << 20)) { context_.pool = pool_; }
  ~Files() {
    std::remove(path("read").c_str());
    std::remove(path("again").c_str());
    rmdir(folder_.c_str());
  }

  std::string path(const char* name) const { return folder_ + "/" + name + COVEC_FORMAT; }
  uint64_t used() const { return pool_->account().used; }
  void put(const char* name, const char* bytes, size_t count) const {
    std::ofstream(path(name), std::ios::binary).write(bytes, static_cast<std::streamsize>(count));
  }
  std::string bytes_of(const char* name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Value apply(const ops::Entry& entry, const char* name, std::vector<Value> rest) {
    std::vector<Value> args = {covec::make_string(path(name))};
    for (Value& value : rest) args.push_back(std::move(value));
    covec::autodiff::EagerBuilder builder(context_);
    return ops::call(builder, entry, args);
  }

 private:
  std::string folder_;
  covec::Pool* pool_;
  ops::Context context_;
};

// The options of read_csv, by the first byte.
std::vector<Value> options_of(uint8_t choice) {
  static const char* const separators[] = {",", ";", "\t", " "};
  Value header = (choice & 3) == 0 ? Value(false) : (choice & 3) == 1 ? Value(true) : covec::make_string("names");
  return {std::move(header), (choice & 4) != 0 ? Value(0.5) : Value(), covec::make_string(separators[choice >> 3 & 3])};
}

// What was read, written and read again, is written as the same bytes.
void again(Files& files, const Value& value) {
  try {
    files.apply(ops::save_entry(), "again", {value});
  } catch (const covec::OpError&) {
    return;  // names that two leaves have, say: not every tree can be written
  }
  const std::string first = files.bytes_of("again");
  const Value copy = files.apply(ops::load_entry(), "again", {});
  files.apply(ops::save_entry(), "again", {copy});
  if (files.bytes_of("again") != first) fail("what was read, written and read is something else");
}

void read(Files& files, const uint8_t* data, size_t size) {
  const uint8_t choice = is_csv() && size > 0 ? data[0] : 0;
  const size_t skipped = is_csv() && size > 0 ? 1 : 0;
  files.put("read", reinterpret_cast<const char*>(data) + skipped, size - skipped);
  Value value;
  try {
    value = is_csv() ? files.apply(ops::read_csv_entry(), "read", options_of(choice))
                     : files.apply(ops::load_entry(), "read", {});
  } catch (const covec::OpError& error) {
    if (error.code == "internal" || error.message.empty()) fail(error.message.c_str());
    return;
  }
  if (covec::text_of(value).empty()) fail("a value without a text");
  if (!is_csv()) again(files, value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Files files;
  const uint64_t before = files.used();
  read(files, data, size);
  if (files.used() != before) fail("memory is left behind");
  return 0;
}
