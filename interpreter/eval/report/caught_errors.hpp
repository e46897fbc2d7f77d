// Errors that a program catches: which errors can be caught, and the record of one: {kind, message, file, line, column,
// calls}. `error(record)` raises the error again as it was, with its places. For that, the last caught errors are
// remembered.
#pragma once

#include <deque>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/eval/report/host.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

class CaughtErrors {
 public:
  explicit CaughtErrors(const InterpreterHost& host) : host_(host) {}

  // "shape", "value", … of the error with that key.
  static std::string_view kind_of(std::string_view code);
  // Limits of the program.
  static bool is_limit(std::string_view code);
  // Not interrupts and limits, nor what the engines tell each other by errors.
  static bool may_catch(const CovecError& error);
  Value record_of(const CovecError& error);
  // The error that `error` raises again; nullptr where it is none that was caught, or too many were since.
  const Diagnostic* again(const OpError& error) const;

 private:
  struct CaughtError {
    std::string text;
    Diagnostic diagnostic;
  };
  const InterpreterHost& host_;
  std::deque<CaughtError> last_;
};

}  // namespace covec
