// Where axes are marked.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stdlib/plot/ticks.hpp"
#include "stdlib/text/calendar.hpp"

namespace covec::plot {
namespace {

std::string texts(const Ticks& ticks) {
  std::string all;
  for (const Tick& tick : ticks.major) all += (all.empty() ? "" : " ") + tick.text;
  return all + (ticks.suffix.empty() ? "" : " | " + ticks.suffix);
}

std::string below(const Ticks& ticks) {
  std::string all;
  for (const Tick& tick : ticks.major) all += (all.empty() ? "" : ",") + tick.below;
  return all;
}

TEST(Ticks, Linear) {
  EXPECT_EQ(texts(linear_ticks(0, 10, 6)), "0 2 4 6 8 10");
  EXPECT_EQ(texts(linear_ticks(-1.1, 1.1, 5)), "−1.0 −0.5 0.0 0.5 1.0");
  EXPECT_EQ(texts(linear_ticks(0, 1, 5)), "0.00 0.25 0.50 0.75 1.00");
  EXPECT_EQ(texts(linear_ticks(3, 97, 5)), "20 40 60 80");
  EXPECT_EQ(texts(linear_ticks(0, 3e6, 4)), "0 1 2 3 | ×10⁶");
  EXPECT_EQ(texts(linear_ticks(0, 4e-7, 5)), "0 1 2 3 4 | ×10⁻⁷");
  EXPECT_EQ(texts(linear_ticks(1e9, 1e9 + 1, 6)), "0.0 0.2 0.4 0.6 0.8 1.0 | +10⁹");
  EXPECT_EQ(texts(linear_ticks(1, 1, 5)), "");
  EXPECT_EQ(texts(linear_ticks(0, INFINITY, 5)), "");
  EXPECT_EQ(texts(linear_ticks(NAN, 1, 5)), "");
}

TEST(Ticks, LinearAreMultiplesOfTheirStepWithinTheAxis) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-300, 300), count(2, 15);
  for (int i = 0; i < 20000; ++i) {
    double low = mantissa(random) * std::pow(10, exponent(random));
    double high = i % 2 == 0 ? low + std::abs(low) * std::pow(10, -std::abs(mantissa(random)) * 9)
                             : mantissa(random) * std::pow(10, exponent(random));
    if (high < low) std::swap(low, high);
    if (!(high - low > 1e-295)) continue;
    const double wanted = count(random);
    const Ticks ticks = linear_ticks(low, high, wanted);
    ASSERT_GE(ticks.major.size(), 2u) << low << " " << high;
    ASSERT_LE(static_cast<double>(ticks.major.size()), 2 * wanted + 2) << low << " " << high;
    const double step = ticks.major[1].value - ticks.major[0].value;
    for (size_t k = 0; k < ticks.major.size(); ++k) {
      const double v = ticks.major[k].value;
      ASSERT_GE(v, low - 1e-8 * (high - low));
      ASSERT_LE(v, high + 1e-8 * (high - low));
      ASSERT_LE(ticks.major[k].text.size(), 16u) << ticks.major[k].text;
      if (k > 0) {
        ASSERT_NE(ticks.major[k].text, ticks.major[k - 1].text) << low << " " << high;
      }
      if (std::abs(v) < 1e6 * step) {
        ASSERT_NEAR(std::remainder(v / step, 1), 0, 1e-6 + 1e-9 * std::abs(v / step)) << v << " " << step;
      }
    }
  }
}

TEST(Ticks, LabelsSayWhatTheValuesAre) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-8, 8);
  for (int i = 0; i < 5000; ++i) {
    double low = mantissa(random) * std::pow(10, exponent(random)),
           high = mantissa(random) * std::pow(10, exponent(random));
    if (high < low) std::swap(low, high);
    const Ticks ticks = linear_ticks(low, high, 6);
    if (ticks.major.size() < 2 || ticks.suffix.find('+') != std::string::npos ||
        ticks.suffix.find("−") != std::string::npos)
      continue;
    // The suffix is "×10ⁿ": the unit is what the labels are to the values.
    double unit = 1;
    for (const Tick& tick : ticks.major) {
      std::string text = tick.text;
      if (text.starts_with("−")) text = "-" + text.substr(3);
      const double shown = std::stod(text);
      if (shown != 0 && !ticks.suffix.empty()) unit = std::pow(10, std::round(std::log10(tick.value / shown)));
      EXPECT_NEAR(shown * unit, tick.value, 1e-6 * (high - low)) << tick.text << " " << ticks.suffix;
    }
    EXPECT_EQ(ticks.suffix.empty(), unit == 1);
  }
}

TEST(Ticks, Log) {
  EXPECT_EQ(texts(log_ticks(0.01, 1000, 8)), "0.01 0.1 1 10 100 1000");
  EXPECT_EQ(texts(log_ticks(1e-3, 1e5, 10)), "10⁻³ 10⁻² 10⁻¹ 10⁰ 10¹ 10² 10³ 10⁴ 10⁵");
  EXPECT_EQ(texts(log_ticks(1, 60, 5)), "1 2 5 10 20 50");
  EXPECT_EQ(texts(log_ticks(1e-300, 1e300, 5)), "10⁻³⁰⁰ 10⁻¹⁵⁰ 10⁰ 10¹⁵⁰ 10³⁰⁰");
  EXPECT_EQ(texts(log_ticks(2, 3, 4)), texts(linear_ticks(2, 3, 4)));
  EXPECT_EQ(log_ticks(0.01, 1000, 8).minor.size(), 5u * 8);
  EXPECT_EQ(texts(log_ticks(0, 1, 5)), "");
}

TEST(Ticks, Whole) {
  EXPECT_EQ(texts(whole_ticks(-0.5, 2.5, 10)), "0 1 2");
  EXPECT_EQ(texts(whole_ticks(-0.5, 59.5, 6)), "0 10 20 30 40 50");
  EXPECT_EQ(texts(whole_ticks(-0.5, 12, 5)), "0 5 10");
}

TEST(Ticks, Time) {
  const auto at = [](const char* text) { return *parsed_date(text); };
  const Ticks months = time_ticks(at("2024-01-01"), at("2025-01-31"), 7);
  EXPECT_EQ(texts(months), "Jan Mar May Jul Sep Nov Jan");
  EXPECT_EQ(below(months), "2024,,,,,,2025");
  EXPECT_EQ(texts(time_ticks(at("2024-02-27"), at("2024-03-03"), 6)), "27 28 29 1 2 3");
  EXPECT_EQ(below(time_ticks(at("2024-02-27"), at("2024-03-03"), 6)), "Feb 2024,,,Mar 2024,,");
  EXPECT_EQ(texts(time_ticks(at("2024-02-27T08:00"), at("2024-02-27T20:00"), 5)), "09:00 12:00 15:00 18:00");
  EXPECT_EQ(texts(time_ticks(at("1950-06-01"), at("2030-06-01"), 5)), "1960 1980 2000 2020");
  EXPECT_EQ(texts(time_ticks(at("2024-01-01T00:00:00"), at("2024-01-01T00:00:40"), 5)),
            "00:00:00 00:00:10 00:00:20 00:00:30 00:00:40");
  EXPECT_EQ(texts(time_ticks(90, 90.5, 6)), "30.0 s 30.1 s 30.2 s 30.3 s 30.4 s 30.5 s");
  EXPECT_EQ(texts(time_ticks(0, 1e15, 5)), texts(linear_ticks(0, 1e15, 5)));
}

TEST(Ticks, TimeIsInOrderWithinTheAxis) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(-2, 10), place(-5e9, 5e9);
  for (int i = 0; i < 5000; ++i) {
    const double low = place(random), high = low + std::pow(10, exponent(random));
    const Ticks ticks = time_ticks(low, high, 6);
    ASSERT_LE(ticks.major.size(), 25u) << low << " " << high;
    ASSERT_GE(ticks.major.size(), 1u) << low << " " << high;
    for (size_t k = 0; k < ticks.major.size(); ++k) {
      ASSERT_GE(ticks.major[k].value, low - 1e-3);
      ASSERT_LE(ticks.major[k].value, high + 1e-3);
      if (k > 0) {
        ASSERT_GT(ticks.major[k].value, ticks.major[k - 1].value);
      }
    }
  }
}

TEST(Calendar, DaysAreCounted) {
  EXPECT_EQ(parsed_date("1970-01-01"), 0);
  EXPECT_EQ(parsed_date("1969-12-31T23:59:59"), -1);
  EXPECT_EQ(parsed_date("2000-02-29"), 951782400);
  EXPECT_EQ(parsed_date("2024-03-31 12:30:15.5"), 1711888215.5);
  EXPECT_EQ(parsed_date("2024-03-31T12:30Z"), 1711888200);
  EXPECT_EQ(parsed_date("2024"), 1704067200);
  EXPECT_EQ(parsed_date("1600-03-01"), -11670912000);
  EXPECT_EQ(parsed_date("2024-03-30T24:00"), parsed_date("2024-03-31"));
  for (const char* wrong : {"", "2023-02-29", "2024-13-01", "2024-1-1", "2024-01-01T24:01", "2024-01-01T10", "apples",
                            "2024-01-01 10:00:60", "2024-01-01T10:00:00."})
    EXPECT_FALSE(parsed_date(wrong)) << wrong;
}

TEST(Calendar, ThereAndBack) {
  for (double seconds = -70e9; seconds < 70e9; seconds += 12345678.0) {
    const Date d = date_of(seconds);
    ASSERT_EQ(seconds_of(d), seconds);
    ASSERT_TRUE(d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 31 && d.hour < 24 && d.minute < 60 &&
                d.second < 60);
  }
}

TEST(Numbers, ShortTexts) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.995), "0.995");
  EXPECT_EQ(number_text(-12.5), "−12.5");
  EXPECT_EQ(number_text(1234.5), "1234");
  EXPECT_EQ(number_text(1e9), "10⁹");
  EXPECT_EQ(number_text(-2.5e-7), "−2.5×10⁻⁷");
  EXPECT_EQ(number_text(100), "100");
  EXPECT_EQ(number_text(NAN), "nan");
  EXPECT_EQ(number_text(-INFINITY), "−inf");
}

}  // namespace
}  // namespace covec::plot
