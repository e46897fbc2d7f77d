// Errors as values: an error as data, and either that or a result.
#pragma once

#include <covec/covec.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace covec::host {

// A call that was open where the error happened, the innermost first.
struct Call {
  std::string function, file;
  unsigned line = 0, column = 0;
};

// What went wrong: `text` is the whole report as a terminal shows it. Line and column are 0 where no place is known.
struct Error {
  covec_status status = COVEC_ERROR;
  std::string message;
  std::string text;
  unsigned line = 0;
  unsigned column = 0;
  std::string kind = {}, hint = {}, file = {};
  std::vector<Call> calls = {};
};

class Exception : public std::runtime_error {
 public:
  explicit Exception(Error e) : std::runtime_error(e.text), error(std::move(e)) {}
  Error error;
};

// Either a T or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                               // NOLINT: both sides convert
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}  // NOLINT
  explicit operator bool() const { return value_.has_value(); }
  // Where there is one.
  const Error& error() const { return *error_; }
  // These throw Exception where there is none.
  T& value() & {
    if (!value_) throw Exception(*error_);
    return *value_;
  }
  T&& value() && { return std::move(value()); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }

 private:
  std::optional<T> value_;
  std::unique_ptr<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}  // NOLINT
  explicit operator bool() const { return error_ == nullptr; }
  const Error& error() const { return *error_; }
  void value() const {  // throws Exception
    if (error_) throw Exception(*error_);
  }

 private:
  std::unique_ptr<Error> error_;
};

namespace detail {

inline Error misuse(const std::string& message) { return {COVEC_MISUSE, message, "error: " + message + "\n"}; }

// That of the session's last call.
inline Error error_of(const covec_session* session, covec_status status) {
  Error error{status,
              covec_error_message(session),
              covec_error_text(session),
              covec_error_line(session),
              covec_error_column(session),
              covec_error_kind(session),
              covec_error_hint(session),
              covec_error_file(session)};
  for (size_t i = 0; i < covec_error_calls(session); ++i) {
    error.calls.push_back({covec_error_call_function(session, i), covec_error_call_file(session, i),
                           covec_error_call_line(session, i), covec_error_call_column(session, i)});
  }
  return error;
}

}  // namespace detail
}  // namespace covec::host
