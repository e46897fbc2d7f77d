// The ranks that run the command's program: found in the environment that a launcher (mpirun, mpiexec, srun) has set.
// Their library is opened where the program imports `parallel`. Rank 0 alone prints.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "interpreter/session/session.hpp"

namespace covec {

class Job {
 public:
  explicit Job(std::string version);  // Covec's, which all ranks must have
  ~Job();
  const std::string& problem() const { return problem_; }  // what is wrong with the environment; "": nothing
  // Ends all ranks alike: the first one of each host tells why. Gives the status, of a wrong usage.
  int refuse(std::string_view why) const;
  bool is_alone() const { return ranks_ == nullptr; }
  int size() const;
  int rank() const;
  // The session's ranks, the output of those that do not print, and the threads of this rank.
  void join(SessionOptions& options) const;

 private:
  std::string problem_;
  bool leads_host_ = true;
  std::unique_ptr<cluster::Ranks> ranks_;
  unsigned threads_ = 0;  // 0: as without a launcher
};

// `covec ranks`: the library, the hosts and threads of all ranks, and how long a header takes.
void describe_ranks(Session& session);

}  // namespace covec
