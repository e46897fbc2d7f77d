// FunctionRef: a callback as a parameter. It refers to a callable of its caller and owns nothing. So it is two words,
// allocates nothing, and must not outlive the call that it is passed to. A callback that is stored is a std::function.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace covec {

template <typename Signature>
class FunctionRef;

template <typename Result, typename... Args>
class FunctionRef<Result(Args...)> {
 public:
  FunctionRef(std::nullptr_t = nullptr) {}
  template <typename Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
           std::is_invocable_r_v<Result, Callable&, Args...>)
      FunctionRef(Callable&& callable) {  // NOLINT(bugprone-forwarding-reference-overload): constrained above
    if constexpr (requires { callable.target_type(); }) {
      if (!callable) return;  // an empty std::function
    }
    using Callee = std::remove_reference_t<Callable>;
    if constexpr (std::is_function_v<Callee>) {
      target_.function = reinterpret_cast<void (*)()>(&callable);
      call_ = [](Target target, Args... args) -> Result {
        return static_cast<Result>(reinterpret_cast<Callee*>(target.function)(std::forward<Args>(args)...));
      };
    } else {
      target_.object = const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
      call_ = [](Target target, Args... args) -> Result {
        return static_cast<Result>((*static_cast<Callee*>(target.object))(std::forward<Args>(args)...));
      };
    }
  }

  explicit operator bool() const { return call_ != nullptr; }
  // There is something to call.
  Result operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

 private:
  union Target {
    void* object = nullptr;
    void (*function)();
  } target_;
  Result (*call_)(Target, Args...) = nullptr;
};

}  // namespace covec
