// Results of `covec bench`: rounds of times, what is said of them, and the comparison of two runs. A median's interval
// goes from one of the rounds to another, so that it holds for times of any distribution. The trade-off: the interval
// of a ratio is that of both medians at their ends, which is wider than it need be. Start at Comparison.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace covec {

struct BenchResult {
  std::string name;
  int64_t calls = 1;            // in each round
  std::vector<double> seconds;  // of a call, by round
};
using BenchResults = std::vector<BenchResult>;

struct BenchSummary {
  double minimum = 0, median = 0;
  double spread = 0;         // between the quartiles, as a part of the median
  double low = 0, high = 0;  // the median lies between them in 95 of 100 runs
};
// Of at least one round.
BenchSummary summary_of(std::vector<double> seconds);

struct BenchComparison {
  double ratio = 0;          // of the medians, now to before
  double low = 0, high = 0;  // its interval
  // Slower than `limit` allows, and by more than the rounds differ.
  bool is_beyond(double limit) const { return ratio > limit && low > 1; }
};
BenchComparison compare(const BenchSummary& now, const BenchSummary& before);

// A line for each function.
std::string bench_table(const BenchResults& results);
// `is_beyond`: becomes true where a function is beyond the limit. Functions that only one run has are named.
std::string comparison_table(const BenchResults& now, const BenchResults& before, std::optional<double> limit,
                             bool& is_beyond);

// The text of a file of results, and back; nothing: the text is none.
std::string written(const BenchResults& results);
std::optional<BenchResults> read_results(const std::string& text);

}  // namespace covec
