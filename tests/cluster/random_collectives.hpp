// Random programs of two ranks and more that meet in loops, branches, early returns, recursion, examples and behind
// errors, with prints and draws between. All ranks take the same way, with operands of their own. Start at make().
#pragma once

#include <random>
#include <string>
#include <vector>

namespace covec::testing {

class RandomCollectives {
 public:
  explicit RandomCollectives(unsigned seed) : random_(seed) {}
  static constexpr int calls = 5;  // that a program makes
  std::string make();

 private:
  size_t below(size_t count) { return random_() % count; }
  bool chance(size_t percent) { return below(100) < percent; }
  std::string one_of(const std::vector<std::string>& choices) { return choices[below(choices.size())]; }
  std::string fresh() { return "v" + std::to_string(++names_); }
  void put(const std::string& line) { text_ += std::string(2 * depth_, ' ') + line + "\n"; }
  void open(const std::string& head) {
    put(head + " {");
    ++depth_;
  }
  void close(const std::string& rest = "") {
    --depth_;
    put("}" + rest);
  }

  std::string same();
  std::string own();
  std::string condition();
  void collective();
  void examples();
  void derivative();
  void local();
  void block();
  void loop();
  void branch();
  void attempt();
  void statement();
  void function(const std::string& head);

  std::mt19937 random_;
  std::string text_;
  size_t depth_ = 0, names_ = 0;
  std::vector<std::string> same_, own_;  // names of numbers: the same on all ranks, and of each rank
  bool has_functions_ = false;
};

}  // namespace covec::testing
