// Text character by character: upper and lower case, and code points as numbers.
#include <bit>
#include <cstring>

#include "stdlib/ops/text/case.hpp"
#include "stdlib/ops/text/family.hpp"
#include "stdlib/ops/text/operands.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

// The top bits of the eight bytes at a place: those of bytes that are not ASCII are set.
uint64_t top_bits(const char* place) {
  uint64_t bytes;
  std::memcpy(&bytes, place, sizeof bytes);
  return bytes & 0x8080808080808080;
}

// How many ASCII characters a text begins with. One that stray bytes continue is none.
size_t leading_ascii(std::string_view text) {
  static_assert(std::endian::native == std::endian::little, "the first byte has the lowest bits");
  constexpr size_t width = sizeof(uint64_t);
  size_t at = 0;
  while (text.size() - at >= 2 * width && (top_bits(&text[at]) | top_bits(&text[at + width])) == 0) at += 2 * width;
  for (size_t passed = width; passed == width && text.size() - at >= width; at += passed)
    passed = static_cast<size_t>(std::countr_zero(top_bits(&text[at]))) / 8;  // of 0 it is 64
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  const bool continued = at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  return continued ? at - 1 : at;
}

// The compiler's vectors of 16 bytes, for any machine.
typedef unsigned char Bytes __attribute__((vector_size(16)));
typedef signed char Signed __attribute__((vector_size(16)));

// The letters of ASCII from `first` to `last` in the other case; bytes of other characters are none of them.
void turn_ascii(std::string& text, char first, char last) {
  constexpr char distance = 'a' - 'A';
  // Letters become the smallest signed numbers, so that one comparison finds them.
  const auto to_smallest = static_cast<unsigned char>(0x80 - first);
  const auto behind = static_cast<signed char>(last - first + 1 - 0x80);
  size_t at = 0;
  for (; text.size() - at >= sizeof(Bytes); at += sizeof(Bytes)) {
    Bytes bytes;
    std::memcpy(&bytes, &text[at], sizeof bytes);
    const Signed moved = (Signed)(bytes + to_smallest);
    bytes ^= (Bytes)((moved < behind) & distance);
    std::memcpy(&text[at], &bytes, sizeof bytes);
  }
  for (; at < text.size(); ++at) text[at] ^= text[at] >= first && text[at] <= last ? distance : 0;
}

// All ASCII is turned at once at the end.
template <char32_t map(char32_t), char first, char last>
Value each_character(Builder& b, Call& call) {
  std::string_view text = text_argument(call, 0).text;
  need_text(text.size());
  std::string out;
  out.reserve(text.size());
  for (size_t passed = 0; !text.empty(); ++passed) {
    look_around(b, passed);
    if (const size_t ascii = leading_ascii(text)) {
      out += text.substr(0, ascii);
      text.remove_prefix(ascii);
      continue;
    }
    const Character next = Character::first_of(text);
    const char32_t mapped = map(next.number);
    if (mapped == next.number)
      out += text.substr(0, next.bytes);  // also where it is not UTF-8
    else
      append_code_point(out, mapped);
    text.remove_prefix(next.bytes);
  }
  turn_ascii(out, first, last);
  return make_string(std::move(out));
}

Value codes(Builder& b, Call& call) {
  const String& source = text_argument(call, 0);
  Value numbers = make_tensor(b.pool(), Dtype::i64, {Dim(source.length())});
  int64_t* to = numbers.tensor().as<int64_t>();
  for (std::string_view text = source.text; !text.empty();) {
    look_around(b, static_cast<size_t>(to - numbers.tensor().as<int64_t>()));
    const Character next = Character::first_of(text);
    *to++ = next.number;
    text.remove_prefix(next.bytes);
  }
  return numbers;
}

bool is_code_point(int64_t number) {
  return number >= 0 && number <= 0x10FFFF && !(number >= 0xD800 && number <= 0xDFFF);
}

Value from_codes(Builder& b, Call& call) {
  const std::vector<int64_t> numbers = integer_list_argument(call, 0);
  need_text(numbers.size());
  std::string out;
  for (size_t i = 0; i < numbers.size(); ++i) {
    look_around(b, i);
    if (!is_code_point(numbers[i]))
      fail(message("code_point"), {std::to_string(numbers[i]), std::to_string(i)}, {label_of(call, 0)});
    append_code_point(out, static_cast<char32_t>(numbers[i]));
  }
  return make_string(std::move(out));
}

const Entry& upper_entry() {
  static const Entry entry = text_operator(
      "upper", "The text in upper case, a character for a character (Unicode's simple mappings: `ß` stays).",
      {any_parameter("text")}, each_character<upper_case, 'a', 'z'>,
      {{"\"Ab1 é ж\"", "\"AB1 É Ж\"", "python"}, {"\"straße\"", "\"STRAßE\"", "Unicode 14"}}, "gives a string");
  return entry;
}
const Entry& lower_entry() {
  static const Entry entry =
      text_operator("lower", "The text in lower case, a character for a character (Unicode's simple mappings).",
                    {any_parameter("text")}, each_character<lower_case, 'A', 'Z'>,
                    {{"\"ÀB Ω İ\"", "\"àb ω İ\"", "Unicode 14"}}, "gives a string");
  return entry;
}
const Entry& codes_entry() {
  static const Entry entry = text_operator(
      "codes", "The code points of a text, as a tensor of i64.", {any_parameter("text")}, codes,
      {{"\"aé€😀\"", "[97, 233, 8364, 128512]", "python"}, {"\"\"", "zeros(0, dtype=i64)", "python"}}, "gives integers");
  return entry;
}
const Entry& from_codes_entry() {
  static const Entry entry = text_operator(
      "from_codes", "The text that has these code points: what `codes` gives, a tensor, tuple or list of integers.",
      {attribute("codes")}, from_codes,
      {{"[97, 233, 8364, 128512]", "\"aé€😀\"", "python"}, {"codes(\"\")", "\"\"", "python"}}, "gives a string");
  return entry;
}

}  // namespace

Family text_characters_entries() {
  static const Entry* const entries[] = {&upper_entry(), &lower_entry(), &codes_entry(), &from_codes_entry()};
  return entries;
}

}  // namespace covec::ops
