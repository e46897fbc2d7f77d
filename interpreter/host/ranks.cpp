// See ranks.hpp.
#include "interpreter/host/ranks.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <numeric>
#include <system_error>

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/host/known_fields.hpp"
#include "interpreter/session/output.hpp"
#include "stdlib/value/error.hpp"

namespace covec::embedding {

HostRanks::HostRanks(SessionGuard& guard, const covec_ranks& given, HostOutput* output)
    : guard_(guard), given_(given), output_(output) {
  patience.end = static_cast<double>(given.wait_microseconds) * 1e-6;
  patience.end_name = "wait_microseconds";
}

void HostRanks::ask(const char* name, FunctionRef<int()> function) {
  std::string thrown;
  try {
    int result = 0;
    {
      const SessionGuard::Outside outside(guard_);
      result = function();
    }
    if (result == 0) return;
    is_pending_ = false;
    fail(eval::row("host_ranks"), {name, std::to_string(result)});
  } catch (const OpError&) {
    throw;
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "of unknown type";
  }
  is_pending_ = false;
  fail(eval::row("host_exception"), {std::move(thrown)});
}

void HostRanks::start_all_gather(std::span<const std::byte> mine, std::byte* all) {
  gather(mine, Sizes(static_cast<size_t>(size()), static_cast<int>(mine.size())), all);
}

void HostRanks::start_all_gather(std::span<const std::byte> mine, std::span<const int> sizes, std::byte* all) {
  gather(mine, Sizes(sizes.begin(), sizes.end()), all);
}

// The root alone has something to gather.
void HostRanks::start_broadcast(std::span<std::byte> bytes, int root) {
  Sizes sizes(static_cast<size_t>(size()));
  sizes[static_cast<size_t>(root)] = static_cast<int>(bytes.size());
  gather(rank() == root ? bytes : bytes.first(0), std::move(sizes), bytes.data());
}

void HostRanks::start_all_to_all(std::span<const std::byte> mine, std::span<const int> given,
                                 std::span<const int> taken, std::byte* all) {
  scatter(mine, Sizes(given.begin(), given.end()), Sizes(taken.begin(), taken.end()), all);
}

void HostRanks::start_exchange(std::span<const std::byte> mine, int to, std::span<std::byte> received, int from) {
  given_sizes_.clear();
  taken_sizes_.assign(static_cast<size_t>(size()), 0);
  if (from == rank()) taken_sizes_[static_cast<size_t>(from)] = static_cast<int>(received.size());
  hold(mine, received.data());
  ask("exchange", [&] {
    return given_.exchange(given_.user, mine_.data(), static_cast<int>(mine_.size()), to, all_,
                           static_cast<int>(received.size()), from);
  });
}

void HostRanks::gather(std::span<const std::byte> mine, Sizes sizes, std::byte* all) {
  given_sizes_.clear();
  taken_sizes_ = std::move(sizes);
  hold(mine, all);
  ask("all_gather", [this] { return given_.all_gather(given_.user, mine_.data(), taken_sizes_.data(), all_); });
}

void HostRanks::scatter(std::span<const std::byte> mine, Sizes given, Sizes taken, std::byte* all) {
  given_sizes_ = std::move(given);
  taken_sizes_ = std::move(taken);
  hold(mine, all);
  ask("all_to_all",
      [this] { return given_.all_to_all(given_.user, mine_.data(), given_sizes_.data(), all_, taken_sizes_.data()); });
}

void HostRanks::hold(std::span<const std::byte> mine, std::byte* all) {
  mine_.assign(mine.begin(), mine.end());
  all_ = all;
  is_pending_ = true;
}

bool HostRanks::test() {
  if (!is_pending_) return true;
  int complete = 0;
  ask("is_complete", [&] { return given_.is_complete(given_.user, &complete); });
  if (complete == 0) return false;
  is_pending_ = false;
  require_own();
  return true;
}

// A host that moves nothing, or to another place, is found here: what ranks read of each other would be nonsense.
void HostRanks::require_own() const {
  const auto begin_of = [this](const Sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.begin() + rank(), size_t{0});
  };
  const auto bytes = static_cast<size_t>(taken_sizes_[static_cast<size_t>(rank())]);
  const std::byte* const mine = mine_.data() + (given_sizes_.empty() ? 0 : begin_of(given_sizes_));
  if (bytes == 0 || std::memcmp(all_ + begin_of(taken_sizes_), mine, bytes) == 0) return;
  fail(eval::row("host_ranks_moved"), {std::to_string(rank())});
}

void HostRanks::say(std::string_view text) {
  said_ = text;
  if (output_ != nullptr)
    output_->warn(text);
  else
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void HostRanks::end_all(int) {
  std::string why = said_.empty() ? "" : ": " + said_;
  if (why.ends_with('\n')) why.pop_back();
  fail(eval::row("host_ranks_ended"), {std::move(why)});
}

void EndRanks::operator()(HostRanks* ranks) const {
  if (!ranks->is_broken) delete ranks;
}

std::unique_ptr<HostRanks, EndRanks> ranks_of(const covec_options& options, SessionGuard& guard, HostOutput* output) {
  if (options.ranks == nullptr) return nullptr;
  const std::optional<covec_ranks> given = known_fields(options.ranks, options.ranks->bytes);
  const bool has_functions = given && given->all_gather != nullptr && given->all_to_all != nullptr &&
                             given->exchange != nullptr && given->is_complete != nullptr;
  const bool is_one_of_them = given && given->rank >= 0 && given->rank < given->size;
  if (!is_one_of_them || (given->size > 1 && !has_functions)) {
    throw std::system_error(EINVAL, std::generic_category(), "ranks");
  }
  return std::unique_ptr<HostRanks, EndRanks>(new HostRanks(guard, *given, output));
}

void join(HostRanks* ranks, SessionOptions& chosen) {
  if (ranks == nullptr) return;
  static Silence silence;
  chosen.ranks = ranks;
  if (ranks->rank() != 0) chosen.output = &silence;
}

}  // namespace covec::embedding
