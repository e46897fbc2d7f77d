// Text character by character: upper and lower case, and code points as numbers.
#include <emmintrin.h>

#include <bit>

#include "stdlib/ops/text/case.hpp"
#include "stdlib/ops/text/family.hpp"
#include "stdlib/ops/text/operands.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

constexpr size_t width = sizeof(__m128i);

// How many ASCII characters a text begins with. One that stray bytes continue is none.
size_t leading_ascii(std::string_view text) {
  size_t at = 0;
  unsigned others = 0;
  for (; others == 0 && text.size() - at >= width; at += width)
    others = static_cast<unsigned>(_mm_movemask_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&text[at]))));
  if (others != 0) at = at - width + static_cast<size_t>(std::countr_zero(others));
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  const bool continued = at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  return continued ? at - 1 : at;
}

// The letters of ASCII from `first` to `last` in the other case; bytes of other characters are none of them.
void turn_ascii(std::string& text, char first, char last) {
  constexpr char distance = 'a' - 'A';
  const __m128i below = _mm_set1_epi8(static_cast<char>(first - 1)), above = _mm_set1_epi8(static_cast<char>(last + 1));
  size_t at = 0;
  for (; text.size() - at >= width; at += width) {
    __m128i* const place = reinterpret_cast<__m128i*>(&text[at]);
    const __m128i bytes = _mm_loadu_si128(place);
    const __m128i letters = _mm_and_si128(_mm_cmpgt_epi8(bytes, below), _mm_cmplt_epi8(bytes, above));
    _mm_storeu_si128(place, _mm_xor_si128(bytes, _mm_and_si128(letters, _mm_set1_epi8(distance))));
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
