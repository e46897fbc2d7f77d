// Every builtin with arguments that may make no sense: of the wrong number, kind, dtype, rank, sign and size, NaN,
// empty, huge, unknown keywords. It gives a value or says what is wrong, the same on every engine; it never crashes,
// and never fails in a way of its own making. Usage: mistake_tests avx2|avx512|c99 [seed]
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/isa.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "tests/engines/engines.hpp"

namespace covec::test {
namespace {

constexpr const char* arguments[] = {
    "none", "true", "0", "3", "-1", "2.5", "nan", "-inf", "1e300", "9223372036854775807", "-9223372036854775807",
    "-9223372036854775807 - 1", "\"text\"", "\"\"", "()", "(1, 2)", "(2, -1)", "(1099511627776, 1099511627776)",
    "list()", "list(1.0, 2.0)", "{a: 1.0}", "{a: [1.0], b: none}", "x -> x", "sin", "f32", "range(3)", "range(0)",
    // Tensors, some of them singular, not symmetric, not sorted, negative, out of any range.
    "zeros(0)", "zeros(2, 0)", "[1.0, nan, 3.0]", "[inf, 1.0]", "[true, false]", "[1, 2, 3]", "[0, 99]", "[-5, 1]",
    "[-1.0, 0.5]", "[0.25, 0.75]", "[[1.0, 2.0], [2.0, 1.0]]", "[[1.0, 2.0], [2.0, 4.0]]", "[[1.0, 2.0], [3.0, 4.0]]",
    "[[nan, 0.0], [0.0, 1.0]]", "ones(2, 3)", "ones(3, 2)", "ones(2, 2, 2)", "ones(1, 1, 2, 2)", "ones(1, 2, 5, 5)",
    "zeros(1, 0, 3)", "zeros(4, 0)", "i32([1, 2])", "f32([[1.0, 2.0], [3.0, 4.0]])",
    "ones(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)", "2im", "[1im, 2]", "c64([[1im, nan], [2, -1im]])", "c64",
    "u8([1, 255])"};

// What waits, writes files, depends on the clock or says what it is told.
const std::set<std::string_view> left_out = {"sleep", "time",    "timeit", "save",     "write_csv",
                                             "args",  "explain", "error",  "plot_save"};

class Mistakes {
 public:
  explicit Mistakes(unsigned seed) : random_(seed) {}

  void run(const ops::Entry& entry, int cases, Engines& engines) {
    for (int i = 0; i < cases; ++i) one(entry, engines);
  }
  // Errors that name neither the builtin nor one of its arguments.
  size_t vague() const { return vague_; }
  size_t unexpected() const { return unexpected_; }

 private:
  size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  void one(const ops::Entry& entry, Engines& engines) {
    const size_t most = entry.parameters.size() + 1, likely = below(4);
    const size_t count = likely > 0 ? std::min(most, likely) : below(most + 1);
    std::string parameters, passed, given;
    bool keywords = false;
    std::set<std::string> named;
    for (size_t i = 0; i < count; ++i) {
      const std::string name = "a" + std::to_string(i);
      std::string keyword;
      if (i > 0 && !entry.parameters.empty() && (keywords || below(6) == 0)) {
        keyword = below(12) == 0 ? "unknown" : std::string(entry.parameters[below(entry.parameters.size())].name);
        if (!named.insert(keyword).second) continue;  // the program would not parse
        keywords = true;
      }
      const char* separator = parameters.empty() ? "" : ", ";
      parameters += separator + name;
      passed += separator + (keyword.empty() ? "" : keyword + "=") + name;
      given += separator + std::string(arguments[below(std::size(arguments))]);
    }
    const std::string program = "fn f(" + parameters + ") = " + std::string(entry.name) + "(" + passed + ")";
    const std::string outcome = engines.compare(std::string(entry.name), program, given);
    if (outcome.find("(unexpected)") != std::string::npos) {
      ++unexpected_;
      std::cout << "UNEXPECTED " << program << " of " << given << "\n  " << outcome << "\n";
    }
    if (!outcome.starts_with("error") || outcome.find(entry.name) != std::string::npos) return;
    if (outcome.find('|') != std::string::npos) return;
    ++vague_;
    if (std::getenv("COVEC_SHOW_VAGUE") != nullptr)
      std::cout << "VAGUE " << program << " of " << given << "\n  " << outcome << "\n";
  }

  std::mt19937 random_;
  size_t vague_ = 0, unexpected_ = 0;
};

}  // namespace
}  // namespace covec::test

int main(int argc, char** argv) {
  using namespace covec;
  if (argc < 2) return 2;
  const std::string engine = argv[1];
  if (engine == "avx512" && ops::detect_isa() != ops::Isa::avx512) return 0;
  test::choose(engine);
  test::Engines engines(engine);
  test::Mistakes mistakes(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
  for (const ops::Entry* entry : ops::all_entries()) {
    if (entry->internal || entry->constant || test::left_out.contains(entry->name)) continue;
    mistakes.run(*entry, engine == "c99" ? 2 : 60, engines);
  }
  std::cout << engine << ": " << engines.count() << " calls, " << engines.differ() << " differ, "
            << mistakes.unexpected() << " unexpected, " << mistakes.vague() << " vague\n";
  return engines.differ() == 0 && mistakes.unexpected() == 0 ? 0 : 1;
}
