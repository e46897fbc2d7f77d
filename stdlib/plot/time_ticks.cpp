// Chooses ticks of time, where units of clocks and calendars begin. The text under a tick is the unit that changes from
// tick to tick. A second line names the larger unit, where that changes.
#include <algorithm>
#include <array>
#include <cmath>

#include "stdlib/plot/ticks.hpp"
#include "stdlib/text/calendar.hpp"

namespace covec::plot {

namespace {

enum class Unit : uint8_t { second, minute, hour, day, month, year };

struct Step {
  Unit unit;
  int count;
  double seconds;
};
// Seconds: of 24 hours, of 30.4 days (365.25 / 12, rounded), and of a Julian year.
constexpr double day = 86400, month = 30.4 * day, year = 365.25 * day;
constexpr Step steps[] = {{Unit::second, 1, 1},        {Unit::second, 5, 5},        {Unit::second, 10, 10},
                          {Unit::second, 30, 30},      {Unit::minute, 1, 60},       {Unit::minute, 5, 300},
                          {Unit::minute, 10, 600},     {Unit::minute, 30, 1800},    {Unit::hour, 1, 3600},
                          {Unit::hour, 3, 3 * 3600},   {Unit::hour, 6, 6 * 3600},   {Unit::hour, 12, 12 * 3600},
                          {Unit::day, 1, day},         {Unit::day, 2, 2 * day},     {Unit::day, 7, 7 * day},
                          {Unit::day, 14, 14 * day},   {Unit::month, 1, month},     {Unit::month, 2, 2 * month},
                          {Unit::month, 3, 3 * month}, {Unit::month, 6, 6 * month}, {Unit::year, 1, year}};

// The first place of the step's kind at or before a date.
Date before(Date d, const Step& step) {
  const auto down = [&](int number, int from) { return from + (number - from) / step.count * step.count; };
  Date r{d.year, 1, 1, 0, 0, 0};
  if (step.unit == Unit::year) {
    r.year = static_cast<int64_t>(std::floor(static_cast<double>(d.year) / step.count)) * step.count;
    return r;
  }
  r.month = step.unit == Unit::month ? down(d.month, 1) : d.month;
  if (step.unit == Unit::month) return r;
  r.day = step.unit == Unit::day ? down(d.day, 1) : d.day;
  if (step.unit == Unit::day) return r;
  r.hour = step.unit == Unit::hour ? down(d.hour, 0) : d.hour;
  if (step.unit == Unit::hour) return r;
  r.minute = step.unit == Unit::minute ? down(d.minute, 0) : d.minute;
  if (step.unit == Unit::minute) return r;
  r.second = step.count * std::floor(d.second / step.count);
  return r;
}

Date after(Date d, const Step& step) {
  switch (step.unit) {
    case Unit::year: d.year += step.count; return d;
    case Unit::month:
      d.month += step.count;
      if (d.month > 12) d = {d.year + 1, d.month - 12, 1, 0, 0, 0};
      return d;
    case Unit::day: {
      // Weeks and other steps start afresh each month; a stump at its end is left out.
      const Date next = date_of(seconds_of(d) + step.count * day);
      const Date beyond = date_of(seconds_of(d) + 1.5 * step.count * day);
      if (next.month == d.month && (step.count == 1 || beyond.month == d.month)) return next;
      return d.month == 12 ? Date{d.year + 1, 1, 1, 0, 0, 0} : Date{d.year, d.month + 1, 1, 0, 0, 0};
    }
    default: return date_of(seconds_of(d) + step.seconds);
  }
}

std::string text_of(const Date& d, Unit unit) {
  switch (unit) {
    case Unit::year: return std::to_string(d.year);
    case Unit::month: return std::string(month_name(d.month));
    case Unit::day: return std::to_string(d.day);
    case Unit::hour:
    case Unit::minute: return two_digits(d.hour) + ":" + two_digits(d.minute);
    case Unit::second:
      return two_digits(d.hour) + ":" + two_digits(d.minute) + ":" + two_digits(static_cast<int>(d.second));
  }
  return {};
}

std::string frame_of(const Date& d, Unit unit) {
  switch (unit) {
    case Unit::year: return {};
    case Unit::month: return std::to_string(d.year);
    case Unit::day: return std::string(month_name(d.month)) + " " + std::to_string(d.year);
    default: return std::to_string(d.day) + " " + std::string(month_name(d.month)) + " " + std::to_string(d.year);
  }
}

void round_second(Date& d) { d.second = std::round(d.second * 1e3) / 1e3; }

Ticks calendar_ticks(double low, double high, const Step& step) {
  Ticks ticks;
  std::string last;
  Date d = date_of(low);
  round_second(d);
  for (d = before(d, step); seconds_of(d) <= high; d = after(d, step)) {
    const double at = seconds_of(d);
    if (at < low) continue;
    const std::string frame = frame_of(d, step.unit);
    ticks.major.push_back({at, text_of(d, step.unit), frame == last ? "" : frame});
    last = frame;
  }
  return ticks;
}

Ticks year_ticks(double low, double high, double wanted) {
  const double first = low / year + 1970, last = high / year + 1970;
  const Ticks linear = linear_ticks(first, last, wanted);
  if (linear.major.size() < 2) return {};
  const double apart = linear.major[1].value - linear.major[0].value;
  return calendar_ticks(low, high, {Unit::year, std::max(1, static_cast<int>(std::round(apart))), 0});
}

// Less than some seconds: their fractions, and the minute that they belong to.
Ticks fraction_ticks(double low, double high, double wanted) {
  const double base = std::floor((low + high) / 120) * 60;
  Ticks ticks = linear_ticks(low - base, high - base, wanted);
  ticks.suffix.clear();
  const double step = ticks.major.size() > 1 ? ticks.major[1].value - ticks.major[0].value : 1;
  for (Tick& tick : ticks.major) {
    tick.text = step_text(tick.value, step) + " s";
    tick.value += base;
  }
  if (!ticks.major.empty()) {
    const Date d = date_of(base);
    ticks.major.front().below = frame_of(d, Unit::second) + " " + text_of(d, Unit::minute);
  }
  return ticks;
}

// The largest unit whose beginnings all of them are.
Unit unit_of(const std::vector<double>& times) {
  Unit unit = Unit::year;
  for (const double time : times) {
    const Date d = date_of(time);
    const Unit own = d.second != 0                  ? Unit::second
                     : d.hour != 0 || d.minute != 0 ? Unit::minute
                     : d.day != 1                   ? Unit::day
                     : d.month != 1                 ? Unit::month
                                                    : Unit::year;
    unit = std::min(unit, own);
  }
  return unit;
}

}  // namespace

Ticks time_ticks_at(const std::vector<double>& times, double wanted) {
  const Unit unit = unit_of(times);
  const auto step = static_cast<size_t>(std::ceil(static_cast<double>(times.size()) / std::max(wanted, 2.0)));
  Ticks ticks;
  std::string last;
  for (size_t i = 0; i < times.size(); i += std::max<size_t>(step, 1)) {
    const Date d = date_of(times[i]);
    const std::string frame = frame_of(d, unit);
    ticks.major.push_back({times[i], text_of(d, unit), frame == last ? "" : frame});
    last = frame;
  }
  return ticks;
}

Ticks time_ticks(double low, double high, double wanted) {
  constexpr double furthest = 1e12;  // beyond it years have five digits and more
  if (!(high > low) || std::abs(low) > furthest || std::abs(high) > furthest) return linear_ticks(low, high, wanted);
  const double ideal = (high - low) / std::max(wanted - 1, 1.0);
  if (ideal < 0.8) return fraction_ticks(low, high, wanted);
  if (ideal > 0.8 * year) return year_ticks(low, high, wanted);
  const auto off = [&](const Step& s) { return std::abs(std::log(s.seconds / ideal)); };
  const Step& best = *std::min_element(std::begin(steps), std::end(steps),
                                       [&](const Step& a, const Step& b) { return off(a) < off(b); });
  return calendar_ticks(low, high, best);
}

}  // namespace covec::plot
