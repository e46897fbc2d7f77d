// Random functions of all ranks, as programs: collectives stand in loops, branches, vmaps and checkpoints, on values
// that some ranks use and others do not. A program prints the gradient, its distance to finite differences, and
// derivatives in forward mode.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace covec::testing {

class RandomLoss {
 public:
  explicit RandomLoss(unsigned seed) : random_(seed) {}
  std::string make();

 private:
  // Names of numbers: those that each rank has for itself, and those that are the same on all ranks.
  struct Numbers {
    std::vector<std::string> own, same;
  };

  size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }
  std::string one_of(const std::vector<std::string>& choices) { return choices[below(choices.size())]; }
  std::string fresh() { return "v" + std::to_string(++names_); }
  void put(const std::string& line) { text_ += std::string(2 * static_cast<size_t>(depth_), ' ') + line + "\n"; }

  std::string same();
  std::string own();
  void collective();
  void local();
  void examples();
  void begin_loop();
  void block();
  void statement();

  std::mt19937 random_;
  std::string text_;
  int depth_ = 1;
  unsigned names_ = 0;
  Numbers numbers_;
};

}  // namespace covec::testing
