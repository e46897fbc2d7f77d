// Reads numbers from strings for the casts: a number as a program writes it, with a sign and blanks around.
#include <charconv>
#include <limits>
#include <optional>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/elementwise/text.hpp"
#include "stdlib/tensor/number_text.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

[[noreturn]] void fail_number(const Call& call, Dtype dtype, std::string why) {
  constexpr int64_t longest = 40;  // characters of a text that an error shows
  const String& text = call.args[0].string();
  const bool is_long = text.length() > longest;
  const std::string start(is_long ? text.part(0, longest) : std::string_view(text.text));
  fail(message("text_number"), {quoted(start) + (is_long ? "…" : ""), std::string(name_of(dtype)), std::move(why)},
       {{0, ""}});
}

// A number as a program writes it, with a sign.
struct Literal {
  bool negative = false, hex = false;
  std::string digits;  // without sign, "0x" and underscores

  // Nothing where it is none: digits, with single underscores between them, a fraction and an exponent.
  static std::optional<Literal> of(std::string_view text) {
    Literal out;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
      out.negative = text[0] == '-';
      text.remove_prefix(1);
    }
    out.hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (out.hex) text.remove_prefix(2);
    if (!out.take_digits(text)) return std::nullopt;
    if (!out.hex && !text.empty() && text[0] == '.' && !out.take(text, '.')) return std::nullopt;
    if (!out.hex && !text.empty() && (text[0] == 'e' || text[0] == 'E') && !out.take_exponent(text))
      return std::nullopt;
    return text.empty() ? std::optional(out) : std::nullopt;
  }
  bool whole() const { return hex || digits.find_first_of(".e") == std::string::npos; }

 private:
  bool is_digit(char c) const {
    return (c >= '0' && c <= '9') || (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
  }
  bool take_digits(std::string_view& text) {
    if (text.empty() || !is_digit(text[0])) return false;
    while (!text.empty()) {
      if (text.size() > 1 && text[0] == '_' && is_digit(text[1])) text.remove_prefix(1);
      if (!is_digit(text[0])) break;
      digits += text[0];
      text.remove_prefix(1);
    }
    return true;
  }
  bool take(std::string_view& text, char sign) {
    digits += sign;
    text.remove_prefix(1);
    return take_digits(text);
  }
  bool take_exponent(std::string_view& text) {
    const bool is_signed = text.size() > 1 && (text[1] == '-' || text[1] == '+');
    const char sign = is_signed ? text[1] : '+';
    text.remove_prefix(is_signed ? 1 : 0);
    digits += 'e';
    return take(text, sign);
  }
};

// Nothing where it does not fit: `most` is the size of the least number.
std::optional<int64_t> whole_value(const Literal& literal, uint64_t most) {
  uint64_t size = 0;
  const std::string& digits = literal.digits;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), size, literal.hex ? 16 : 10);
  if (code != std::errc() || size > most - !literal.negative) return std::nullopt;
  return static_cast<int64_t>(literal.negative ? uint64_t{0} - size : size);
}

constexpr uint64_t least_i64 = uint64_t{1} << 63;  // the least i64 is −2^63

int64_t read_integer(const Call& call, std::string_view text, Dtype dtype) {
  const std::optional<Literal> literal = Literal::of(text);
  if (!literal) fail_number(call, dtype, "it is not an integer literal of the language");
  if (!literal->whole()) fail_number(call, dtype, "it is a float; i64(f64(text)) rounds toward zero");
  const std::optional<int64_t> number = whole_value(*literal, least_i64);
  if (!number || !fits(*number, dtype)) fail_number(call, dtype, "it does not fit");
  return *number;
}

template <class Real>
Real read_real(const Call& call, std::string_view text, Dtype dtype) {
  std::string_view name = text;
  const bool negative = !name.empty() && name[0] == '-';
  if (!name.empty() && (negative || name[0] == '+')) name.remove_prefix(1);
  if (name == "nan") return std::numeric_limits<Real>::quiet_NaN();
  if (name == "inf") return negative ? -std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::infinity();
  const std::optional<Literal> literal = Literal::of(text);
  if (!literal) fail_number(call, dtype, "it is not a number literal of the language");
  if (literal->hex) {
    const std::optional<int64_t> number = whole_value(*literal, least_i64);
    if (!number) fail_number(call, dtype, "it does not fit");
    return static_cast<Real>(*number);
  }
  Real size = 0;
  const std::string& digits = literal->digits;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (code == std::errc::result_out_of_range) {
    if (!is_tiny(digits)) fail_number(call, dtype, "it does not fit");
    size = 0;  // what no float is near, as of a literal
  }
  return negative ? -size : size;
}

bool read_bool(const Call& call, std::string_view text) {
  if (text != "true" && text != "false") fail_number(call, Dtype::boolean, "it is neither true nor false");
  return text == "true";
}

template <Dtype dtype>
Value read_number(Builder&, Call& call) {
  const std::string_view text = trimmed(call.args[0].string().text);
  if constexpr (dtype == Dtype::boolean) return Value(read_bool(call, text));
  if constexpr (!is_float(dtype)) return Value::number(dtype, read_integer(call, text, dtype));
  if constexpr (dtype == Dtype::f32) return Value(read_real<float>(call, text, dtype));
  return Value::number(dtype, read_real<double>(call, text, dtype));
}

template <size_t number>
const Entry& read_entry() {
  constexpr Dtype dtype = all_dtypes[number];
  static const std::string name = std::string(name_of(dtype)) + "_of_text";
  static const Entry entry =
      text_entry(name, "The number that a string holds.", {any_parameter("x")}, read_number<dtype>);
  return entry;
}

template <size_t number>
const Entry* for_text(std::span<const Value> args, uint32_t) {
  return args.size() == 1 && args[0].is(ObjectKind::string) ? &read_entry<number>() : nullptr;
}

// By the numbers of the dtypes.
struct Readers {
  std::array<decltype(Entry::instead), dtype_count> instead;
  std::array<const Entry*, dtype_count> entries;
};

template <size_t... numbers>
Readers make_readers(std::index_sequence<numbers...>) {
  return {{for_text<numbers>...}, {&read_entry<numbers>()...}};
}

const Readers& readers() {
  static const Readers all = make_readers(std::make_index_sequence<dtype_count>());
  return all;
}

}  // namespace

decltype(Entry::instead) number_of_text(Dtype dtype) { return readers().instead[static_cast<size_t>(dtype)]; }

Family elementwise_number_text_entries() { return readers().entries; }

}  // namespace covec::ops
