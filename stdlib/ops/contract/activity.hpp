// What a session does beside the interpreter's walk: it compiles, or runs compiled code. A profile asks for it; without
// one Context::activities is null, and nothing is noted. Activities are a list of scopes, innermost first. A signal
// handler on the same thread reads it at any moment. Start at ActivityScope.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stdlib/value/function_ref.hpp"

namespace covec::ops {

struct Activity {
  enum class Kind : uint8_t { compiling, code };
  static constexpr uint32_t no_step = UINT32_MAX;  // the code itself
  Kind kind = Kind::compiling;
  const void* what = nullptr;   // code: an id that the profile has given; compiling: the function, or nullptr
  const void* frame = nullptr;  // the innermost of the interpreter when it began
  Activity* outer = nullptr;
  uint32_t step = no_step;  // of code: what the runtime does for it now
};

// What a profile says of compiled code: of the code itself, and of what the runtime does for it, by number.
struct CodePart {
  std::string text;                                   // "kernel mul add"; empty: it is not told apart from the code
  std::vector<std::pair<uint32_t, uint32_t>> places;  // in the program: files and bytes
};
struct CodeParts {
  std::string function;
  CodePart itself;
  std::vector<CodePart> steps;
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
