#include "interpreter/command/ranks.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "interpreter/session/output.hpp"
#include "stdlib/cluster/collective.hpp"
#include "stdlib/cluster/ending.hpp"
#include "stdlib/cluster/launcher.hpp"
#include "stdlib/cluster/mpi.hpp"
#include "stdlib/cluster/ranks.hpp"

namespace covec {

namespace {

// The cores that this process may use, or 0 where the system does not say.
unsigned usable_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? static_cast<unsigned>(CPU_COUNT(&mask)) : 0;
}

// A rank's own cores, or its share of those that the ranks of its host have together.
unsigned threads_of_rank(const cluster::Launch& launch) {
  const unsigned cores = usable_cores(), ranks = static_cast<unsigned>(std::max(1, launch.local_size));
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  const bool is_shared = online > 0 && static_cast<unsigned long>(cores) * ranks > static_cast<unsigned long>(online);
  return is_shared ? std::max(1u, cores / ranks) : cores;
}

// Seconds, 0 where the variable has none.
double seconds_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::max(0.0, std::strtod(text, nullptr)) : 0;
}

std::string shown(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  return text;
}

// The least of several means: other processes disturb.
double seconds_of_header(ops::Context& context, const cluster::Collective& collective) {
  constexpr int repetitions = 5, count = 1000;  // gathers
  using Clock = std::chrono::steady_clock;
  double least = 1e9;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) cluster::gather(context, collective, "");
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count() / count);
  }
  return least;
}

}  // namespace

Job::Job(std::string version) {
  const cluster::Launch launch =
      cluster::find_launch([](const char* name) -> const char* { return std::getenv(name); });
  problem_ = launch.problem;
  leads_host_ = launch.local_rank == 0;
  if (launch.size == 1) return;
  ranks_ = cluster::mpi_ranks(launch);
  ranks_->version = std::move(version);
  ranks_->patience.end = seconds_in("COVEC_MPI_SECONDS");
  if (std::getenv("COVEC_THREADS") == nullptr) threads_ = threads_of_rank(launch);
}

Job::~Job() = default;

int Job::size() const { return is_alone() ? 1 : ranks_->size(); }
int Job::rank() const { return is_alone() ? 0 : ranks_->rank(); }

int Job::refuse(std::string_view why) const {
  if (leads_host_)
    std::cerr << "error: " << why << std::endl;
  else
    cluster::let_leader_tell();
  return 2;
}

void Job::join(SessionOptions& options) const {
  if (is_alone()) return;
  static Silence silence;
  options.ranks = ranks_.get();
  options.input = nullptr;
  options.threads = threads_;
  if (rank() != 0) options.output = &silence;
}

void describe_ranks(Session& session) {
  ops::Context& context = session.context();
  cluster::Ranks& ranks = *context.ranks;
  if (ranks.size() == 1) {
    context.output->write("1 rank: no launcher (mpirun, mpiexec, srun) has started this program\n");
    return;
  }
  ranks.start();
  const cluster::Collective collective{cluster::Operation::ranks, 0, [] { return std::string(); }};
  const std::string threads = std::to_string(context.threads) + (context.threads == 1 ? " thread" : " threads");
  const cluster::Gathered rows = cluster::gather(context, collective, ranks.host() + ", " + threads);
  std::string text = ranks.library() + ": " + std::to_string(ranks.size()) + " ranks\n";
  int rank = 0;
  for (const std::string_view row : rows.parts())
    text += "rank " + std::to_string(rank++) + ": " + std::string(row) + "\n";
  text += "a header takes " + shown(seconds_of_header(context, collective)) + "\n";
  context.output->write(text);
}

}  // namespace covec
