// Dates of the Gregorian calendar and seconds since 1970 in UTC, without leap seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace covec::plot {

struct Date {
  int64_t year = 1970;
  int month = 1, day = 1;  // from 1
  int hour = 0, minute = 0;
  double second = 0;
};

double seconds_of(const Date& date);
Date date_of(double seconds);
// "2024", "2024-03", "2024-03-31", each perhaps with "T12:30", "T12:30:15.5" behind it (or a space for the T, a Z at
// the end); nullopt for another text, and for a day that there is not.
std::optional<double> parsed_date(std::string_view text);
std::string_view month_name(int month);  // "Jan"
std::string two_digits(int number);

}  // namespace covec::plot
