// Dates of the Gregorian calendar and seconds since 1970 in UTC, without leap seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace covec {

struct Date {
  int64_t year = 1970;
  int month = 1, day = 1;  // from 1
  int hour = 0, minute = 0;
  double second = 0;
};

double seconds_of(const Date& date);
Date date_of(double seconds);
// "2024", "2024-03", "2024-03-31", each perhaps with "T12:30", "T12:30:15.5" behind it (or a space for the T), and then
// a Z or an offset from UTC, "+02:00" (24:00 is the next day's midnight); nullopt for another text, and for a day that
// there is not.
std::optional<double> parsed_date(std::string_view text);
// By a format with %Y %y %m %d %j %H %I %M %S %f %p %b %B %a %A %z and %%, as C's strptime and Python have them; the
// names are English.
std::optional<double> parsed_date(std::string_view text, std::string_view format);
// Seconds rounded to microseconds, so that binary fractions do not show.
std::string formatted_date(double seconds, std::string_view format);
// The part of a format that is none of these; empty where all are.
std::string_view unknown_directive(std::string_view format);
// 2024-03-31, and with `clock` T12:30:15 behind it, with as many digits of a second as it has.
std::string iso_date(double seconds, bool clock);
int weekday_of(double seconds);   // 0: Monday
int day_of_year(double seconds);  // 1: the first of January
// Dates of years 0 to 9999 have texts, as in ISO 8601: the year 0 is that before the year 1.
bool has_date_text(double seconds);
std::string_view month_name(int month);  // "Jan"
std::string two_digits(int number);

}  // namespace covec
