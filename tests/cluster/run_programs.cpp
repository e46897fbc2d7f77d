// Runs programs on two ranks of a simulated cluster, in several pairings of engines, and says where rank 0 prints
// something else, or a rank ends otherwise, than where the interpreter runs both:
//
//     cluster_programs FILE…
#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/cluster/simulated.hpp"

namespace covec::testing {
namespace {

using Environment = ClusterOptions::Environment;

std::vector<RankResult> run(const std::string& program, const Environment& first, const Environment& second) {
  constexpr double longest_wait = 60;  // seconds of a rank for the others
  return run_on(
      2, program,
      {.patience = {.report = longest_wait, .end = longest_wait, .error = 1}, .environments = {first, second}});
}

// What counts of a run.
std::string outcome(const std::vector<RankResult>& results) {
  std::string text = results[0].printed;
  for (const RankResult& result : results) text += "status " + std::to_string(result.status) + "\n";
  return text;
}

struct Tally {
  int differ = 0, failed = 0;  // programs
};

// All pairings do as the interpreter does.
void compare(const std::string& path, const std::string& program, Tally& tally) {
  const Environment eager = {{"COVEC_ENGINE", "eager"}}, compiled = {{"COVEC_ENGINE", "compiled"}};
  const Environment mixed = {{"COVEC_TIER", "mixed"}}, cut = {{"COVEC_ENGINE", "compiled"}, {"COVEC_JOURNAL", "1"}};
  const std::vector<RankResult> reference = run(program, eager, eager);
  tally.failed += reference[0].status != 0;
  const std::pair<Environment, Environment> pairings[] = {{compiled, eager}, {mixed, compiled}, {eager, cut}};
  for (const auto& [first, second] : pairings) {
    const std::vector<RankResult> results = run(program, first, second);
    if (outcome(results) == outcome(reference)) continue;
    std::printf("--- %s\n%s--- the interpreter\n%s%s--- %s and %s\n%s%s", path.c_str(), program.c_str(),
                outcome(reference).c_str(), reference[0].said.c_str(), first.begin()->second.c_str(),
                second.begin()->second.c_str(), outcome(results).c_str(), results[0].said.c_str());
    ++tally.differ;
    return;
  }
}

}  // namespace
}  // namespace covec::testing

int main(int count, char** arguments) {
  covec::testing::Tally tally;
  for (int i = 1; i < count; ++i) {
    std::ifstream file(arguments[i]);
    covec::testing::compare(arguments[i], {std::istreambuf_iterator<char>(file), {}}, tally);
  }
  std::printf("%d programs on two ranks: %d fail as programs do, %d differ\n", count - 1, tally.failed, tally.differ);
  return tally.differ > 0 || 4 * tally.failed >= 3 * (count - 1) ? 1 : 0;  // many come to their end
}
