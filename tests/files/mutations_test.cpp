// Readers of files meet damaged ones: valid files of every format, changed in a few places from a fixed seed, thousands
// of times. Whatever comes of it is a value or an error that says something, in bounded memory and time. Under the
// sanitizers (preset asan) the same cases look for reads and writes out of bounds; --gtest_shuffle --gtest_repeat=100
// makes others each time.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>

#include "stdlib/autodiff/eager.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/files/files.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {
namespace {

namespace fs = std::filesystem;

// A session's memory and a folder, for as long as a test runs.
class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "covec-files-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    pool = Pool::create(uint64_t{16} << 20);
    context.pool = pool;
  }
  void TearDown() override {
    EXPECT_EQ(pool->account().used, 0u);
    pool->release();
    fs::remove_all(folder);
  }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  Value text(const std::string& words) const { return make_string(words); }
  Value rows(int64_t begin, int64_t end) const { return make_tuple({Value(begin), Value(end)}); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string bytes_of(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Value tensor(Dtype dtype, const Shape& shape) {
    Value made = make_tensor(*pool, dtype, shape);
    auto* at = made.tensor().data();
    const size_t bytes = static_cast<size_t>(made.tensor().size()) * size_of(dtype);
    for (size_t i = 0; i < bytes; ++i) at[i] = std::byte(dtype == Dtype::boolean ? i & 1 : i % 63);
    return made;
  }
  Value tree() {
    const auto layout = std::make_shared<RecordLayout>(RecordLayout{{"w", "layers", "odd.name"}});
    Value items =
        make_list({tensor(Dtype::f32, {Dim(3)}), make_tuple({Value(int32_t{7}), make_tuple({})}), Value(true)});
    return make_record(layout, {tensor(Dtype::f64, {Dim(2), Dim(3)}), std::move(items), tensor(Dtype::i64, {Dim(0)})});
  }
  std::string saved(const std::string& name, const Value& value) {
    autodiff::EagerBuilder builder(context);
    ops::call(builder, ops::save_entry(), {text(path(name)), value});
    return bytes_of(name);
  }

  Pool* pool = nullptr;
  ops::Context context;
  fs::path folder;
};

std::string little(uint64_t number, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 255);
  return text;
}

std::string deflated(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(bytes.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// An archive of one deflated member that claims `size` bytes.
std::string packed_archive(const std::string& name, const std::string& content, uint64_t size) {
  const std::string packed = deflated(content);
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  const std::string common = little(20, 2) + little(0, 2) + little(8, 2) + little(0x25000, 4) + little(sum, 4) +
                             little(packed.size(), 4) + little(size, 4) + little(name.size(), 2) + little(0, 2);
  const std::string local = "PK\x03\x04" + common + name + packed;
  const std::string central = "PK\x01\x02" + little(20, 2) + common + std::string(14, '\0') + name;
  return local + central + "PK\x05\x06" + little(0, 4) + little(1, 2) + little(1, 2) + little(central.size(), 4) +
         little(local.size(), 4) + little(0, 2);
}

std::string npy_text(const std::string& header, const std::string& data) {
  return "\x93NUMPY" + little(1, 1) + little(0, 1) + little(header.size(), 2) + header + data;
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}
  size_t below(size_t n) { return n == 0 ? 0 : random_() % n; }

  std::string operator()(std::string bytes) {
    for (size_t i = 1 + below(2); i > 0; --i) change(bytes);
    return bytes;
  }

 private:
  void change(std::string& bytes) {
    const size_t at = below(bytes.size() + 1);
    switch (below(10)) {
      case 0: bytes.resize(at); break;
      case 1: bytes.insert(at, 1 + below(40), static_cast<char>(below(256))); break;
      case 2: bytes.erase(at, 1 + below(40)); break;
      case 3: bytes.insert(at, bytes.substr(below(bytes.size() + 1), below(200))); break;
      case 4: put_field(bytes, at); break;
      case 5: grow_number(bytes, at); break;
      case 6:
      case 7: change_digit(bytes, at); break;
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(below(256));
    }
  }
  // A whole field, as a format might have it.
  void put_field(std::string& bytes, size_t at) {
    const uint64_t extremes[] = {0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, UINT64_MAX};
    const unsigned width = 1u << below(4);
    const uint64_t number = extremes[below(std::size(extremes))] + below(3);
    if (at + width <= bytes.size()) bytes.replace(at, width, little(number, width));
  }
  void grow_number(std::string& bytes, size_t at) {
    const size_t digit = bytes.find_first_of("0123456789", at);
    if (digit != std::string::npos) bytes.insert(digit, 1 + below(20), static_cast<char>('0' + below(10)));
  }
  void change_digit(std::string& bytes, size_t at) {
    const size_t digit = bytes.find_first_of("0123456789", at);
    if (digit != std::string::npos) bytes[digit] = static_cast<char>('0' + below(10));
  }
  std::mt19937 random_;
};

// Address space for what is not counted by the pool: past it an allocation fails, and so does the test.
class MemoryBound {
 public:
  MemoryBound() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    getrlimit(RLIMIT_AS, &before_);
    std::ifstream statm("/proc/self/statm");
    uint64_t pages = 0;
    statm >> pages;
    rlimit bound = before_;
    bound.rlim_cur = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + (uint64_t{256} << 20);
    setrlimit(RLIMIT_AS, &bound);
#endif
  }
  ~MemoryBound() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    setrlimit(RLIMIT_AS, &before_);
#endif
  }

 private:
  [[maybe_unused]] rlimit before_ = {};
};

class Mutations : public FilesTest {
 protected:
  // Reads `count` damaged copies of each seed. Counts how they ended, so that a mutation that never gets past the first
  // check does not go unseen.
  void run(const std::string& name, const std::vector<std::string>& seeds, int count, const ops::Entry& entry,
           const std::vector<std::vector<Value>>& options = {{}}) {
    const MemoryBound bound;
    Mutator mutate(20240611 + static_cast<uint32_t>(::testing::UnitTest::GetInstance()->random_seed()));
    std::map<std::string, int> endings;
    const uint64_t used = pool->account().used;
    for (int i = 0; i < count; ++i) {
      const std::string& seed = seeds[mutate.below(seeds.size())];
      write(name, i < static_cast<int>(seeds.size()) ? seeds[static_cast<size_t>(i)] : mutate(seed));
      std::vector<Value> args = {text(path(name))};
      for (const Value& option : options[mutate.below(options.size())]) args.push_back(option);
      autodiff::EagerBuilder builder(context);
      try {
        const Value result = ops::call(builder, entry, args);
        EXPECT_FALSE(text_of(result).empty());
        ++endings["a value"];
      } catch (const OpError& error) {
        EXPECT_NE(error.code, "internal") << error.message;
        ++endings[std::string(error.code)];
      }
      ASSERT_EQ(pool->account().used, used) << "case " << i;
    }
    for (const auto& [ending, times] : endings) std::cout << name << ": " << ending << " " << times << "\n";
    EXPECT_GT(endings["a value"], count / 100);
    EXPECT_GT(endings.size(), 1u);
  }
};

TEST_F(Mutations, Npy) {
  const std::string big = npy_text("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3)}", std::string(48, 'a'));
  const std::string half = npy_text("{'descr': '<f2', 'fortran_order': False, 'shape': (4,)}", std::string(8, 'b'));
  const std::string wide = npy_text("{'descr': '<u8', 'fortran_order': False, 'shape': ()}", std::string(8, '\x7f'));
  run("t.npy", {saved("a.npy", tensor(Dtype::f64, {Dim(3), Dim(2)})), saved("b.npy", Value(true)), big, half, wide},
      5000, ops::load_entry(), {{}, {}, {Value(), rows(0, 1)}, {Value(), rows(1, 3)}});
}

TEST_F(Mutations, Npz) {
  const std::string array = saved("a.npy", tensor(Dtype::i32, {Dim(20), Dim(3)}));
  run("t.npz", {saved("a.npz", tree()), packed_archive("x.npy", array, array.size())}, 5000, ops::load_entry());
}

TEST_F(Mutations, Safetensors) {
  const std::string header =
      R"({"a":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,8]},"b.0":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}})";
  run("t.safetensors", {saved("a.safetensors", tree()), little(header.size(), 8) + header + std::string(11, 'a')}, 5000,
      ops::load_entry(),
      {{},
       {},
       {Value(), rows(1, 2)},
       {Value(), Value(), make_tuple({text("a")})},
       {Value(), rows(0, 2), make_tuple({text("w")})}});
}

const std::vector<std::string> tables = {"a,\"b \"\"c\"\"\"\r\n1,2.5\r\n\r\n-3e2,\"nan\"\r\n",
                                         "\xef\xbb\xbf"
                                         "1;2;;\n4;5;NA;7",
                                         "0.1\n2\n"};

TEST_F(Mutations, Csv) {
  run("t.csv", tables, 5000, ops::read_csv_entry(),
      {{},
       {Value(true)},
       {text("names"), Value(0.5)},
       {text("names"), Value(), text(";")},
       {Value(false), Value(1.0), text(";")},
       {text("names"), Value(0.5), Value(), Value(), rows(1, 3)},
       {Value(false), Value(1.0), text(";"), Value(), rows(0, 2)}});
}

// The rows of all parts are those of the whole; and a file that cannot be read whole is no problem of one part alone.
class Parts : public FilesTest {
 protected:
  std::optional<Value> read(std::vector<Value> options, const Value& part) {
    std::vector<Value> args = {text(path("t.csv"))};
    args.insert(args.end(), options.begin(), options.end());
    args.push_back(part);
    autodiff::EagerBuilder builder(context);
    try {
      return ops::call(builder, ops::read_csv_entry(), args);
    } catch (const OpError&) {
      return std::nullopt;
    }
  }
  static std::vector<Value> columns(const Value& table) {
    return table.is(ObjectKind::record) ? table.record().items : std::vector<Value>{table};
  }
  static std::string bits(const Value& tensor) {
    const Tensor& x = tensor.tensor();
    return {reinterpret_cast<const char*>(x.data()), static_cast<size_t>(x.size()) * sizeof(double)};
  }
  void compare(const std::vector<Value>& options, int64_t n) {
    const std::optional<Value> whole = read(options, Value());
    std::vector<std::string> joined;
    bool all = true;
    for (int64_t i = 0; i < n; ++i) {
      const std::optional<Value> part = read(options, rows(i, n));
      all = all && part;
      if (!all) continue;
      const std::vector<Value> found = columns(*part);
      joined.resize(found.size());
      for (size_t k = 0; k < found.size(); ++k) joined[k] += bits(found[k]);
    }
    ASSERT_EQ(whole.has_value(), all);
    if (!whole) return;
    ++values;
    const std::vector<Value> wanted = columns(*whole);
    ASSERT_EQ(wanted.size(), joined.size());
    for (size_t k = 0; k < wanted.size(); ++k) EXPECT_TRUE(bits(wanted[k]) == joined[k]);
  }
  int values = 0;
};

TEST_F(Parts, JoinToTheWhole) {
  Mutator mutate(20261130 + static_cast<uint32_t>(::testing::UnitTest::GetInstance()->random_seed()));
  const std::vector<std::string> seeds = {
      tables[0], tables[1], tables[2], "\n \r\n1,2\n\n3,4\n5,6\n\t\n7,8", "1,2\r3,4\r5,6", "a,b\r1,2\r3,4", "7"};
  const std::vector<std::vector<Value>> options = {{Value(false), Value(1.0), Value(), Value()},
                                                   {Value(true), Value(), Value(), Value()},
                                                   {text("names"), Value(0.5), Value(), Value()},
                                                   {Value(false), Value(1.0), text(";"), Value()},
                                                   {Value(true), Value(1.0), text("\t"), Value()}};
  for (int i = 0; i < 1500; ++i) {
    const std::string& seed = seeds[mutate.below(seeds.size())];
    write("t.csv", i % 3 == 0 ? seed : mutate(seed));
    compare(options[mutate.below(options.size())], 1 + static_cast<int64_t>(mutate.below(9)));
    if (HasFailure()) {
      FAIL() << "case " << i << ": " << ::testing::PrintToString(bytes_of("t.csv"));
    }
  }
  EXPECT_GT(values, 250);
}

class Limits : public FilesTest {
 protected:
  std::string error_of(const std::string& name) {
    autodiff::EagerBuilder builder(context);
    const bool csv = name.ends_with(".csv");
    try {
      ops::call(builder, csv ? ops::read_csv_entry() : ops::load_entry(), {text(path(name))});
    } catch (const OpError& error) {
      return std::string(error.code);
    }
    return "none";
  }
};

TEST_F(Limits, WhatDoesNotFitTheMemoryIsNotRead) {
  const Value big = tensor(Dtype::f64, {Dim(100000)});
  saved("t.npy", big);
  saved("t.npz", big);
  saved("t.safetensors", big);
  write("t.csv", std::string(100000, '\n') + "1,2\n");
  std::string rows;
  for (int i = 0; i < 20000; ++i) rows += "1,2,3\n";
  write("u.csv", rows);
  pool->set_limit(pool->account().used + (uint64_t{1} << 17));
  for (const char* name : {"t.npy", "t.npz", "t.safetensors", "u.csv"})
    EXPECT_EQ(error_of(name), "out_of_memory") << name;
  pool->set_limit(uint64_t{16} << 20);
  for (const char* name : {"t.npy", "t.npz", "t.safetensors", "t.csv", "u.csv"})
    EXPECT_EQ(error_of(name), "none") << name;
}

TEST_F(Limits, AnArchiveCannotUnpackToMoreThanItSays) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1000000,)}";
  const std::string array = npy_text(header, std::string(1000000, '\0'));
  write("whole.npz", packed_archive("x.npy", array, array.size()));
  EXPECT_EQ(error_of("whole.npz"), "none");
  write("less.npz", packed_archive("x.npy", array, array.size() + 1));
  EXPECT_EQ(error_of("less.npz"), "file_damaged");
  write("more.npz", packed_archive("x.npy", array + "x", array.size()));
  EXPECT_EQ(error_of("more.npz"), "file_damaged");
  write("bomb.npz", packed_archive("x.npy", array, 0xfffffffe));
  EXPECT_EQ(error_of("bomb.npz"), "file_damaged");
  // One that keeps its word, but says more than the session may have.
  const std::string claim = "{'descr': '|u1', 'fortran_order': False, 'shape': (30000000,)}";
  write("large.npz",
        packed_archive("x.npy", npy_text(claim, std::string(30000000, '\0')), npy_text(claim, "").size() + 30000000));
  EXPECT_EQ(error_of("large.npz"), "out_of_memory");
}

TEST_F(Limits, ManyMembersNeedZip64) {
  std::vector<Value> items(70000, Value(true));
  saved("many.npz", make_tuple(std::move(items)));
  autodiff::EagerBuilder builder(context);
  pool->set_limit(uint64_t{1} << 30);
  const Value tree = ops::call(builder, ops::load_entry(), {text(path("many.npz"))});
  ASSERT_TRUE(tree.is(ObjectKind::tuple));
  EXPECT_EQ(tree.tuple().items.size(), 70000u);
}

}  // namespace
}  // namespace covec
