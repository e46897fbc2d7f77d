// At the peak each path holds what it holds before the next block goes. Only paths that have changed since the last
// peak are copied, so a peak costs no more than what came before it.
#include "interpreter/profile/allocations.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace covec::profile {

Allocations::Allocations(const Paths& paths, Memory& memory) : paths_(paths), memory_(memory) {
  hold(outside, memory.account().used);
  memory.watch(this);
}

void Allocations::stop() {
  if (!std::exchange(watches_, false)) return;
  memory_.watch(nullptr);
  if (is_peak_) note_peak();
}

void Allocations::taken(const void* what, uint64_t bytes) noexcept { add(what, bytes, true); }

void Allocations::changed(const void* what, uint64_t from, uint64_t to) noexcept {
  if (to > from) add(what, to - from, false);
  if (to < from) take_away(what, from - to);
}

void Allocations::given_back(const void* what, uint64_t bytes) noexcept { take_away(what, bytes); }

uint32_t Allocations::holder_now() {
  // The stack is read from here outwards.
  const Position here{0, static_cast<const uintptr_t*>(__builtin_frame_address(0)), Position::many};
  Paths::Buffer buffer;
  const uint32_t holder = samples_.number_of(paths_.read(buffer, here));
  if (holder >= holders_.size()) holders_.resize(holder + 1);
  return holder;
}

void Allocations::add(const void* what, uint64_t bytes, bool is_new) noexcept {
  try {
    const uint32_t holder = holder_now();
    const auto [begin, end] = portions_.equal_range(what);
    const auto known = std::find_if(begin, end, [&](const auto& portion) { return portion.second.holder == holder; });
    if (known != end)
      known->second.bytes += bytes;
    else if (bytes > 0)
      portions_.emplace(what, Portion{holder, bytes});
    hold(holder, bytes);
    holders_[holder].bytes.allocated += bytes;
    holders_[holder].bytes.blocks += is_new;
  } catch (const std::bad_alloc&) {
    lost_ += bytes;
  }
}

// What has no portion was there before.
void Allocations::take_away(const void* what, uint64_t bytes) noexcept {
  try {
    if (is_peak_) note_peak();
    for (auto at = portions_.find(what); bytes > 0 && at != portions_.end(); at = portions_.find(what)) {
      Portion& portion = at->second;
      const uint64_t less = std::min(portion.bytes, bytes);
      hold(portion.holder, -less);
      bytes -= less;
      portion.bytes -= less;
      if (portion.bytes == 0) portions_.erase(at);
    }
    hold(outside, -std::min(holders_[outside].held, bytes));
  } catch (const std::bad_alloc&) {
    lost_ += bytes;
  }
}

// `more`: 2^64 less what goes.
void Allocations::hold(uint32_t holder, uint64_t more) {
  Holder& at = holders_[holder];
  if (!at.has_changed) changed_.push_back(holder);
  at.has_changed = true;
  at.held += more;
  held_ += more;
  if (held_ <= peak_) return;
  peak_ = held_;
  is_peak_ = true;
}

void Allocations::note_peak() {
  for (const uint32_t holder : changed_) {
    holders_[holder].bytes.at_peak = holders_[holder].held;
    holders_[holder].has_changed = false;
  }
  changed_.clear();
  is_peak_ = false;
}

std::vector<Allocations::Path> Allocations::paths() const {
  std::vector<Path> all;
  for (uint32_t holder = 0; holder < holders_.size(); ++holder) {
    const Bytes& bytes = holders_[holder].bytes;
    if (bytes.allocated > 0 || bytes.at_peak > 0) all.push_back({samples_.steps_of(holder), bytes});
  }
  return all;
}

}  // namespace covec::profile
