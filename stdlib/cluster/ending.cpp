#include "stdlib/cluster/ending.hpp"

#include <algorithm>
#include <chrono>

#include "stdlib/cluster/header.hpp"
#include "stdlib/gate/system.hpp"

namespace covec::cluster {

namespace {

class Finish {
 public:
  Finish(Ranks& ranks, const Ending& ending) : ranks_(ranks), ending_(ending) {}

  int run() {
    if (ranks_.size() == 1 || !ranks_.has_started()) return alone();
    if (ranks_.is_broken) break_off();
    const std::vector<Header> all = gather_headers(ranks_, header(), waiting());
    const bool some_wait = std::ranges::any_of(all, [](const Header& one) { return one.kind == Kind::collective; });
    if (all.empty() || (some_wait && ending_.has_failed)) break_off();
    if (some_wait) wait_for_abort(ranks_, ending_.status != 0 ? ending_.status : 1);
    tell(all);
    ranks_.end();
    return ending_.status;
  }

 private:
  // Nor does this rank know what the others do, if it has not started. Those of its host have read the same text.
  int alone() {
    const bool is_told = ending_.is_of_text && !ranks_.leads_host;
    if (is_told) let_leader_tell();
    if (ending_.has_failed && !is_told) say(ranks_.rank() == 0);
    if (ranks_.has_started()) ranks_.end();
    return ending_.status;
  }

  Header header() const {
    Header mine;
    mine.number = ranks_.collectives;
    mine.kind = ending_.has_failed ? Kind::error : Kind::end;
    mine.value = static_cast<uint64_t>(ending_.status);
    if (ending_.has_failed) mine.value = hash_of(ending_.was_interrupted ? "interrupted" : ending_.report);
    return mine;
  }

  Waiting waiting() const {
    return {nullptr, [] { return std::string("for other ranks to end"); },
            ending_.has_failed ? ranks_.patience.error : 0};
  }

  // Every rank has ended.
  void tell(const std::vector<Header>& all) const {
    if (!ending_.has_failed) return;
    const bool is_common = std::ranges::all_of(
        all, [&](const Header& one) { return one.kind == Kind::error && one.value == all.front().value; });
    if (!is_common || ranks_.rank() == 0) say(is_common);
  }

  // The others do something else. An interrupt that came to all is told by rank 0.
  [[noreturn]] void break_off() {
    const int status = ending_.status != 0 ? ending_.status : 1;
    if (ending_.was_interrupted && ranks_.rank() != 0) wait_for_abort(ranks_, status);
    if (ending_.has_failed) say();
    ranks_.abort(status);
  }

  void say(bool is_common = false) const {
    const std::string where = "on rank " + std::to_string(ranks_.rank()) + " of " + std::to_string(ranks_.size()) +
                              " (" + ranks_.host() + "):\n";
    ranks_.say(is_common ? ending_.report : where + ending_.report);
  }

  Ranks& ranks_;
  const Ending& ending_;
};

}  // namespace

void let_leader_tell() {
  constexpr auto moment = std::chrono::milliseconds(500);  // chosen: the ranks of a job start within less
  gate::pause(moment);
}

int status_of_error(std::string_view code) { return code.starts_with("mpi_") ? 2 : 1; }

int finish(Ranks& ranks, const Ending& ending) { return Finish(ranks, ending).run(); }

}  // namespace covec::cluster
