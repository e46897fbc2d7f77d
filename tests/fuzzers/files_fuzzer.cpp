// Bytes as a file of one format (covec_format). What comes of it is a value or an error that says something, with no
// memory left behind; and a value that was read is the same after it was written and read once more.
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "stdlib/autodiff/eager.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"
#include "tests/fuzzers/format.hpp"

namespace {

using covec::Value;
namespace ops = covec::ops;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// --- the formats ---

struct Format {
  const char* reads;
  const char* writes;  // nullptr: what is written is not what was read
  size_t choices;      // the first bytes of an input: how it is read
};

const std::string_view suffix = covec_format;
const bool is_picture = suffix == ".png" || suffix == ".jpg";
const Format format = suffix == ".csv"     ? Format{"read_csv", nullptr, 1}
                      : suffix == ".table" ? Format{"table_read_csv", "table_write_csv", 2}
                      : suffix == ".json"  ? Format{"table_read_json", "table_write_json", 0}
                      : suffix == ".png"   ? Format{"read_image", "write_image", 1}
                      : suffix == ".jpg"   ? Format{"read_image", nullptr, 0}
                      : suffix == ".wav"   ? Format{"read_wav", nullptr, 0}
                                           : Format{"load", "save", 0};
using Choices = std::span<const uint8_t>;

Value text(const char* words) { return covec::make_string(words); }

// None, or one of three parts.
Value part_of(unsigned choice) {
  if (choice == 0 || choice > 3) return Value();
  return covec::make_tuple({Value(int64_t{choice} - 1), Value(int64_t{3})});
}

std::vector<Value> csv_options(Choices choices) {
  static const char* const separators[] = {",", ";", "\t", " "};
  const uint8_t choice = choices[0];
  Value header = (choice & 3) == 0 ? Value(false) : (choice & 3) == 1 ? Value(true) : text("names");
  return {std::move(header), (choice & 4) != 0 ? Value(0.5) : Value(), text(separators[choice >> 3 & 3]), Value(),
          part_of(choice >> 5)};
}

// The options of table_read_csv; those of the module where both choices are 0.
std::vector<Value> table_options(Choices choices) {
  static const char* const separators[] = {"", ",", ";", "\t", "|", " ", "", ""};
  static const char* const kinds[] = {"", "text", "date", "integer", "number", "bool", "%d.%m.%Y", "%H:%M:%S"};
  const unsigned how = choices[0], what = choices[1];
  const char* const separator = separators[how >> 2 & 7];
  const char* const kind = kinds[what & 7];
  const auto layout = std::make_shared<covec::RecordLayout>(covec::RecordLayout{{"a"}});
  return {Value((how & 1) == 0),
          (what & 16) != 0 ? covec::make_tuple({Value(int64_t{0}), text("a")}) : Value(),
          *kind != '\0' ? covec::make_record(layout, {text(kind)}) : Value(),
          (what & 8) != 0 ? covec::make_tuple({text("NA"), text("x")}) : Value(),
          *separator != '\0' ? text(separator) : Value(),
          text((how & 2) != 0 ? "," : "."),
          (how & 32) != 0 ? text("#") : Value(),
          Value(int64_t{(how & 64) != 0}),
          (how & 128) != 0 ? Value(int64_t{2}) : Value()};
}

std::vector<Value> options_of(Choices choices) {
  if (suffix == ".csv") return csv_options(choices);
  return suffix == ".table" ? table_options(choices) : std::vector<Value>{};
}

std::vector<Value> writing_options() {
  if (suffix == ".table") return {Value(), Value()};
  if (suffix == ".json") return {Value(true)};
  return is_picture ? std::vector<Value>{Value(int64_t{90}), Value(int64_t{16})} : std::vector<Value>{};
}

// Whether what was read so can be read again by itself.
bool is_plain(Choices choices) { return suffix != ".table" || (choices[0] == 0 && choices[1] == 0); }

// A PNG whose chunks have the right sums, whatever is in them: else no change gets further than these.
std::string with_sums(std::string file) {
  for (size_t at = 8; at + 12 <= file.size();) {
    const auto byte = [&](size_t i) -> size_t { return static_cast<uint8_t>(file[at + i]); };
    const size_t length = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
    if (length > file.size() - at - 12) break;
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(file.data() + at + 4), length + 4);
    for (size_t i = 0; i < 4; ++i) file[at + 8 + length + i] = static_cast<char>(sum >> (24 - 8 * i));
    at += 12 + length;
  }
  return file;
}

std::string file_of(Choices choices, std::string rest) {
  return suffix == ".png" && (choices[0] & 1) == 0 ? with_sums(std::move(rest)) : rest;
}

// --- where they are read and written ---

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

  std::string path(const char* name) const { return folder_ + "/" + name + covec_format; }
  uint64_t used() const { return pool_->account().used; }
  void put(const char* name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string bytes_of(const char* name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Value read(const char* name, Choices choices) { return apply(format.reads, name, options_of(choices)); }
  void write(const char* name, const Value& value) {
    std::vector<Value> rest = writing_options();
    rest.insert(rest.begin(), value);
    apply(format.writes, name, std::move(rest));
  }

 private:
  Value apply(const char* entry, const char* name, std::vector<Value> rest) {
    rest.insert(rest.begin(), covec::make_string(path(name)));
    covec::autodiff::EagerBuilder builder(context_);
    return ops::call(builder, *ops::find_entry(entry), rest);
  }

  std::string folder_;
  covec::Pool* pool_;
  ops::Context context_;
};

// --- what is asked of them ---

// What was read, written and read again, is written as the same bytes.
void again(Files& files, const Value& value) {
  try {
    files.write("again", value);
  } catch (const covec::OpError&) {
    return;  // names that two leaves have, say: not every tree can be written
  }
  static constexpr uint8_t none[2] = {};
  const std::string first = files.bytes_of("again");
  const Value copy = files.read("again", none);
  files.write("again", copy);
  if (files.bytes_of("again") != first) fail("what was read, written and read is something else");
}

void check_picture(const Value& value) {
  const covec::Tensor& x = value.tensor();
  if (x.rank() != 3 || x.size() == 0) fail("a picture of another shape");
  for (int64_t i = 0; i < x.size(); ++i) {
    if (!(x.as<float>()[i] >= 0 && x.as<float>()[i] <= 1)) fail("a pixel that is not between 0 and 1");
  }
}

void read(Files& files, Choices choices, std::string bytes) {
  files.put("read", file_of(choices, std::move(bytes)));
  Value value;
  try {
    value = files.read("read", choices);
  } catch (const covec::OpError& error) {
    if (error.code == "internal" || error.message.empty()) fail(error.message.c_str());
    return;
  }
  if (covec::text_of(value).empty()) fail("a value without a text");
  if (is_picture) check_picture(value);
  if (format.writes != nullptr && is_plain(choices)) again(files, value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Files files;
  if (size < format.choices) return 0;
  const uint64_t before = files.used();
  read(files, {data, format.choices}, {reinterpret_cast<const char*>(data) + format.choices, size - format.choices});
  if (files.used() != before) fail("memory is left behind");
  return 0;
}
