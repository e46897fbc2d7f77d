// Covec for a C++ host: a thin RAII layer over covec.h, header only. Errors are values (Result) or exceptions
// (value()), as the host likes. Start at Session.
#pragma once

#include <covec/covec.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace covec::host {

// What went wrong: `text` is the whole report as a terminal shows it.
struct Error {
  covec_status status = COVEC_ERROR;
  std::string message;
  std::string text;
  unsigned line = 0;
};

class Exception : public std::runtime_error {
 public:
  explicit Exception(Error e) : std::runtime_error(e.text), error(std::move(e)) {}
  Error error;
};

// Either a T or an Error.
template <class T>
class Result {
 public:
  Result(T value) : value_(std::move(value)), ok_(true) {}       // NOLINT: both sides convert
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT
  explicit operator bool() const { return ok_; }
  const Error& error() const { return error_; }
  T& value() {  // throws Exception
    if (!ok_) throw Exception(error_);
    return value_;
  }
  T& operator*() { return value(); }
  T* operator->() { return &value(); }

 private:
  T value_{};
  Error error_;
  bool ok_;
};

// Elements of the dtypes that C++ has no type for: their bits.
struct F16 {
  uint16_t bits;
};
struct Bf16 {
  uint16_t bits;
};

template <class T>
struct DtypeOf;
template <>
struct DtypeOf<F16> {
  static constexpr covec_dtype value = COVEC_F16;
};
template <>
struct DtypeOf<Bf16> {
  static constexpr covec_dtype value = COVEC_BF16;
};
template <>
struct DtypeOf<bool> {
  static constexpr covec_dtype value = COVEC_BOOL;
};
template <>
struct DtypeOf<int32_t> {
  static constexpr covec_dtype value = COVEC_I32;
};
template <>
struct DtypeOf<int64_t> {
  static constexpr covec_dtype value = COVEC_I64;
};
template <>
struct DtypeOf<float> {
  static constexpr covec_dtype value = COVEC_F32;
};
template <>
struct DtypeOf<double> {
  static constexpr covec_dtype value = COVEC_F64;
};

// A counted handle on a value of the language. Copies share it.
class Handle {
 public:
  Handle() = default;
  explicit Handle(covec_value* owned) : value_(owned, covec_release) {}
  explicit operator bool() const { return value_ != nullptr; }
  covec_value* get() const { return value_.get(); }
  std::string text() const {
    const size_t bytes = covec_text_bytes(value_.get());
    return std::string(covec_text(value_.get()), bytes);
  }

 private:
  std::shared_ptr<covec_value> value_;
};

using Output = std::function<void(covec_stream, std::string_view)>;

// As covec_options.
struct Options {
  uint64_t memory_limit = 0;
  unsigned threads = 0;
  Output output = {};
  bool use_environment = false;
};

class Session {
 public:
  explicit Session(Options options = {}) : output_(std::make_unique<Output>(std::move(options.output))) {
    covec_options raw{};
    raw.memory_limit = options.memory_limit;
    raw.threads = options.threads;
    raw.output = *output_ ? &Session::forward : nullptr;
    raw.user = output_.get();
    raw.use_environment = options.use_environment;
    session_.reset(covec_open(&raw));
    if (!session_) throw std::bad_alloc();
  }

  Result<Handle> run(const std::string& text, const std::string& name = "host") {
    if (has_zero(text) || has_zero(name)) return zero_byte();
    return result([&](covec_value** out) { return covec_run(session_.get(), name.c_str(), text.c_str(), out); });
  }
  Result<Handle> run_file(const std::string& path) {
    if (has_zero(path)) return zero_byte();
    return result([&](covec_value**) { return covec_run_file(session_.get(), path.c_str()); });
  }
  Result<Handle> get(const std::string& name) {
    if (has_zero(name)) return zero_byte();
    return result([&](covec_value** out) { return covec_get(session_.get(), name.c_str(), out); });
  }
  Result<Handle> set(const std::string& name, const Handle& value) {
    if (has_zero(name)) return zero_byte();
    return result([&](covec_value**) { return covec_set(session_.get(), name.c_str(), value.get()); });
  }
  Result<Handle> call(const Handle& function, std::initializer_list<Handle> arguments) {
    std::vector<covec_value*> raw;
    for (const Handle& argument : arguments) raw.push_back(argument.get());
    return result(
        [&](covec_value** out) { return covec_call(session_.get(), function.get(), raw.data(), raw.size(), out); });
  }

  // A tensor on memory of the host that outlives its use; never copied, never written to.
  template <class T>
  Result<Handle> lend(std::span<const T> data, std::initializer_list<int64_t> dims) {
    if (!multiply_to(dims, data.size())) return wrong_dimensions();
    return result([&](covec_value** out) {
      return covec_lend(session_.get(), DtypeOf<T>::value, static_cast<unsigned>(dims.size()), dims.begin(),
                        data.data(), nullptr, nullptr, out);
    });
  }
  // The same, keeping `data` alive itself.
  template <class T>
  Result<Handle> tensor(std::vector<T> data, std::initializer_list<int64_t> dims) {
    if (!multiply_to(dims, data.size())) return wrong_dimensions();
    auto owned = std::make_unique<std::vector<T>>(std::move(data));
    auto lent = result([&](covec_value** out) {
      return covec_lend(
          session_.get(), DtypeOf<T>::value, static_cast<unsigned>(dims.size()), dims.begin(), owned->data(),
          [](void* owner) { delete static_cast<std::vector<T>*>(owner); }, owned.get(), out);
    });
    if (lent) owned.release();
    return lent;
  }
  template <class T>
  Result<Handle> scalar(T number) {
    return result([&](covec_value** out) {
      return covec_lend(session_.get(), DtypeOf<T>::value, 0, nullptr, &number, nullptr, nullptr, out);
    });
  }
  // The elements in place; valid while the handle is held.
  Result<covec_view> look(const Handle& value) {
    covec_view view{};
    const covec_status status = covec_look(session_.get(), value.get(), &view);
    if (status != COVEC_OK) return error(status);
    return view;
  }

  Result<covec_account> memory() {
    covec_account account{};
    const covec_status status = covec_memory(session_.get(), &account);
    if (status != COVEC_OK) return error(status);
    return account;
  }
  void reset_peak() { covec_reset_peak(session_.get()); }

  void interrupt() { covec_interrupt(session_.get()); }
  void interrupt_next() { covec_interrupt_next(session_.get()); }
  covec_session* raw() const { return session_.get(); }

 private:
  // Without a product that could overflow.
  static bool multiply_to(std::initializer_list<int64_t> dims, size_t elements) {
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return elements == 0;
    for (const int64_t dim : dims) {
      if (dim < 0 || elements % static_cast<size_t>(dim) != 0) return false;
      elements /= static_cast<size_t>(dim);
    }
    return elements == 1;
  }
  static Error wrong_dimensions() { return misuse("the dimensions do not multiply to the number of elements"); }
  // A C text ends at its first zero byte.
  static bool has_zero(const std::string& text) { return text.find('\0') != std::string::npos; }
  static Error zero_byte() { return misuse("the text holds a zero byte"); }
  static Error misuse(const std::string& message) { return {COVEC_MISUSE, message, "error: " + message + "\n", 0}; }
  static void forward(void* user, covec_stream stream, const char* text, size_t bytes) {
    (*static_cast<Output*>(user))(stream, std::string_view(text, bytes));
  }
  Error error(covec_status status) const {
    return {status, covec_error_message(session_.get()), covec_error_text(session_.get()),
            covec_error_line(session_.get())};
  }
  template <class Call>
  Result<Handle> result(Call&& call) {
    covec_value* out = nullptr;
    const covec_status status = call(&out);
    if (status != COVEC_OK) return error(status);
    return Handle(out);
  }

  struct Close {
    void operator()(covec_session* session) const { covec_close(session); }
  };
  std::unique_ptr<Output> output_;
  std::unique_ptr<covec_session, Close> session_;
};

}  // namespace covec::host
