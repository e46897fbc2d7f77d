// See units.hpp.
#include "interpreter/session/units.hpp"

#include <algorithm>

#include "frontend/core/marks.hpp"

namespace covec {

uint32_t Units::add_text(std::string name, std::string text, std::string library) {
  const uint32_t file = sources_.add(std::move(name), std::move(text), std::move(library));
  loose_.push_back(file);
  return file;
}

void Units::drop_refused() {
  for (const uint32_t file : loose_) sources_.remove(file);
  loose_.clear();
}

size_t Units::bytes_of(const LoadedUnit& unit) const { return sources_.file(unit.unit->file).text().size(); }

const LoadedUnit& Units::add(std::unique_ptr<LoadedUnit> unit) {
  std::erase(loose_, unit->unit->file);
  bytes_ += bytes_of(*unit);
  if (marks_) core::mark_statements(*unit->unit, true);
  units_.push_back(std::move(unit));
  return *units_.back();
}

std::shared_ptr<const void> Units::hold() {
  if (!holders_.empty() && holders_.back().time == time_) {
    if (auto held = holders_.back().alive.lock()) return held;
    holders_.pop_back();
  }
  auto held = std::make_shared<const uint64_t>(time_);
  holders_.push_back({time_, held});
  return held;
}

uint64_t Units::oldest_held() {
  std::erase_if(holders_, [](const Holder& holder) { return holder.alive.expired(); });
  return holders_.empty() ? UINT64_MAX : holders_.front().time;
}

std::unordered_set<const LoadedUnit*> Units::without_closures() const {
  std::unordered_set<const LoadedUnit*> dead;
  for (const auto& unit : units_) {
    if (unit->closures == 0) dead.insert(unit.get());
  }
  return dead;
}

void Units::collect(const Forget& forget) {
  ++time_;
  const std::unordered_set<const LoadedUnit*> dead = without_closures();
  forget(dead);
  const uint64_t oldest = oldest_held();
  std::erase_if(units_, [&](const std::unique_ptr<LoadedUnit>& unit) {
    // What has lost its last closure with the code that went now still has code of its own: the next time.
    if (!dead.contains(unit.get()) || unit->in_code > 0) {
      unit->unused_since = 0;
      return false;
    }
    if (unit->unused_since == 0) unit->unused_since = time_;
    if (oldest < unit->unused_since) return false;
    bytes_ -= bytes_of(*unit);
    sources_.remove(unit->unit->file);
    return true;
  });
  threshold_ = std::max(least, 2 * units_.size());
  bytes_threshold_ = std::max(least_bytes, 2 * bytes_);
}

void Units::mark(bool marks) {
  if (marks_ == marks) return;
  marks_ = marks;
  for (const auto& unit : units_) core::mark_statements(*unit->unit, marks);
}

bool Units::has_closures_of(const Module& module) const {
  return std::ranges::any_of(units_, [&](const auto& unit) { return unit->module == &module && unit->closures > 0; });
}

bool Units::has_units_of(const Module& module) const {
  return std::ranges::any_of(units_, [&](const auto& unit) { return unit->module == &module; });
}

}  // namespace covec
