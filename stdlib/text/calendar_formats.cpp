// Reads and writes dates by formats, with the directives of C's strptime and strftime, and of Python.
#include <array>
#include <cmath>
#include <cstdio>

#include "stdlib/text/calendar.hpp"

namespace covec {

namespace {

constexpr std::array<std::string_view, 12> months = {"January",   "February", "March",    "April",
                                                     "May",       "June",     "July",     "August",
                                                     "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> weekdays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                      "Friday", "Saturday", "Sunday"};
constexpr double day_seconds = 86400;  // 24 · 60 · 60: days without leap seconds, as POSIX counts

bool same_letters(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if ((text[i] | 0x20) != (word[i] | 0x20)) return false;
  }
  return true;
}

// Takes one of the names off the text, whole or its first three letters.
template <size_t n>
std::optional<int> take_name(std::string_view& text, const std::array<std::string_view, n>& names, bool whole) {
  for (size_t i = 0; i < n; ++i) {
    const std::string_view name = whole ? names[i] : names[i].substr(0, 3);
    if (!same_letters(text, name)) continue;
    text.remove_prefix(name.size());
    return static_cast<int>(i);
  }
  return std::nullopt;
}

// Takes from one to `most` digits off the text: a number from `low` to `high`.
std::optional<int> take_number(std::string_view& text, size_t most, int low, int high) {
  int number = 0;
  size_t count = 0;
  for (; count < most && count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count)
    number = number * 10 + (text[count] - '0');
  text.remove_prefix(count);
  if (count == 0 || number < low || number > high) return std::nullopt;
  return number;
}

// A date as it is read, part by part.
class FormatReader {
 public:
  explicit FormatReader(std::string_view text) : text_(text) {}

  bool read(std::string_view format) {
    for (; !format.empty(); format.remove_prefix(1)) {
      if (format.front() != '%' || format.size() == 1) {
        if (!literal(format.front())) return false;
        continue;
      }
      format.remove_prefix(1);
      if (!directive(format.front())) return false;
    }
    return text_.empty();
  }

  std::optional<double> seconds() const {
    Date date = date_;
    if (afternoon_) date.hour = date.hour % 12 + (*afternoon_ ? 12 : 0);
    if (day_of_year_) {
      const double first = seconds_of({date.year, 1, 1, date.hour, date.minute, date.second});
      return first + (*day_of_year_ - 1) * day_seconds - offset_;
    }
    const double seconds = seconds_of(date);
    if (date_of(seconds).day != date.day) return std::nullopt;  // a day that the month does not have
    return seconds - offset_;
  }

 private:
  bool literal(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  template <class Field>
  bool number(Field& field, size_t most, int low, int high) {
    const auto taken = take_number(text_, most, low, high);
    if (taken) field = *taken;
    return taken.has_value();
  }
  bool fraction() {
    double place = 0.1;
    const size_t before = text_.size();
    for (; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; text_.remove_prefix(1), place /= 10)
      date_.second += (text_[0] - '0') * place;
    return text_.size() < before;
  }
  bool month(bool whole) {
    const auto taken = take_name(text_, months, whole);
    if (taken) date_.month = *taken + 1;
    return taken.has_value();
  }
  bool half() {
    if (!same_letters(text_, "am") && !same_letters(text_, "pm")) return false;
    afternoon_ = (text_[0] | 0x20) == 'p';
    text_.remove_prefix(2);
    return true;
  }
  bool short_year() {
    if (!number(date_.year, 2, 0, 99)) return false;
    date_.year += date_.year < 69 ? 2000 : 1900;  // POSIX
    return true;
  }
  bool offset() {
    if (literal('Z')) return true;
    const bool negative = text_.starts_with('-');
    if (!negative && !text_.starts_with('+')) return false;
    text_.remove_prefix(1);
    const auto hours = take_number(text_, 2, 0, 23);
    literal(':');
    const auto minutes = take_number(text_, 2, 0, 59);
    if (!hours || !minutes) return false;
    offset_ = (negative ? -1 : 1) * (*hours * 3600 + *minutes * 60);
    return true;
  }
  bool directive(char c) {
    switch (c) {
      case 'Y': return number(date_.year, 4, 0, 9999);
      case 'y': return short_year();
      case 'm': return number(date_.month, 2, 1, 12);
      case 'd': return number(date_.day, 2, 1, 31);
      case 'j': return number(day_of_year_.emplace(), 3, 1, 366);
      case 'H': return number(date_.hour, 2, 0, 23);
      case 'I': return number(date_.hour, 2, 1, 12);
      case 'M': return number(date_.minute, 2, 0, 59);
      case 'S': return number(date_.second, 2, 0, 59);
      case 'f': return fraction();
      case 'p': return half();
      case 'b': return month(false);
      case 'B': return month(true);
      case 'a': return take_name(text_, weekdays, false).has_value();
      case 'A': return take_name(text_, weekdays, true).has_value();
      case 'z': return offset();
      default: return literal(c);
    }
  }

  std::string_view text_;
  Date date_;
  std::optional<int> day_of_year_;
  std::optional<bool> afternoon_;
  int offset_ = 0;
};

std::string padded(int64_t number, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*lld", digits, static_cast<long long>(number));
  return text;
}

// The date, with the second a whole number and the microseconds beside it.
Date rounded(double seconds, int& microseconds) {
  const double whole = std::floor(seconds), rest = std::round((seconds - whole) * 1e6);
  Date date = date_of(rest >= 1e6 ? whole + 1 : whole);
  date.second = std::round(date.second);
  microseconds = rest >= 1e6 ? 0 : static_cast<int>(rest);
  return date;
}

std::string directive_text(char c, const Date& date, int microseconds, double seconds) {
  switch (c) {
    case 'Y': return padded(date.year, 4);
    case 'y': return padded(date.year % 100, 2);
    case 'm': return padded(date.month, 2);
    case 'd': return padded(date.day, 2);
    case 'j': return padded(day_of_year(seconds), 3);
    case 'H': return padded(date.hour, 2);
    case 'I': return padded((date.hour + 11) % 12 + 1, 2);
    case 'M': return padded(date.minute, 2);
    case 'S': return padded(static_cast<int64_t>(date.second), 2);
    case 'f': return padded(microseconds, 6);
    case 'p': return date.hour < 12 ? "AM" : "PM";
    case 'b': return std::string(months[static_cast<size_t>(date.month - 1)].substr(0, 3));
    case 'B': return std::string(months[static_cast<size_t>(date.month - 1)]);
    case 'a': return std::string(weekdays[static_cast<size_t>(weekday_of(seconds))].substr(0, 3));
    case 'A': return std::string(weekdays[static_cast<size_t>(weekday_of(seconds))]);
    case 'z': return "+0000";
    default: return std::string(1, c);
  }
}

}  // namespace

std::optional<double> parsed_date(std::string_view text, std::string_view format) {
  FormatReader reader(text);
  if (!reader.read(format)) return std::nullopt;
  return reader.seconds();
}

std::string formatted_date(double seconds, std::string_view format) {
  int microseconds = 0;
  const Date date = rounded(seconds, microseconds);
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    const bool directive = format[i] == '%' && i + 1 < format.size();
    if (directive) ++i;
    text += directive ? directive_text(format[i], date, microseconds, seconds) : std::string(1, format[i]);
  }
  return text;
}

std::string_view unknown_directive(std::string_view format) {
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (++i == format.size() || std::string_view("YymdjHIMSfpbBaAz%").find(format[i]) == std::string_view::npos)
      return format.substr(i - 1, 2);
  }
  return {};
}

std::string iso_date(double seconds, bool clock) {
  std::string text = formatted_date(seconds, clock ? "%Y-%m-%dT%H:%M:%S.%f" : "%Y-%m-%d");
  if (!clock) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

int weekday_of(double seconds) {
  const auto day = static_cast<int64_t>(std::floor(seconds / day_seconds));
  return static_cast<int>(((day + 3) % 7 + 7) % 7);  // 1970 began on a Thursday
}

int day_of_year(double seconds) {
  const double first = seconds_of({date_of(seconds).year, 1, 1, 0, 0, 0});
  return static_cast<int>(std::floor((seconds - first) / day_seconds)) + 1;
}

bool has_date_text(double seconds) {
  constexpr double first = -62167219200, end = 253402300800;  // 0000-01-01, 10000-01-01
  return seconds >= first && seconds < end;
}

}  // namespace covec
