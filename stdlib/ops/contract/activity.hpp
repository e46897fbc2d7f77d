// What a session does beside the interpreter's walk: it compiles, or runs compiled code. A profile asks for it; without
// one Context::activities is null, and nothing is noted. Activities are a list of scopes, innermost first. A signal
// handler on the same thread reads it at any moment. Start at ActivityScope.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stdlib/value/function_ref.hpp"

namespace covec::ops {

// Machine code, and of which place of the graph its bytes are.
struct PlacedCode {
  struct From {
    uint32_t offset = 0;  // from here on
    uint32_t place = 0;   // 0: of none
  };
  uintptr_t begin = 0;
  size_t bytes = 0;
  std::vector<From> places;                 // in the order of their offsets
  std::function<std::vector<From>()> find;  // the places, where they are not known yet
  void add(uint32_t offset, uint32_t place) {
    if (!places.empty() && places.back().offset == offset) places.pop_back();
    if (places.empty() || places.back().place != place) places.push_back({offset, place});
  }
  // Before place_at(), once.
  void know_places() {
    if (!places.empty()) return;
    places = find();
    if (places.empty()) places.emplace_back();
  }
  // 0: it has none.
  uint32_t place_at(uintptr_t address) const {
    if (address - begin >= bytes) return 0;
    const auto behind = std::upper_bound(places.begin(), places.end(), address - begin,
                                         [](uintptr_t offset, const From& from) { return offset < from.offset; });
    return behind == places.begin() ? 0 : (behind - 1)->place;
  }
};

struct Activity {
  enum class Kind : uint8_t { compiling, code };
  static constexpr uint32_t no_step = UINT32_MAX;  // the code itself
  Kind kind = Kind::compiling;
  const void* what = nullptr;   // code: an id that the profile has given; compiling: the function, or nullptr
  const void* frame = nullptr;  // the innermost of the interpreter when it began
  Activity* outer = nullptr;
  uint32_t step = no_step;             // of code: what the runtime does for it now
  bool by_step = false;                // whatever instruction runs, the step tells what it is
  const PlacedCode* placed = nullptr;  // of machine code
};

// What a profile says of compiled code: of the code itself, and of what the runtime does for it, by number.
using Places = std::vector<std::pair<uint32_t, uint32_t>>;  // in the program: files and bytes
struct CodePart {
  std::string text;  // "kernel mul add"; empty: it is not told apart from the code
  Places places;
};
struct CodeParts {
  std::string function;
  CodePart itself;
  std::vector<CodePart> steps;
  Places places;  // those of the graph, by number; file 0: it is none
};

class Activities {
 public:
  virtual ~Activities() = default;
  virtual const void* frame() const = 0;  // the interpreter's innermost
  // The id of code; `held` stays as long as the profile, `parts` is asked once.
  virtual const void* id_of(const std::shared_ptr<const void>& held, FunctionRef<CodeParts()> parts) = 0;
  Activity* innermost() const { return innermost_; }
  void set_innermost(Activity* activity) {
    std::atomic_signal_fence(std::memory_order_release);
    innermost_ = activity;
    std::atomic_signal_fence(std::memory_order_release);
  }

 private:
  Activity* volatile innermost_ = nullptr;
};

class ActivityScope {
 public:
  ActivityScope(Activities* activities, Activity::Kind kind, const void* what) : activities_(activities) {
    if (activities == nullptr) [[likely]]
      return;
    activity_.kind = kind;
    activity_.what = what;
    activity_.frame = activities->frame();
    activity_.outer = activities->innermost();
    activities->set_innermost(&activity_);
  }
  ~ActivityScope() {
    if (activities_ != nullptr) [[unlikely]]
      activities_->set_innermost(activity_.outer);
  }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;
  Activity& activity() { return activity_; }

 private:
  Activities* activities_;
  Activity activity_;
};

}  // namespace covec::ops
