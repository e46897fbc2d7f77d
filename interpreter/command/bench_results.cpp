#include "interpreter/command/bench_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace covec {

namespace {

constexpr const char* first_line = "covec bench 1";

// Of sorted numbers, between neighbours.
double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// How many of the lowest and of the highest numbers lie outside of a median's interval: as many heads of `count` coins
// are in fewer than one of 40 cases.
size_t outside_of_interval(size_t count) {
  constexpr double each_side = 0.025;  // of the cases: 95 of 100 are inside
  double chance = std::pow(0.5, static_cast<double>(count)), sum = 0;
  size_t heads = 0;
  for (; heads < count / 2; ++heads) {
    sum += chance;
    if (sum > each_side) break;
    chance *= static_cast<double>(count - heads) / static_cast<double>(heads + 1);
  }
  return heads > 0 ? heads - 1 : 0;
}

template <class... Values>
std::string printed(const char* format, Values... values) {
  char buffer[200];
  std::snprintf(buffer, sizeof(buffer), format, values...);
  return buffer;
}

// Three digits and a unit.
std::string time_text(double seconds) {
  const char* unit = "ns";
  double number = seconds * 1e9;
  for (const char* const larger : {"us", "ms", "s"}) {
    if (number < 999.5) break;
    number /= 1000;
    unit = larger;
  }
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return printed("%.*f %s", digits, number, unit);
}

const BenchResult* find(const BenchResults& results, const std::string& name) {
  const auto found = std::ranges::find(results, name, &BenchResult::name);
  return found == results.end() ? nullptr : &*found;
}

size_t widest_name(const BenchResults& results) {
  size_t width = 8;  // of the heading
  for (const BenchResult& result : results) width = std::max(width, result.name.size());
  return width;
}

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

}  // namespace

BenchSummary summary_of(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const size_t outside = outside_of_interval(seconds.size());
  BenchSummary summary;
  summary.minimum = seconds.front();
  summary.median = quantile(seconds, 0.5);
  summary.spread = summary.median > 0 ? (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / summary.median : 0;
  summary.low = seconds[outside];
  summary.high = seconds[seconds.size() - 1 - outside];
  return summary;
}

BenchComparison compare(const BenchSummary& now, const BenchSummary& before) {
  return {now.median / before.median, now.low / before.high, now.high / before.low};
}

std::string bench_table(const BenchResults& results) {
  const size_t width = widest_name(results);
  std::string text = padded("function", width) + "    minimum     median   spread  rounds\n";
  for (const BenchResult& result : results) {
    const BenchSummary summary = summary_of(result.seconds);
    text += padded(result.name, width) + printed(" %10s %10s %7.1f%%  %zu x %lld\n", time_text(summary.minimum).c_str(),
                                                 time_text(summary.median).c_str(), 100 * summary.spread,
                                                 result.seconds.size(), static_cast<long long>(result.calls));
  }
  return text;
}

std::string comparison_table(const BenchResults& now, const BenchResults& before, std::optional<double> limit,
                             bool& is_beyond) {
  const size_t width = std::max(widest_name(now), widest_name(before));
  std::string text = padded("function", width) + "     before        now   ratio  interval\n";
  for (const BenchResult& result : now) {
    const BenchResult* const old = find(before, result.name);
    if (old == nullptr) {
      text += padded(result.name, width) + "  is new\n";
      continue;
    }
    const BenchSummary summary = summary_of(result.seconds), old_summary = summary_of(old->seconds);
    const BenchComparison comparison = compare(summary, old_summary);
    const bool beyond = limit && comparison.is_beyond(*limit);
    is_beyond |= beyond;
    text += padded(result.name, width) + printed(" %10s %10s %7.3f  %.3f to %.3f%s\n",
                                                 time_text(old_summary.median).c_str(),
                                                 time_text(summary.median).c_str(), comparison.ratio, comparison.low,
                                                 comparison.high, beyond ? "  beyond the limit" : "");
  }
  for (const BenchResult& old : before) {
    if (find(now, old.name) == nullptr) text += padded(old.name, width) + "  is gone\n";
  }
  return text;
}

std::string written(const BenchResults& results) {
  std::string text = std::string(first_line) + "\n";
  for (const BenchResult& result : results) {
    text += result.name + " " + std::to_string(result.calls);
    for (const double seconds : result.seconds) text += printed(" %.9g", seconds);
    text += "\n";
  }
  return text;
}

std::optional<BenchResults> read_results(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != first_line) return std::nullopt;
  BenchResults results;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    BenchResult result;
    if (!(words >> result.name >> result.calls)) return std::nullopt;
    for (double seconds = 0; words >> seconds;) result.seconds.push_back(seconds);
    const bool positive = std::ranges::all_of(result.seconds, [](double seconds) { return seconds > 0; });
    if (!words.eof() || result.seconds.empty() || !positive) return std::nullopt;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace covec
