// Chooses where an axis is marked, and what is written there.
#pragma once

#include <string>
#include <vector>

namespace covec::plot {

enum class Scale : uint8_t { linear, log, time, category };

struct Tick {
  double value;
  std::string text, below = {};  // a second line, of time
};

struct Ticks {
  std::vector<Tick> major;
  std::vector<double> minor;
  std::string suffix;  // what all texts leave out: "×10⁶", "+12.5"
};

// All lie in [low, high], about as many as `wanted`.
Ticks linear_ticks(double low, double high, double wanted);
Ticks whole_ticks(double low, double high, double wanted);  // integers alone
Ticks log_ticks(double low, double high, double wanted);    // low > 0
Ticks time_ticks(double low, double high, double wanted);   // seconds
// At some of these times, which rise: every one, every second, …, in the largest unit that tells them.
Ticks time_ticks_at(const std::vector<double>& times, double wanted);

// Values evenly spaced, as labels in one style.
std::vector<std::string> number_labels(const std::vector<double>& values, double step, std::string& suffix);
// A multiple of a step, in the digits that the step has.
std::string step_text(double value, double step);
// A number by itself, in few digits: labels of contours, values in a heatmap.
std::string number_text(double value, int digits = 3);
std::string power_of_ten(int exponent);  // "10⁻³"

}  // namespace covec::plot
