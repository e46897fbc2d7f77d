// The resolved texts of a session. A text is kept as long as a function of it is held, and freed between two runs, when
// nothing points into it any more. The trade-off: texts are checked only when their number or their bytes have doubled.
// So a run costs no more than its own text, and a session of many runs holds at most twice what it needs. A text that
// was refused goes at the next run. Start at collect.
#pragma once

#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

#include "frontend/source/source.hpp"
#include "interpreter/eval/values/module.hpp"

namespace covec {

class Units {
 public:
  explicit Units(SourceMap& sources) : sources_(sources) {}

  // A text that is read now; where no unit comes of it, drop_refused() frees it.
  uint32_t add_text(std::string name, std::string text, std::string library = {});
  const LoadedUnit& add(std::unique_ptr<LoadedUnit> unit);

  void forget_choices() const {
    for (const auto& unit : units_) unit->unit->forget_choices();
  }
  // Holds everything that is here now.
  std::shared_ptr<const void> hold();

  // Nothing runs, and messages about the texts have been shown.
  void drop_refused();
  bool is_worth_collecting() const { return units_.size() >= threshold_ || bytes_ >= bytes_threshold_; }
  // Nothing runs. `forget` lets code go that was compiled of units that nobody but code holds.
  using Forget = std::function<void(const std::unordered_set<const LoadedUnit*>& dead)>;
  void collect(const Forget& forget);
  bool has_units_of(const Module& module) const;
  // Marks statements for a profile, of the units that are here and of those to come, or takes all marks out. Nothing
  // runs.
  void mark(bool marks);
  bool has_closures_of(const Module& module) const;  // functions of its texts that a program may call
  size_t size() const { return units_.size(); }
  void clear() {
    units_.clear();
    bytes_ = 0;
  }

 private:
  size_t bytes_of(const LoadedUnit& unit) const;  // of its text
  std::unordered_set<const LoadedUnit*> without_closures() const;
  uint64_t oldest_held();

  SourceMap& sources_;
  std::vector<std::unique_ptr<LoadedUnit>> units_;
  std::vector<uint32_t> loose_;  // texts of which there is no unit
  // Units, and bytes of their texts, from which on those without closures are let go.
  static constexpr size_t least = 64, least_bytes = size_t{1} << 20;
  size_t threshold_ = least, bytes_threshold_ = least_bytes;
  size_t bytes_ = 0;  // of the units' texts
  // A holder of time t may point into what was there at t. A unit that was found without closures at time t goes when
  // there is no holder of before.
  struct Holder {
    uint64_t time;
    std::weak_ptr<const void> alive;
  };
  std::vector<Holder> holders_;  // in order of time
  uint64_t time_ = 1;
  bool marks_ = false;
};

}  // namespace covec
