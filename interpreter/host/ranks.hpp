// The ranks of a host: its own processes, between which its functions move bytes (covec_ranks). Nothing here ends a
// process: what ends the job of the command is an error of the program. Start at HostRanks.
#pragma once

#include <covec/covec.h>

#include <memory>
#include <string>
#include <vector>

#include "interpreter/host/output.hpp"
#include "interpreter/host/session_guard.hpp"
#include "interpreter/host/state.hpp"
#include "interpreter/session/session.hpp"
#include "stdlib/cluster/ranks.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::embedding {

class HostRanks final : public cluster::Ranks {
 public:
  // `output`: of the host, or nullptr.
  HostRanks(SessionGuard& guard, const covec_ranks& given, HostOutput* output);
  int rank() const override { return given_.rank; }
  int size() const override { return given_.size; }
  void start_all_gather(std::span<const std::byte> mine, std::byte* all) override;
  void start_all_gather(std::span<const std::byte> mine, std::span<const int> sizes, std::byte* all) override;
  void start_all_to_all(std::span<const std::byte> mine, std::span<const int> given, std::span<const int> taken,
                        std::byte* all) override;
  void start_broadcast(std::span<std::byte> bytes, int root) override;
  void start_exchange(std::span<const std::byte> mine, int to, std::span<std::byte> received, int from) override;
  bool test() override;
  void say(std::string_view text) override;
  std::string library() const override { return "functions of the host"; }
  std::string host() const override { return "this host"; }

 private:
  [[noreturn]] void end_all(int status) override;
  using Sizes = std::vector<int>;  // in bytes, of each rank
  void gather(std::span<const std::byte> mine, Sizes sizes, std::byte* all);
  void scatter(std::span<const std::byte> mine, Sizes given, Sizes taken, std::byte* all);
  void hold(std::span<const std::byte> mine, std::byte* all);
  void require_own() const;
  // What the host's function gives must be 0. An exception becomes an error of the program.
  void ask(const char* name, FunctionRef<int()> function);

  SessionGuard& guard_;
  const covec_ranks given_;
  HostOutput* const output_;
  // Of the operation that runs. Its bytes are copied: they must stay where they are after an interrupt, too.
  std::vector<std::byte> mine_;
  Sizes given_sizes_, taken_sizes_;  // no given ones: each rank gets all of mine
  std::byte* all_ = nullptr;
  bool is_pending_ = false;
  std::string said_;  // last
};

// The host's ranks where the options name some, or nullptr. std::system_error(EINVAL): they are none.
std::unique_ptr<HostRanks, EndRanks> ranks_of(const covec_options& options, SessionGuard& guard, HostOutput* output);
// All ranks print the same, so the output of those other than 0 is dropped. nullptr: this one is alone.
void join(HostRanks* ranks, SessionOptions& chosen);

}  // namespace covec::embedding
