// C++ functions that programs call: a lambda's arguments are converted from values of the language, and its result to
// one.
#pragma once

#include <covec/values.hpp>

#include <functional>

namespace covec::host {

// Thrown by a function that a program has called: the call fails at its place in the program. `kind` is one of those
// that error() knows.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& message, std::string kind = "user")
      : std::runtime_error(message), kind_(std::move(kind)) {}
  const std::string& kind() const { return kind_; }

 private:
  std::string kind_;
};

// As covec_function_options. Without parameters a call gives all arguments by position.
struct FunctionOptions {
  std::vector<std::string> parameters = {};
  std::string result = {};  // "": what the C++ type says, where it is a number or an array
  bool pure = false;
  Handle reverse = {};
  std::string documentation = {};
};

namespace detail {

template <class F>
struct SignatureOf : SignatureOf<decltype(&F::operator())> {};
template <class R, class... Args>
struct SignatureOf<R (*)(Args...)> {
  using Result = R;
  using Arguments = std::tuple<std::decay_t<Args>...>;
};
template <class C, class R, class... Args>
struct SignatureOf<R (C::*)(Args...) const> : SignatureOf<R (*)(Args...)> {};
template <class C, class R, class... Args>
struct SignatureOf<R (C::*)(Args...)> : SignatureOf<R (*)(Args...)> {};

// The type of a result as an annotation has it; "": anything.
template <class T>
struct Annotation {
  static std::string text() { return ""; }
};
template <class T>
struct Annotation<Result<T>> : Annotation<T> {};
template <class T>
requires std::is_arithmetic_v<T>
struct Annotation<T> {
  static std::string text() {
    if constexpr (std::is_same_v<T, bool>) return "bool";
    if constexpr (std::is_integral_v<T>) return "i64";
    return std::is_same_v<T, float> ? "f32" : "f64";
  }
};
template <Element T, size_t n>
struct Annotation<std::array<T, n>> {
  static std::string text() { return std::string(DtypeOf<T>::name) + "[" + std::to_string(n) + "]"; }
};

template <class F>
class Callback {
 public:
  using Signature = SignatureOf<F>;
  using Arguments = typename Signature::Arguments;

  Callback(std::string name, F f) : name_(std::move(name)), f_(std::move(f)) {}

  static covec_value* call(void* user, covec_session* session, covec_value* const* arguments, size_t count) {
    auto& self = *static_cast<Callback*>(user);
    constexpr size_t expected = std::tuple_size_v<Arguments>;
    if (count != expected) {
      const std::string text = self.name_ + " takes " + std::to_string(expected) + " argument" +
                               (expected == 1 ? "" : "s") + ", got " + std::to_string(count);
      covec_fail(session, "type", text.c_str());
      return nullptr;
    }
    try {
      return self.answer(session, arguments, std::make_index_sequence<expected>());
    } catch (const Failure& failure) {
      if (covec_fail(session, failure.kind().c_str(), failure.what()) != COVEC_OK)
        covec_fail(session, nullptr, failure.what());
    }
    return nullptr;
  }
  static void destroy(void* user) { delete static_cast<Callback*>(user); }

 private:
  template <size_t... i>
  covec_value* answer(covec_session* session, covec_value* const* arguments, std::index_sequence<i...>) {
    auto taken = std::tuple(Convert<std::tuple_element_t<i, Arguments>>::take(session, arguments[i])...);
    if (!(static_cast<bool>(std::get<i>(taken)) && ...)) {
      (void)(fail_unless(session, std::get<i>(taken)) && ...);
      return nullptr;
    }
    using R = typename Signature::Result;
    if constexpr (std::is_void_v<R>) {
      f_(std::move(*std::get<i>(taken))...);
      covec_value* none = nullptr;
      covec_none(session, &none);
      return none;
    } else {
      return given(session, f_(std::move(*std::get<i>(taken))...));
    }
  }
  template <class R>
  static covec_value* given(covec_session* session, R result) {
    Result<Handle> made = Convert<R>::make(session, result);
    covec_value* out = nullptr;
    if (fail_unless(session, made)) covec_copy(session, made->get(), &out);
    return out;
  }
  template <class R>
  static covec_value* given(covec_session* session, Result<R> result) {
    return fail_unless(session, result) ? given(session, std::move(*result)) : nullptr;
  }
  template <class R>
  static bool fail_unless(covec_session* session, const Result<R>& result) {
    if (result) return true;
    const Error& error = result.error();
    if (error.kind.empty() || covec_fail(session, error.kind.c_str(), error.message.c_str()) != COVEC_OK)
      covec_fail(session, error.status == COVEC_MISUSE ? "type" : nullptr, error.message.c_str());
    return false;
  }

  const std::string name_;
  F f_;
};

template <class F>
Result<Handle> make_function(covec_session* session, const std::string& name, F f, const FunctionOptions& options) {
  using Made = Callback<F>;
  auto callback = std::make_unique<Made>(name, std::move(f));
  std::vector<const char*> parameters;
  for (const std::string& parameter : options.parameters) parameters.push_back(parameter.c_str());
  parameters.push_back(nullptr);
  const std::string result =
      options.result.empty() ? Annotation<typename Made::Signature::Result>::text() : options.result;
  covec_function_options raw{};
  raw.callback = &Made::call;
  raw.user = callback.get();
  raw.destroy = &Made::destroy;
  raw.parameters = options.parameters.empty() ? nullptr : parameters.data();
  raw.result = result.empty() ? nullptr : result.c_str();
  raw.pure = options.pure;
  raw.reverse = options.reverse.get();
  raw.documentation = options.documentation.empty() ? nullptr : options.documentation.c_str();
  Result<Handle> made =
      handle(session, [&](covec_value** out) { return covec_function(session, name.c_str(), &raw, out); });
  if (made) (void)callback.release();
  return made;
}

}  // namespace detail
}  // namespace covec::host
