// Program: what the engine knows of the program around an operator. Operators that act on several ranks ask for it:
// they compare where the ranks are, and an error of one rank is raised on all. So does debug(f). Errors travel as
// bytes, since a place of a program is known to its own session alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stdlib/value/error.hpp"

namespace covec {

// The same for all sessions that run one program.
struct SourceSite {
  std::string file;             // as it is shown; "": no place is known
  uint32_t begin = 0, end = 0;  // bytes
  int64_t line = 0, column = 0;
  std::string text() const { return file.empty() ? "an unknown place" : file + ":" + std::to_string(line); }
};

struct PlaceLabel {
  SourceSite place;
  std::string text;
};

class Program {
 public:
  virtual ~Program() = default;
  // What is run now; of what a built-in module does, its call in the program's own text.
  virtual SourceSite place() const = 0;
  // What is run now, in whatever text.
  virtual SourceSite site() const = 0;
  // A warning, told of that place.
  virtual void warn_at(const SourceSite& place, std::string_view text) = 0;

  // Numbers that the engine computes by itself go to its builder, one by one, until the same call with `false`. These
  // calls may be nested.
  virtual void watch(bool on) = 0;
  // In a handler of all exceptions: what a builder that watches has ended with, as an ordinary error; anything else
  // goes on as it is.
  [[noreturn]] virtual void raise_found() = 0;

  // In a handler of all exceptions: the error that is handled. Nothing: it is none of the program (an interrupt).
  virtual std::optional<std::string> packed_error() const = 0;
  [[noreturn]] virtual void raise_packed(std::string_view error) = 0;
  // An error that speaks of several places, the first of which is the one that counts.
  [[noreturn]] virtual void raise_at(const OpError& error, std::span<const PlaceLabel> labels) = 0;
  // The function that runs takes no option of this name, but those of the `known` names: its caller's error.
  [[noreturn]] virtual void refuse_option(std::string_view name, std::span<const std::string_view> known) = 0;
};

}  // namespace covec
