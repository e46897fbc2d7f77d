// Strings: code points and their places against a plain definition, while a text grows; what they take.
#include <random>

#include "values_support.hpp"

namespace covec {
namespace {

// What begins a code point: each byte that continues none, and the first one.
std::vector<size_t> starts_in(const std::string& text) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == 0 || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  return starts;
}

void expect_parts(const String& string, std::mt19937& random) {
  std::vector<size_t> starts = starts_in(string.text);
  const auto length = static_cast<int64_t>(starts.size());
  ASSERT_EQ(string.length(), length);
  starts.push_back(string.text.size());
  for (int round = 0; round < 20; ++round) {
    const auto from = static_cast<int64_t>(random() % (starts.size()));
    const auto count = static_cast<int64_t>(random() % (starts.size() - static_cast<size_t>(from)));
    const size_t begin = starts[static_cast<size_t>(from)], end = starts[static_cast<size_t>(from + count)];
    ASSERT_EQ(string.part(from, count), std::string_view(string.text).substr(begin, end - begin));
    if (from < length) {
      ASSERT_EQ(string.character(from), string.part(from, 1));
    }
  }
}

TEST(Strings, TextsAreFoundWhereTheStandardLibraryFindsThem) {
  std::mt19937 random(2);
  const auto text_of = [&](size_t most) {
    std::string text;
    for (size_t i = random() % (most + 1); i > 0; --i) text += "aab\0"[random() % 4];
    return text;
  };
  size_t found = 0;
  for (int round = 0; round < 20000; ++round) {
    const size_t most = round % 2 == 0 ? 40 : 300;  // less than a block of places, and some blocks
    const std::string text = text_of(most), part = text_of(6);
    const size_t from = random() % (most + 4);
    const size_t expected = text.find(part, from);
    ASSERT_EQ(find_text(text, part, from), expected) << text << " " << part << " " << from;
    found += expected != std::string::npos;
  }
  EXPECT_GT(found, 4000u);
}

TEST_F(Values, PartsOfStringsThatGrow) {
  const Memory::Use use(pool);
  std::mt19937 random(1);
  const std::string pieces[] = {"a", "ab", "é", "€", "😀", "0123456789abcdef", "", "\x80", "\xC3"};
  for (int text = 0; text < 300; ++text) {
    const Value value = make_string(pieces[random() % std::size(pieces)]);
    for (int i = 0; i < 60; ++i) {
      value.string().append(pieces[random() % (text < 50 ? 2 : text < 200 ? 7 : std::size(pieces))]);
      if (random() % 8 == 0) expect_parts(value.string(), random);
    }
    expect_parts(value.string(), random);
  }
}

TEST_F(Values, StringsAreCharged) {
  const Memory::Use use(pool);
  {
    const Value value = make_string("é");
    const uint64_t empty = pool.account().used;
    for (int i = 0; i < 100000; ++i) value.string().append("éa");
    EXPECT_GE(pool.account().used, empty + 300000);
    EXPECT_LE(pool.account().used, empty + 2 * 300000 + 100);
    const uint64_t grown = pool.account().used;
    EXPECT_EQ(value.string().character(200000), "a");
    EXPECT_GE(pool.account().used, grown + 200000 / 16 * sizeof(size_t));
    EXPECT_LE(pool.account().used, grown + 200000);
  }
  EXPECT_EQ(pool.account().used, 0u);
}

TEST_F(Values, StringsStayAsTheyWereWhereMemoryEnds) {
  const Memory::Use use(pool);
  const Value value = make_string(std::string(1000, 'x'));
  pool.set_limit(pool.account().used + 1000);
  EXPECT_NE(message_of([&] { value.string().append(std::string(100000, 'y')); }), "");
  EXPECT_EQ(value.string().text, std::string(1000, 'x'));
  pool.set_limit(uint64_t{1} << 30);
  value.string().append("é");
  pool.set_limit(pool.account().used + 8);
  EXPECT_NE(message_of([&] { value.string().character(500); }), "");
  pool.set_limit(uint64_t{1} << 30);
  EXPECT_EQ(value.string().character(1000), "é");
}

TEST(CodePoints, GoToTextAndBack) {
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x900 ? 1 : 61) {
    std::string text;
    append_code_point(text, c);
    ASSERT_EQ(first_code_point(text), c);
    ASSERT_EQ(String(text).length(), 1);
  }
  std::string last;
  append_code_point(last, 0x10FFFF);
  EXPECT_EQ(last, "\xF4\x8F\xBF\xBF");
}

}  // namespace
}  // namespace covec
