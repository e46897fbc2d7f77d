// Random programs of functions that act outside (noted, tests/effects/noted.hpp) and print, with everything around that
// might make a call run again: examples side by side and one by one, recursion, loops, derivatives, errors.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace covec::test {

class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {}
  // Pieces, to be run one after the other whether they fail or not.
  std::vector<std::string> make();

 private:
  size_t below(size_t n) { return random_() % n; }
  bool chance(size_t percent) { return below(100) < percent; }
  std::string one_of(std::initializer_list<const char*> texts) { return texts.begin()[below(texts.size())]; }
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

  std::string number();
  std::string condition();
  std::string of_element(const std::string& q);
  void block();
  void statement();
  void examples();
  void derivative();
  void loop();
  void branch();
  void attempt();
  void function();

  std::mt19937 random_;
  std::string text_;
  size_t depth_ = 0, names_ = 0;
  std::vector<std::string> numbers_;  // variables of the function that hold numbers
};

}  // namespace covec::test
