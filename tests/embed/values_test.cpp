// Values that a host makes, and takes apart; and what it may not hand over.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "program.hpp"

namespace {

using Values = std::vector<covec_value*>;

TEST(Values, HaveKinds) {
  Program program("fn f(x) = x\nimport nn");
  const std::pair<const char*, covec_kind> kinds[] = {
      {"none", COVEC_NONE},      {"1", COVEC_NUMBER},      {"true", COVEC_NUMBER},     {"[1.0]", COVEC_TENSOR},
      {"\"a\"", COVEC_STRING},   {"(1, 2)", COVEC_TUPLE},  {"list(1, 2)", COVEC_LIST}, {"{a: 1}", COVEC_RECORD},
      {"{\"a\": 1}", COVEC_MAP}, {"f", COVEC_FUNCTION},    {"sin", COVEC_FUNCTION},    {"nn", COVEC_MODULE},
      {"range(3)", COVEC_OTHER}, {"[2im]", COVEC_COMPLEX}, {"2im", COVEC_COMPLEX}};
  for (const auto& [text, kind] : kinds) EXPECT_EQ(covec_kind_of(program.value_of(text)), kind) << text;
  EXPECT_EQ(covec_kind_of(nullptr), COVEC_NONE);
}

TEST(Values, OfOneNumberOrText) {
  Program program;
  covec_session* const session = program.session;
  EXPECT_EQ(text_of(program.number(1.5)), "1.5");
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_integer(session, INT64_MIN, v); })),
            "-9223372036854775808");
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_boolean(session, 1, v); })), "true");
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_none(session, v); })), "none");
  const std::string zero("a\0b", 3);
  covec_value* const text = program.string(zero);
  EXPECT_EQ(text_of(text), zero);
  const char* in_place = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(covec_get_string(session, text, &in_place, &bytes), COVEC_OK);
  EXPECT_EQ(std::string(in_place, bytes + 1), zero + std::string(1, '\0'));
  EXPECT_EQ(text_of(program.string("")), "");
  covec_value* value = program.number(1);
  EXPECT_EQ(covec_boolean(session, 2, &value), COVEC_MISUSE);
  EXPECT_EQ(value, nullptr);
  EXPECT_EQ(covec_boolean(session, -1, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_string(session, nullptr, 1, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_number(session, 1, nullptr), COVEC_MISUSE);
}

TEST(Values, AreReadAsNumbers) {
  Program program;
  covec_session* const session = program.session;
  double number = -1;
  int64_t integer = -1;
  int boolean = -1;
  for (const auto& [text, expected] : std::initializer_list<std::pair<const char*, double>>{{"2.5", 2.5},
                                                                                            {"f32(0.5)", 0.5},
                                                                                            {"f16(0.25)", 0.25},
                                                                                            {"bf16(2)", 2},
                                                                                            {"i32(-3)", -3},
                                                                                            {"true", 1},
                                                                                            {"7", 7}}) {
    EXPECT_EQ(covec_get_number(session, program.value_of(text), &number), COVEC_OK) << text;
    EXPECT_EQ(number, expected) << text;
  }
  EXPECT_EQ(covec_get_integer(session, program.value_of("9007199254740993"), &integer), COVEC_OK);
  EXPECT_EQ(integer, 9007199254740993);
  EXPECT_EQ(covec_get_integer(session, program.value_of("i32(-3)"), &integer), COVEC_OK);
  EXPECT_EQ(integer, -3);
  EXPECT_EQ(covec_get_boolean(session, program.value_of("2 > 1"), &boolean), COVEC_OK);
  EXPECT_EQ(boolean, 1);
  EXPECT_EQ(covec_get_integer(session, program.value_of("1.0"), &integer), COVEC_ERROR);
  EXPECT_EQ(program.message(), "expected an integer, got f64");
  EXPECT_EQ(program.kind(), "type");
  EXPECT_EQ(covec_get_boolean(session, program.value_of("1"), &boolean), COVEC_ERROR);
  EXPECT_EQ(covec_get_number(session, program.value_of("[1.0]"), &number), COVEC_ERROR);
  EXPECT_EQ(covec_get_number(session, program.value_of("1.0"), nullptr), COVEC_MISUSE);
  EXPECT_EQ(integer, -3);
}

// --- tensors ---

TEST(Tensors, AreCopiedFromAnyLayout) {
  Program program;
  covec_session* const session = program.session;
  double cells[] = {1, 2, 3, 4, 5, 6};
  const int64_t dims[] = {3, 2}, columns[] = {1, 3}, back[] = {-2, 1};
  const auto text = [&](const int64_t* strides, const double* data) {
    return text_of(program.made([&](auto** v) { return covec_tensor(session, COVEC_F64, 2, dims, strides, data, v); }));
  };
  EXPECT_EQ(text(nullptr, cells), "[[1.0, 2.0],\n [3.0, 4.0],\n [5.0, 6.0]]");
  EXPECT_EQ(text(columns, cells), "[[1.0, 4.0],\n [2.0, 5.0],\n [3.0, 6.0]]");
  EXPECT_EQ(text(back, cells + 4), "[[5.0, 6.0],\n [3.0, 4.0],\n [1.0, 2.0]]");
  covec_value* const copy =
      program.made([&](auto** v) { return covec_tensor(session, COVEC_F64, 2, dims, nullptr, cells, v); });
  cells[0] = 100;  // a copy
  double read[6] = {};
  ASSERT_EQ(covec_read(session, copy, COVEC_F64, read, sizeof read), COVEC_OK);
  EXPECT_EQ(read[0], 1);
  EXPECT_EQ(covec_read(session, copy, COVEC_F64, read, sizeof read - 1), COVEC_MISUSE);
  EXPECT_EQ(covec_read(session, copy, COVEC_F32, read, sizeof read), COVEC_ERROR);
  EXPECT_EQ(covec_read(session, copy, COVEC_F64, nullptr, sizeof read), COVEC_MISUSE);
  int32_t transposed[4] = {};
  ASSERT_EQ(covec_read(session, program.value_of("i32([[1, 2], [3, 4]]).T"), COVEC_I32, transposed, sizeof transposed),
            COVEC_OK);
  EXPECT_EQ(transposed[1], 3);
  EXPECT_EQ(transposed[2], 2);
  uint16_t half = 0x3c00;
  EXPECT_EQ(
      text_of(program.made([&](auto** v) { return covec_tensor(session, COVEC_F16, 0, nullptr, nullptr, &half, v); })),
      "1.0");
  const int64_t nothing[] = {0, 3};
  EXPECT_EQ(covec_kind_of(program.made(
                [&](auto** v) { return covec_tensor(session, COVEC_F64, 2, nothing, nullptr, nullptr, v); })),
            COVEC_TENSOR);
}

TEST(Tensors, OfComplexNumbersAreInterleaved) {
  Program program;
  covec_session* const session = program.session;
  const double wide[] = {1, 2, 3, -0.0, 5, 6};
  const float narrow[] = {1, 2, 3, 4};
  const int64_t three = 3, two[] = {1, 2}, huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  covec_value* const z = program.made([&](auto** v) { return covec_complex(session, COVEC_F64, 1, &three, wide, v); });
  EXPECT_EQ(text_of(z), "[1.0+2.0im, 3.0-0.0im, 5.0+6.0im]");
  covec_value* const c = program.made([&](auto** v) { return covec_complex(session, COVEC_F32, 2, two, narrow, v); });
  EXPECT_EQ(text_of(c), "[[1.0+2.0im, 3.0+4.0im]]");
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_complex(session, COVEC_F64, 0, nullptr, wide, v); })),
            "1.0+2.0im");
  double read[6] = {};
  ASSERT_EQ(covec_read_complex(session, z, COVEC_F64, read, sizeof read), COVEC_OK);
  EXPECT_EQ(std::memcmp(read, wide, sizeof read), 0);
  float row[4] = {};
  ASSERT_EQ(covec_read_complex(session, program.value_of("c64([[1im, 2], [3, 4]]).T[0]"), COVEC_F32, row, 16),
            COVEC_OK);
  EXPECT_EQ(row[1], 1);
  EXPECT_EQ(row[2], 3);
  ASSERT_EQ(covec_read_complex(session, program.value_of("zeros(0, dtype=c128)"), COVEC_F64, nullptr, 0), COVEC_OK);
  size_t parts = 0;
  EXPECT_EQ(covec_length(session, c, &parts), COVEC_OK);
  EXPECT_EQ(parts, 2);
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_item(session, c, 1, v); })), "[[2.0, 4.0]]");

  EXPECT_EQ(covec_read_complex(session, z, COVEC_F64, read, sizeof read - 1), COVEC_MISUSE);
  EXPECT_EQ(covec_read_complex(session, z, COVEC_I64, read, sizeof read), COVEC_MISUSE);
  EXPECT_EQ(covec_read_complex(session, z, COVEC_F64, nullptr, sizeof read), COVEC_MISUSE);
  EXPECT_EQ(covec_read_complex(session, z, COVEC_F32, read, sizeof read), COVEC_ERROR);
  EXPECT_EQ(program.message(), "expected a c64, got c128[3]");
  EXPECT_EQ(covec_read_complex(session, program.value_of("[1.0]"), COVEC_F64, read, 16), COVEC_ERROR);
  EXPECT_EQ(program.message(), "expected a c128, got f64[1]");
  covec_view view;
  EXPECT_EQ(covec_look(session, z, &view), COVEC_ERROR);
  EXPECT_EQ(program.message(), "expected a tensor, got c128[3]");
  covec_value* none = nullptr;
  EXPECT_EQ(covec_complex(session, COVEC_I64, 1, &three, wide, &none), COVEC_MISUSE);
  EXPECT_EQ(covec_complex(session, COVEC_F64, 2, huge, wide, &none), COVEC_MISUSE);
  EXPECT_EQ(covec_complex(session, COVEC_F64, 17, &three, wide, &none), COVEC_MISUSE);
  EXPECT_EQ(covec_complex(session, COVEC_F64, 1, &three, nullptr, &none), COVEC_MISUSE);
  EXPECT_EQ(none, nullptr);
}

TEST(Tensors, LieInTheHostsMemoryWithAnyStrides) {
  Program program;
  covec_session* const session = program.session;
  static int released = 0;
  released = 0;
  double cells[12];
  for (int i = 0; i < 12; ++i) cells[i] = i;
  const int64_t dims[] = {4, 2}, strides[] = {-3, 1};
  covec_value* value = nullptr;
  ASSERT_EQ(covec_lend_strided(
                session, COVEC_F64, 2, dims, strides, cells + 9, [](void*) { ++released; }, nullptr, &value),
            COVEC_OK);
  covec_view view;
  ASSERT_EQ(covec_look(session, value, &view), COVEC_OK);
  EXPECT_EQ(view.data, cells + 9);
  EXPECT_EQ(view.strides[0], -3);
  cells[10] = 100;
  ASSERT_EQ(covec_set(session, "x", value), COVEC_OK);
  covec_release(value);
  EXPECT_EQ(covec_run(session, "run", "assert(all(x[:, 1] == [100.0, 7.0, 4.0, 1.0]))", nullptr), COVEC_OK);
  EXPECT_EQ(text_of(program.value_of("x[0, 0] = 5.0\nx[0, 0] + 0")), "5.0");
  EXPECT_EQ(cells[9], 9);  // never written
  EXPECT_EQ(released, 1);  // x is a copy of the program's own now
  // A number for each of many, and few elements of much memory: these are copied.
  const int64_t many[] = {1000}, same[] = {0}, two[] = {2}, far[] = {9};
  EXPECT_EQ(text_of(program.made([&](auto** v) {
              return covec_lend_strided(
                  session, COVEC_F64, 1, two, far, cells, [](void*) { ++released; }, nullptr, v);
            })),
            "[0.0, 9.0]");
  EXPECT_EQ(released, 2);
  ASSERT_EQ(covec_set(session, "y", program.made([&](auto** v) {
              return covec_lend_strided(session, COVEC_F64, 1, many, same, cells + 2, nullptr, nullptr, v);
            })),
            COVEC_OK);
  EXPECT_EQ(text_of(program.value_of("sum(y)")), "2000.0");
}

// Whether the handle alone has the elements.
int is_exclusive(Program& program, covec_value* value) {
  int exclusive = -1;
  EXPECT_EQ(covec_is_exclusive(program.session, value, &exclusive), COVEC_OK);
  return exclusive;
}

TEST(Tensors, NameWhoHasSharedThem) {
  Program program;
  covec_session* const session = program.session;
  const double numbers[] = {1, 2, 3, 4};
  const int64_t dims[] = {4};
  int released = 0;
  const auto count = [](void* owner) { ++*static_cast<int*>(owner); };
  covec_value* const shared =
      program.made([&](auto** v) { return covec_lend(session, COVEC_F64, 1, dims, numbers, count, &released, v); });
  ASSERT_EQ(covec_set(session, "x", shared), COVEC_OK);
  void (*release)(void*) = nullptr;
  void* owner = nullptr;
  for (const char* text : {"x", "x[1:]", "x[::-1]"}) {
    ASSERT_EQ(covec_lender(session, program.value_of(text), &release, &owner), COVEC_OK) << text;
    EXPECT_EQ(owner, &released) << text;
    EXPECT_EQ(release, static_cast<void (*)(void*)>(count)) << text;
  }
  for (const char* text : {"x + 1", "[1.0, 2.0]", "1.0", "\"text\""}) {
    ASSERT_EQ(covec_lender(session, program.value_of(text), &release, &owner), COVEC_OK) << text;
    EXPECT_EQ(owner, nullptr) << text;
    EXPECT_EQ(release, nullptr) << text;
  }
  EXPECT_EQ(covec_lender(session, nullptr, &release, &owner), COVEC_MISUSE);
  EXPECT_EQ(covec_lender(session, shared, nullptr, &owner), COVEC_MISUSE);
  EXPECT_EQ(covec_lender(session, shared, &release, nullptr), COVEC_MISUSE);
}

// A session whose name has memory that a value of its own holds would never end, if its names went last.
TEST(Tensors, OfTheirOwnSessionGoWhenItIsClosed) {
  static covec_value* held;
  covec_session* const session = covec_open(nullptr);
  ASSERT_EQ(covec_run(session, "make", "zeros(100) + 1", &held), COVEC_OK);
  covec_view view;
  ASSERT_EQ(covec_look(session, held, &view), COVEC_OK);
  static int released;
  released = 0;
  const auto let_go = [](void*) {
    ++released;
    covec_release(held);
  };
  covec_value* shared = nullptr;
  ASSERT_EQ(covec_lend(session, COVEC_F64, 1, view.dims, view.data, let_go, nullptr, &shared), COVEC_OK);
  ASSERT_EQ(covec_set(session, "x", shared), COVEC_OK);
  covec_release(shared);
  EXPECT_EQ(released, 0);
  EXPECT_EQ(covec_close(session), COVEC_OK);
  EXPECT_EQ(released, 1);
}

TEST(Tensors, AreTheHostsToWriteWhereNobodyElseHasThem) {
  Program program;
  covec_session* const session = program.session;
  EXPECT_EQ(is_exclusive(program, program.value_of("[1.0, 2.0] + 1")), 1);
  EXPECT_EQ(is_exclusive(program, program.value_of("x = zeros(3)\nx")), 0);
  EXPECT_EQ(is_exclusive(program, program.value_of("zeros(40, 30)[1]")), 1);  // the whole is gone
  for (const char* other : {"2.5", "true", "\"a\"", "(1, 2)", "list(1)", "none", "x -> x"})
    EXPECT_EQ(is_exclusive(program, program.value_of(other)), 0) << other;
  covec_value* const value = program.value_of("zeros(3) + 1");
  covec_value* copy = nullptr;
  ASSERT_EQ(covec_copy(session, value, &copy), COVEC_OK);
  EXPECT_EQ(is_exclusive(program, value), 0);
  covec_release(copy);
  EXPECT_EQ(is_exclusive(program, value), 1);
  ASSERT_EQ(covec_set(session, "y", value), COVEC_OK);
  EXPECT_EQ(is_exclusive(program, value), 0);
  const double cells[] = {1, 2};
  const int64_t dims[] = {2};
  EXPECT_EQ(is_exclusive(program, program.made([&](auto** v) {
              return covec_lend(session, COVEC_F64, 1, dims, cells, nullptr, nullptr, v);
            })),
            0);
  int exclusive = 7;
  EXPECT_EQ(covec_is_exclusive(session, nullptr, &exclusive), COVEC_MISUSE);
  EXPECT_EQ(covec_is_exclusive(session, value, nullptr), COVEC_MISUSE);
  EXPECT_EQ(exclusive, 7);
}

TEST(Tensors, AreRefusedWhereTheyCannotBe) {
  Program program;
  covec_session* const session = program.session;
  const unsigned char bools[] = {1, 2, 0, 3};
  const double cells[4] = {};
  const std::vector<int64_t> ones(17, 1), huge(4, int64_t{1} << 20);
  const int64_t two[] = {2}, half[] = {2}, minus[] = {-1}, far[] = {INT64_MAX}, back[] = {INT64_MIN};
  const auto refused = [&](covec_dtype dtype, unsigned rank, const int64_t* dims, const int64_t* strides,
                           const void* data) {
    covec_value* value = nullptr;
    const covec_status copied = covec_tensor(session, dtype, rank, dims, strides, data, &value);
    const covec_status shared = covec_lend_strided(
        session, dtype, rank, dims, strides, data, [](void*) { FAIL() << "was not shared"; }, nullptr, &value);
    EXPECT_EQ(value, nullptr);
    return copied == COVEC_MISUSE && shared == COVEC_MISUSE;
  };
  EXPECT_TRUE(refused(COVEC_F64, 17, ones.data(), nullptr, cells));
  EXPECT_TRUE(refused(COVEC_F64, UINT32_MAX, ones.data(), nullptr, cells));
  EXPECT_TRUE(refused(COVEC_F64, 4, huge.data(), nullptr, cells));
  EXPECT_TRUE(refused(COVEC_F64, 1, minus, nullptr, cells));
  EXPECT_TRUE(refused(COVEC_F64, 1, nullptr, nullptr, cells));
  EXPECT_TRUE(refused(COVEC_F64, 1, two, nullptr, nullptr));
  EXPECT_TRUE(refused(COVEC_F64, 1, two, far, cells));
  EXPECT_TRUE(refused(COVEC_F64, 1, two, back, cells));
  EXPECT_TRUE(refused(COVEC_BOOL, 1, two, nullptr, bools));
  EXPECT_FALSE(refused(static_cast<covec_dtype>(12), 0, nullptr, nullptr, cells) == false);
  const int64_t every_other[] = {2};
  EXPECT_TRUE(refused(COVEC_BOOL, 1, half, every_other, bools + 1));  // 2 and 3
  covec_value* const good =
      program.made([&](auto** v) { return covec_tensor(session, COVEC_BOOL, 1, half, every_other, bools, v); });
  EXPECT_EQ(text_of(good), "[true, false]");
}

// --- trees ---

TEST(Trees, AreMadeOfPartsAndTakenApart) {
  Program program;
  covec_session* const session = program.session;
  const Values items{program.number(1), program.string("two")};
  const char* const names[] = {"a", "größe"};
  const Values keys{program.string("k"), program.value_of("(1, true)")};
  covec_value* const trees[] = {
      program.made([&](auto** v) { return covec_tuple(session, items.data(), 2, v); }),
      program.made([&](auto** v) { return covec_list(session, items.data(), 2, v); }),
      program.made([&](auto** v) { return covec_record(session, names, items.data(), 2, v); }),
      program.made([&](auto** v) { return covec_map(session, keys.data(), items.data(), 2, v); })};
  const char* const texts[] = {"(1.0, \"two\")", "list(1.0, \"two\")", "{a: 1.0, größe: \"two\"}",
                               "{\"k\": 1.0, (1, true): \"two\"}"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(text_of(trees[i]), texts[i]);
    size_t length = 0;
    EXPECT_EQ(covec_length(session, trees[i], &length), COVEC_OK);
    EXPECT_EQ(length, 2u);
    EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_item(session, trees[i], 1, v); })), "two");
    covec_value* none = items[0];
    EXPECT_EQ(covec_item(session, trees[i], 2, &none), COVEC_ERROR);
    EXPECT_EQ(program.kind(), "index");
    EXPECT_EQ(none, nullptr);
  }
  const char* name = nullptr;
  EXPECT_EQ(covec_field_name(session, trees[2], 1, &name), COVEC_OK);
  EXPECT_STREQ(name, "größe");
  EXPECT_EQ(covec_field_name(session, trees[2], 2, &name), COVEC_ERROR);
  EXPECT_EQ(covec_field_name(session, trees[3], 0, &name), COVEC_ERROR);
  covec_value* const columns = program.value_of(R"(table_record(["a b", "a\0b"], list([1], [2])))");
  EXPECT_EQ(covec_field_name(session, columns, 0, &name), COVEC_OK);
  EXPECT_STREQ(name, "a b");
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_field(session, columns, "a b", v); })), "[1]");
  EXPECT_EQ(covec_field_name(session, columns, 1, &name), COVEC_ERROR);
  EXPECT_EQ(program.kind(), "value");
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_field(session, trees[2], "a", v); })), "1.0");
  covec_value* value = nullptr;
  EXPECT_EQ(covec_field(session, trees[2], "b", &value), COVEC_ERROR);
  EXPECT_EQ(program.kind(), "key");
  EXPECT_EQ(covec_field(session, trees[0], "a", &value), COVEC_ERROR);
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_key(session, trees[3], 1, v); })), "(1, true)");
  EXPECT_EQ(covec_key(session, trees[3], 2, &value), COVEC_ERROR);
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_find(session, trees[3], keys[1], v); })), "two");
  EXPECT_EQ(covec_find(session, trees[3], items[1], &value), COVEC_OK);
  EXPECT_EQ(value, nullptr);
  EXPECT_EQ(covec_find(session, trees[3], items[0], &value), COVEC_ERROR);  // f64 is no key
  EXPECT_EQ(covec_length(session, items[0], nullptr), COVEC_MISUSE);
  size_t length = 7;
  EXPECT_EQ(covec_length(session, items[0], &length), COVEC_ERROR);
  EXPECT_EQ(length, 7u);
  EXPECT_EQ(text_of(program.made([&](auto** v) { return covec_tuple(session, nullptr, 0, v); })), "()");
  double numbers[3] = {};
  EXPECT_EQ(covec_read_numbers(session, program.value_of("(1, [2.0, 3.0])"), numbers, 3), COVEC_OK);
  EXPECT_EQ(numbers[2], 3.0);
  EXPECT_EQ(covec_read_numbers(session, trees[0], numbers, 2), COVEC_ERROR);
  EXPECT_EQ(covec_read_numbers(session, trees[0], nullptr, 2), COVEC_MISUSE);
}

TEST(Trees, AreRefusedWhereNamesOrKeysCannotBe) {
  Program program, other;
  covec_session* const session = program.session;
  const Values items{program.number(1), program.number(2)}, foreign{items[0], other.number(1)};
  covec_value* value = nullptr;
  for (const auto& names : std::initializer_list<std::vector<const char*>>{
           {"a", "fn"}, {"a", "a"}, {"a", nullptr}, {"a", ""}, {"a", "1b"}, {"a", "b c"}})
    EXPECT_EQ(covec_record(session, names.data(), items.data(), 2, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_record(session, nullptr, items.data(), 2, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_map(session, items.data(), items.data(), 2, &value), COVEC_MISUSE);  // f64 is no key
  const Values twice{program.value_of("1"), program.value_of("i32(1)")};
  EXPECT_EQ(covec_map(session, twice.data(), items.data(), 2, &value), COVEC_MISUSE);
  EXPECT_EQ(program.message(), "a key comes twice");
  EXPECT_EQ(program.kind(), "misuse");
  EXPECT_EQ(covec_map(session, nullptr, items.data(), 2, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_tuple(session, foreign.data(), 2, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_list(session, nullptr, 1, &value), COVEC_MISUSE);
  EXPECT_EQ(covec_list(session, items.data(), 2, nullptr), COVEC_MISUSE);
  EXPECT_EQ(covec_copy(session, foreign[1], &value), COVEC_MISUSE);
  EXPECT_EQ(covec_item(session, foreign[1], 0, &value), COVEC_MISUSE);
  EXPECT_EQ(value, nullptr);
}

TEST(Trees, CountAsTheSessionsMemory) {
  Program program;
  covec_account before, with;
  ASSERT_EQ(covec_memory(program.session, &before), COVEC_OK);
  const std::string text(1 << 20, 'x');
  covec_value* value = nullptr;
  ASSERT_EQ(covec_string(program.session, text.data(), text.size(), &value), COVEC_OK);
  ASSERT_EQ(covec_memory(program.session, &with), COVEC_OK);
  EXPECT_GE(with.used, before.used + (1 << 20));
  covec_value* again = nullptr;
  ASSERT_EQ(covec_copy(program.session, value, &again), COVEC_OK);
  covec_release(value);
  EXPECT_EQ(covec_text_bytes(again), text.size());
  covec_release(again);
  ASSERT_EQ(covec_memory(program.session, &with), COVEC_OK);
  EXPECT_LE(with.used, before.used);
  covec_options small{};
  small.memory_limit = 1u << 20;
  small.threads = 1;
  covec_session* limited = covec_open(&small);
  EXPECT_EQ(covec_string(limited, text.data(), text.size(), &value), COVEC_ERROR);
  EXPECT_STREQ(covec_error_kind(limited), "limit");
  covec_close(limited);
}

}  // namespace
