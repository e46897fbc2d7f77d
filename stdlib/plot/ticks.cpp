// Chooses ticks. Linear axes use the extended algorithm of Talbot, Lin and Hanrahan (2010, "An extension of Wilkinson's
// algorithm for positioning tick labels on axes"). The candidates are all steps that are a nice number times a power of
// ten. It chooses a step that is simple, covers the data, and is about as dense as wanted. A bound on the score of
// further candidates ends each loop early.
#include "stdlib/plot/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace covec::plot {

namespace {

constexpr std::array<double, 6> nice = {1, 5, 2, 2.5, 4, 3};  // simplest first
// How much a part of the range beyond the outermost ticks counts. The paper's 50 is for ticks that may lie outside the
// data, as these may not.
constexpr double uncovered = 8;
constexpr double weight_simple = 0.25, weight_cover = 0.2, weight_dense = 0.5, weight_legible = 0.05;

struct Choice {
  double first = 0, step = 0, score = -2;
  int count = 0;
};

class Search {
 public:
  Search(double low, double high, double wanted) : low_(low), high_(high), wanted_(std::max(wanted, 2.0)) {}

  Choice run() {
    for (size_t q = 0; q < nice.size(); ++q) {
      if (score(max_simple(q), 1, 1) < best_.score) break;
      counts(q);
    }
    return best_;
  }

 private:
  static double score(double simple, double cover, double dense) {
    return weight_simple * simple + weight_cover * cover + weight_dense * dense + weight_legible;
  }
  static double max_simple(size_t q) { return 1 - static_cast<double>(q) / (nice.size() - 1); }
  static double simple(size_t q, double first, double last, double step) {
    const bool with_zero = first <= 1e-10 * step && last >= -1e-10 * step;
    return max_simple(q) - (with_zero ? 0 : 1);
  }
  double cover(double first, double last) const {
    const double range = high_ - low_;
    const double above = (high_ - last) / range, below = (first - low_) / range;
    return 1 - uncovered * (above * above + below * below);
  }
  double max_cover(double span) const {
    const double range = high_ - low_;
    if (span <= range) return 1;
    const double half = (span / range - 1) / 2;
    return 1 - 2 * uncovered * half * half;
  }
  double dense(int count, double first, double last) const {
    const double r = (count - 1) / (last - first);
    const double wanted = (wanted_ - 1) / (std::max(last, high_) - std::min(first, low_));
    return 2 - std::max(r / wanted, wanted / r);
  }
  double max_dense(int count) const { return count >= wanted_ ? 2 - (count - 1) / (wanted_ - 1) : 1; }

  void counts(size_t q) {
    for (int count = 2; count < 40; ++count) {
      if (score(max_simple(q), 1, max_dense(count)) < best_.score) break;
      powers(q, count);
    }
  }

  void powers(size_t q, int count) {
    const double delta = (high_ - low_) / (count + 1) / nice[q];
    if (!(delta > 1e-300)) return;
    for (int z = static_cast<int>(std::ceil(std::log10(delta))); z < 309; ++z) {
      const double step = nice[q] * std::pow(10.0, z);
      if (score(max_simple(q), max_cover(step * (count - 1)), max_dense(count)) < best_.score) break;
      starts(q, count, step);
    }
  }

  // Ticks are multiples of the step (the paper moves them by parts of it, too): then its digits do for their labels.
  void starts(size_t q, int count, double step) {
    const double from = std::floor(high_ / step) - (count - 1), to = std::ceil(low_ / step);
    if (std::abs(from) > 1e15) return;  // steps that f64 does not tell apart
    for (double start = from; start <= to; ++start) {
      const double first = start * step, last = first + step * (count - 1);
      const double slack = 1e-9 * (high_ - low_);
      if (first < low_ - slack || last > high_ + slack) continue;  // what lies outside is not drawn
      const double reached = score(simple(q, first, last, step), cover(first, last), dense(count, first, last));
      if (reached > best_.score) best_ = {first, step, reached, count};
    }
  }

  double low_, high_, wanted_;
  Choice best_;
};

std::string superscript(int number) {
  constexpr std::array<std::string_view, 10> digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(number))) text += digits[static_cast<size_t>(c - '0')];
  return text;
}

// With a sign as wide as a plus, and no minus before a zero.
std::string fixed(double value, int decimals) {
  std::array<char, 352> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  std::string text = buffer.data();
  if (text[0] != '-') return text;
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return (zero ? "" : "−") + text.substr(1);
}

// Decimals that tell multiples of the step exactly.
int decimals_of(double step) {
  for (int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step)))); decimals < 300; ++decimals) {
    const double scaled = step * std::pow(10.0, decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 0;
}

// Each value without what they share, so that what is left has few digits.
double common_part(const std::vector<double>& values, double step) {
  const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
  if (largest < 1e5 * step) return 0;
  const double unit = std::pow(10.0, std::ceil(std::log10(step * static_cast<double>(values.size()))));
  return std::round(values.front() / unit) * unit;
}

}  // namespace

std::string step_text(double value, double step) { return fixed(value, decimals_of(step)); }

std::string power_of_ten(int exponent) { return "10" + superscript(exponent); }

std::string number_text(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "−inf";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-12));
  if (exponent < -4 || exponent > 6) {
    const double mantissa = value / std::pow(10.0, exponent);
    const std::string text = number_text(mantissa, digits);
    return (text == "1" ? "" : text == "−1" ? "−" : text + "×") + power_of_ten(exponent);
  }
  std::string text = fixed(value, std::max(0, digits - 1 - exponent));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::vector<std::string> number_labels(const std::vector<double>& values, double step, std::string& suffix) {
  std::vector<std::string> texts;
  if (values.empty()) return texts;
  const double offset = common_part(values, step);
  double largest = step;
  for (const double value : values) largest = std::max(largest, std::abs(value - offset));
  int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  if (exponent >= -4 && exponent <= 5 && decimals_of(step) <= 5) exponent = 0;
  const double unit = std::pow(10.0, exponent);
  const int decimals = decimals_of(step / unit);
  for (const double value : values) texts.push_back(fixed((value - offset) / unit, decimals));
  if (exponent != 0) suffix = "×" + power_of_ten(exponent);
  if (offset != 0) {
    if (!suffix.empty()) suffix += " ";
    suffix += (offset > 0 ? "+" : "") + number_text(offset, 17);
  }
  return texts;
}

Ticks linear_ticks(double low, double high, double wanted) {
  Ticks ticks;
  if (!(high > low) || !std::isfinite(high) || !std::isfinite(low)) return ticks;
  const double unit = high / 2 - low / 2 > 1e300 ? 1e20 : 1;  // differences of the largest numbers overflow
  const Choice best = Search(low / unit, high / unit, wanted).run();
  if (best.count == 0) return ticks;
  std::vector<double> values;
  for (int i = 0; i < best.count; ++i) {
    const double value = best.first + i * best.step;
    values.push_back(std::abs(value) < 1e-9 * best.step ? 0 : value * unit);
  }
  const std::vector<std::string> texts = number_labels(values, best.step * unit, ticks.suffix);
  for (size_t i = 0; i < values.size(); ++i) ticks.major.push_back({values[i], texts[i]});
  return ticks;
}

Ticks whole_ticks(double low, double high, double wanted) {
  double step = 1;
  for (int i = 0; (high - low) / step > wanted; ++i)
    step = std::pow(10.0, i / 3 + (i % 3 == 2 ? 1 : 0)) * (i % 3 == 0 ? 2 : i % 3 == 1 ? 5 : 1);
  Ticks ticks;
  for (double v = std::ceil(low / step) * step; v <= high; v += step) ticks.major.push_back({v, number_text(v, 17)});
  return ticks;
}

namespace {

// Less than a decade or so: multiples of a power of ten, as on a linear axis.
Ticks short_log_ticks(double low, double high, double wanted) {
  Ticks ticks;
  for (int e = static_cast<int>(std::floor(std::log10(low))); e <= std::log10(high); ++e) {
    for (const int m : {1, 2, 5}) {
      const double value = m * std::pow(10.0, e);
      if (value >= low && value <= high) ticks.major.push_back({value, number_text(value)});
    }
  }
  return ticks.major.size() >= 3 ? ticks : linear_ticks(low, high, wanted);
}

void add_minor(Ticks& ticks, double low, double high) {
  for (int e = static_cast<int>(std::floor(std::log10(low))); e <= std::log10(high); ++e) {
    for (int m = 2; m < 10; ++m) {
      const double value = m * std::pow(10.0, e);
      if (value > low && value < high) ticks.minor.push_back(value);
    }
  }
}

}  // namespace

namespace {

// The next number of decades that is counted with ease.
int round_stride(double at_least) {
  for (const int stride : {1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 100, 150}) {
    if (stride >= at_least) return stride;
  }
  return 200;
}

}  // namespace

Ticks log_ticks(double low, double high, double wanted) {
  if (!(high > low) || !(low > 0) || !std::isfinite(high)) return {};
  const double slack = 1e-9;
  const int first = static_cast<int>(std::ceil(std::log10(low) - slack));
  const int last = static_cast<int>(std::floor(std::log10(high) + slack));
  const int decades = last - first + 1;
  if (decades < 3 && std::log10(high) - std::log10(low) < 2) {
    Ticks ticks = short_log_ticks(low, high, wanted);
    if (ticks.suffix.empty()) add_minor(ticks, low, high);
    return ticks;
  }
  Ticks ticks;
  const int stride = round_stride(decades / std::max(wanted, 2.0));
  const bool plain = first >= -2 && last <= 3;
  const int begin = static_cast<int>(std::ceil(static_cast<double>(first) / stride)) * stride;
  for (int e = begin; e <= last; e += stride) {
    const double value = std::pow(10.0, e);
    ticks.major.push_back({value, plain ? number_text(value) : power_of_ten(e)});
  }
  if (stride == 1) add_minor(ticks, low, high);
  if (stride > 1 && decades < 60) {
    for (int e = first; e <= last; ++e) {
      if ((e - begin) % stride != 0) ticks.minor.push_back(std::pow(10.0, e));
    }
  }
  return ticks;
}

}  // namespace covec::plot
