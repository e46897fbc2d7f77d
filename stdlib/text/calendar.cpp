// Converts days and dates by <chrono>, and reads texts in ISO 8601.
#include "stdlib/text/calendar.hpp"

#include <array>
#include <chrono>
#include <cmath>

namespace covec {

namespace {

int64_t floor_divided(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// A year of <chrono> has 16 bits: eras of 400 years, which are alike, are counted apart.
constexpr int64_t era_years = 400, era_days = 146097;

int64_t days_of(int64_t year, int month, int day) {
  const int64_t era = floor_divided(year, era_years);
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year - era * era_years)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return std::chrono::sys_days(date).time_since_epoch().count() + era * era_days;
}

int days_in(int64_t year, int month) {
  const std::chrono::year_month_day_last last{
      std::chrono::year(static_cast<int>(year)),
      std::chrono::month_day_last(std::chrono::month(static_cast<unsigned>(month)))};
  return static_cast<int>(static_cast<unsigned>(last.day()));
}

// Takes `count` digits off the text.
std::optional<int> digits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// 24:00 is the end of the day.
bool read_clock(std::string_view& text, Date& date) {
  const auto hour = digits(text, 2);
  if (!hour || *hour > 24 || !take(text, ':')) return false;
  const auto minute = digits(text, 2);
  if (!minute || *minute > 59) return false;
  date.hour = *hour;
  date.minute = *minute;
  if (date.hour == 24 && date.minute > 0) return false;
  if (!take(text, ':')) return true;
  const auto second = digits(text, 2);
  if (!second || *second > 59) return false;
  date.second = *second;
  if (!take(text, '.')) return date.hour < 24 || date.second == 0;
  double place = 0.1;
  const size_t before = text.size();
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), place /= 10)
    date.second += (text[0] - '0') * place;
  return text.size() < before && (date.hour < 24 || date.second == 0);
}

// Z, +02:00, +0200 or +02: seconds before UTC.
std::optional<double> read_offset(std::string_view& text) {
  if (take(text, 'Z')) return 0;
  const bool negative = text.starts_with('-');
  if (!negative && !text.starts_with('+')) return std::nullopt;
  text.remove_prefix(1);
  const auto hours = digits(text, 2);
  if (!hours || *hours > 23) return std::nullopt;
  const bool colon = take(text, ':');
  const auto minutes = text.empty() && !colon ? std::optional(0) : digits(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  const double seconds = *hours * 3600 + *minutes * 60;
  return negative ? -seconds : seconds;
}

}  // namespace

double seconds_of(const Date& d) {
  return static_cast<double>(days_of(d.year, d.month, d.day)) * 86400 + d.hour * 3600 + d.minute * 60 + d.second;
}

Date date_of(double seconds) {
  const double whole = std::floor(seconds / 86400);
  const auto days = static_cast<int64_t>(whole);
  const int64_t era = floor_divided(days, era_days);
  const std::chrono::year_month_day found(std::chrono::sys_days(std::chrono::days(days - era * era_days)));
  Date date;
  date.day = static_cast<int>(static_cast<unsigned>(found.day()));
  date.month = static_cast<int>(static_cast<unsigned>(found.month()));
  date.year = static_cast<int>(found.year()) + era * era_years;
  const double rest = seconds - whole * 86400;
  date.hour = static_cast<int>(rest / 3600);
  date.minute = static_cast<int>(rest / 60) % 60;
  date.second = rest - date.hour * 3600 - date.minute * 60;
  return date;
}

namespace {

std::optional<double> read_date(std::string_view text) {
  Date date;
  const auto year = digits(text, 4);
  if (!year) return std::nullopt;
  date.year = *year;
  if (take(text, '-')) {
    const auto month = digits(text, 2);
    if (!month || *month < 1 || *month > 12) return std::nullopt;
    date.month = *month;
    if (take(text, '-')) {
      const auto day = digits(text, 2);
      if (!day || *day < 1 || *day > days_in(date.year, date.month)) return std::nullopt;
      date.day = *day;
      if ((take(text, 'T') || take(text, ' ')) && !read_clock(text, date)) return std::nullopt;
      const auto offset = read_offset(text);
      if (offset) return text.empty() ? std::optional(seconds_of(date) - *offset) : std::nullopt;
    }
  }
  if (!text.empty()) return std::nullopt;
  return seconds_of(date);
}

}  // namespace

std::optional<double> parsed_date(std::string_view text) {
  const auto seconds = read_date(text);
  return seconds && has_date_text(*seconds) ? seconds : std::nullopt;  // 9999-12-31T24:00 is a date of no four digits
}

std::string_view month_name(int month) {
  constexpr std::array<std::string_view, 12> names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return names[static_cast<size_t>(month - 1)];
}

std::string two_digits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

}  // namespace covec
