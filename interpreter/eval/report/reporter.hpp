// Reporter: turns an error into the report that the user sees. A message gets its parts, places, hint and the call
// stack. An operator's error numbers the operands that disagree; the reporter finds their places in the program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/eval/report/host.hpp"
#include "interpreter/eval/report/saved_frames.hpp"
#include "interpreter/eval/values/frame.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

class CaughtErrors;

class Reporter {
 public:
  Reporter(const InterpreterHost& host, const CaughtErrors& caught, SavedFrames& kept)
      : host_(host), caught_(caught), kept_(kept) {}

  std::string source_of(Span span) const { return std::string(host_.source(span)); }
  int64_t line_of(Span span) const { return host_.place_of(span).line; }
  const Builtin* builtin(std::string_view name) const { return host_.builtin(name); }
  std::vector<std::string_view> builtin_names() const { return host_.builtin_names(); }
  // `f` is the innermost frame, whose calls are told; nullptr: none.
  Diagnostic diagnosis(const Message& message, const std::vector<std::string>& parts, std::vector<Label> labels,
                       const Frame* f, std::string hint) const;
  [[noreturn]] void fail(const Message& message, std::vector<std::string> parts, std::vector<Label> labels,
                         const Frame* f, std::string hint = {}) const;
  [[noreturn]] void fail(const Message& message, std::vector<std::string> parts, std::vector<Label> labels,
                         const Frame& f, std::string hint = {}) const;
  // `entry` lets labels speak of operands as the program writes them.
  [[noreturn]] void raise(const OpError& error, Span whole, std::span<const Span> operands, const Frame* f,
                          const ops::Entry* entry = nullptr) const;
  // The function that runs in `f` takes no option of this name, but those of the `known` names. The error is its
  // caller's; of what a built-in module does, it is that of the module's call in the program. Where no function runs,
  // it stands at the `check`.
  [[noreturn]] void refuse_option(std::string_view name, std::vector<std::string_view> known, const Frame* f,
                                  Span check) const;
  // Of a NaN or infinity that was looked for: the iteration of a loop that it goes through, from 1 on.
  void note_iteration(CovecError& error, Span loop, int64_t number) const;
  // The call that led from the program to this place, which runs in `f`. Nothing: it stands in the program's own text.
  std::optional<ProgramCall> call_of_program(Span place, const Frame* f) const;
  // What only the run knows is needed to go on staging: the statement that needs it is interpreted.
  [[noreturn]] void stop_staging(std::string_view what, Span span, const Frame& f) const;

 private:
  std::optional<ProgramCall> call_of_program(Span place, std::span<const CallFrame> stack) const;
  Diagnostic seen_from_program(Diagnostic diagnostic) const;
  void name_callee(Diagnostic& diagnostic, const Frame& f) const;
  const Frame* called_by_program(const Frame* f) const;
  std::string called_as(Span site, std::string_view signature, std::string_view library) const;
  std::string label_text(const ArgumentLabel& label, Span place, const ops::Entry& entry) const;
  const InterpreterHost& host_;
  const CaughtErrors& caught_;
  SavedFrames& kept_;
};

std::string listed(const std::vector<std::string_view>& names);  // "`a`, `b` and `c`"
std::string what_is(const Value& value);                         // "f64[3]", "a record", "none"
std::string did_you_mean(std::string_view near);                 // a hint; "" where nothing is near

}  // namespace covec
