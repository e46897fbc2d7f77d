// Any tree comes back: random trees of records, tuples, lists and tensors, their fields' names as odd as files can make
// them, through both formats that hold trees. And what becomes of notes that do not fit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "stdlib/files/atomic.hpp"
#include "stdlib/files/leaves.hpp"
#include "stdlib/files/npz.hpp"
#include "stdlib/files/safetensors.hpp"
#include "stdlib/files/structure.hpp"
#include "stdlib/tensor/equal.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {
namespace {

namespace fs = std::filesystem;

class RandomTrees {
 public:
  RandomTrees(Pool& pool, uint32_t seed) : pool_(pool), random_(seed) {}

  Value tree(unsigned depth) {
    const size_t kind = depth == 0 ? 0 : below(5);
    if (kind < 2) return leaf();
    std::vector<Value> items(below(4));
    for (Value& item : items) item = tree(depth - 1);
    if (kind == 2) return make_tuple(std::move(items));
    if (kind == 3) return make_list(std::move(items));
    const auto layout = std::make_shared<RecordLayout>(RecordLayout{names(items.size())});
    return make_record(layout, std::move(items));
  }

 private:
  size_t below(size_t n) { return random_() % n; }

  Value leaf() {
    switch (below(5)) {
      case 0: return Value(static_cast<double>(below(100)) / 7);
      case 1: return Value(static_cast<int32_t>(below(100)));
      case 2: return Value(below(2) == 0);
      case 3: return make_tensor(pool_, Dtype::i64, Shape{Dim(0), Dim(2)});
      default: break;
    }
    Value tensor = make_tensor(pool_, Dtype::f32, Shape{Dim(static_cast<int64_t>(below(20)))});
    for (int64_t i = 0; i < tensor.tensor().size(); ++i) tensor.tensor().as<float>()[i] = static_cast<float>(i) / 3;
    return tensor;
  }

  std::vector<std::string> names(size_t count) {
    const std::string choices[] = {"w", "0",         "1",  "2", "01",   "",      "a.b",
                                   ".", "say \"x\"", "\\", "ä", "a\nb", "arr_0", "__metadata__"};
    std::vector<std::string> names;
    while (names.size() < count) {
      const std::string& name = choices[below(std::size(choices))];
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

  Pool& pool_;
  std::mt19937 random_;
};

class Trees : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "covec-trees-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    context.pool = Pool::create();
  }
  void TearDown() override {
    context.pool->release();
    fs::remove_all(folder);
  }

  Value through(const Value& tree, bool npz) {
    const std::string path = (folder / "tree").string();
    const files::NamedTensors leaves = files::named_leaves(path, tree);
    files::AtomicFile file(path, context);
    (npz ? files::write_npz : files::write_safetensors)(file, *context.pool, leaves);
    file.commit();
    const files::File written(path, context);
    return files::tree_of(*context.pool, npz ? files::read_npz(written) : files::read_safetensors(written));
  }
  // A tree of numbers by these names.
  std::string tree_of(std::initializer_list<const char*> names, const std::string& note = {}) {
    files::NamedTensors leaves;
    for (const char* name : names)
      leaves.tensors.emplace_back(name, Value(static_cast<int64_t>(leaves.tensors.size())));
    leaves.note = note;
    return text_of(files::tree_of(*context.pool, leaves));
  }

  ops::Context context;
  fs::path folder;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Trees, AFileIsWrittenInParts) {
  const std::string path = folder / "parts";
  {
    files::AtomicFile whole(path, context);
    files::AtomicFilePart second(path, whole.temporary(), 3, context);
    second.write(std::string_view("def"));
    second.complete();
    EXPECT_FALSE(fs::exists(path));
    whole.write(std::string_view("abc"));
    whole.commit();
  }
  EXPECT_EQ(content_of(path), "abcdef");
  {
    files::AtomicFile whole(path, context);  // it is not completed
    files::AtomicFilePart(path, whole.temporary(), 0, context).write(std::string_view("other"));
  }
  EXPECT_EQ(content_of(path), "abcdef");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  try {
    files::AtomicFilePart(path, ".elsewhere.part", 0, context);
    FAIL() << "it does not see what the other one has begun";
  } catch (const OpError& error) {
    EXPECT_EQ(error.message, "cannot write " + path +
                                 ": what another process has begun cannot be opened here: No such file or directory");
    EXPECT_EQ(error.hint, "all processes that write the file need its folder, on a disk that they share");
  }
}

TEST_F(Trees, ComeBack) {
  RandomTrees random(*context.pool, 5 + static_cast<uint32_t>(::testing::UnitTest::GetInstance()->random_seed()));
  int saved = 0, refused = 0;
  for (int i = 0; i < 300; ++i) {
    const Value tree = random.tree(4);
    for (const bool npz : {true, false}) {
      try {
        const Value back = through(tree, npz);
        EXPECT_EQ(files::structure_text(back), files::structure_text(tree));
        EXPECT_EQ(text_of(back, 17), text_of(tree, 17));
        EXPECT_TRUE(values_equal(back, tree));
        ++saved;
      } catch (const OpError& error) {  // two ways to one name, or a name that the format keeps for itself
        EXPECT_TRUE(error.code == "file_names" || error.code == "file_unwritable") << error.message;
        ++refused;
      }
    }
  }
  EXPECT_GT(saved, 10 * refused);
}

TEST_F(Trees, AreMadeOfNames) {
  EXPECT_EQ(tree_of({"a.w", "a.b", "c"}), "{a: {w: 0, b: 1}, c: 2}");
  EXPECT_EQ(tree_of({"a.1", "a.0"}), "{a: (1, 0)}");
  EXPECT_EQ(tree_of({"0", "2"}), "{0: 0, 2: 1}");
  EXPECT_EQ(tree_of({"00"}), "{00: 0}");
  EXPECT_EQ(tree_of({"a", "a.b"}), "{a: 0, a.b: 1}");
  EXPECT_EQ(tree_of({"a.b", "a"}), "{a.b: 0, a: 1}");
  EXPECT_EQ(tree_of({}), "{}");
  const std::string deep(4000, '.');
  EXPECT_EQ(tree_of({deep.c_str()}), "{" + deep + ": 0}");
}

TEST_F(Trees, AreMadeOfNotesThatFit) {
  EXPECT_EQ(tree_of({"a.0", "b"}, R"({"b":*,"a":[*]})"), "{b: 1, a: list(0)}");
  EXPECT_EQ(tree_of({"arr_0"}, "*"), "0");
  EXPECT_EQ(tree_of({"0.x"}, R"([{"x":*},(),[],{}])"), "list({x: 0}, (), list(), {})");
  for (const char* note :
       {"*", "[*,*]", R"({"a":*,"a":*})", R"({"a":*)", R"({"a":*}})", R"({a:*})", "(", "[*,", "{\"", "{\"\\", "x"}) {
    EXPECT_EQ(tree_of({"a"}, note), "{a: 0}") << note;
  }
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(tree_of({}, deep), "{}");
}

TEST_F(Trees, AreNotTooDeepToSave) {
  Value tree = Value(true);
  for (int i = 0; i < 1000; ++i) tree = make_list({tree});
  EXPECT_EQ(files::structure_text(through(tree, false)), files::structure_text(tree));
  tree = make_list({tree});
  try {
    through(tree, false);
    FAIL();
  } catch (const OpError& error) {
    EXPECT_EQ(error.code, "too_deep");
  }
}

TEST_F(Trees, WhoseNoteIsTooLongForAnArchive) {
  Value list = make_list(std::vector<Value>(40000, Value(true)));
  try {
    through(list, true);
    FAIL();
  } catch (const OpError& error) {
    EXPECT_EQ(error.code, "file_unwritable");
  }
  EXPECT_TRUE(through(list, false).is(ObjectKind::list));
  EXPECT_TRUE(fs::exists(folder / "tree"));
}

}  // namespace
}  // namespace covec
