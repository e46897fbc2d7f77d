// The session's answer to operators that act on several ranks: where the program is, and errors as bytes. A place
// becomes a file's name and its bytes, since each session numbers its files by itself.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/eval/report/host.hpp"
#include "stdlib/cluster/program.hpp"
#include "stdlib/value/context.hpp"

namespace covec {

class CallStack;
class Reporter;

class SessionProgram final : public Program {
 public:
  // `watch_numbers` tells the interpreter.
  SessionProgram(ops::Context& context, const SourceMap& sources, const CallStack& stack, const Reporter& reporter,
                 std::function<void(bool)> watch_numbers)
      : context_(context),
        sources_(sources),
        stack_(stack),
        reporter_(reporter),
        watch_numbers_(std::move(watch_numbers)) {}

  SourceSite place() const override;
  SourceSite site() const override;
  void warn_at(const SourceSite& place, std::string_view text) override;
  std::optional<std::string> packed_error() const override;
  void watch(bool on) override;
  [[noreturn]] void raise_found() override;
  [[noreturn]] void raise_packed(std::string_view error) override;
  [[noreturn]] void raise_at(const OpError& error, std::span<const PlaceLabel> labels) override;
  [[noreturn]] void refuse_option(std::string_view name, std::span<const std::string_view> known) override;

 private:
  SourceSite place_of(Span span) const;
  Span span_of(const SourceSite& place) const;
  std::string packed(const Diagnostic& diagnostic, bool is_placed) const;

  ops::Context& context_;
  const SourceMap& sources_;
  const CallStack& stack_;
  const Reporter& reporter_;
  const std::function<void(bool)> watch_numbers_;
  unsigned watching_ = 0;  // calls of watch(true)
  // The keys of messages that have come from other ranks: an error refers to its key.
  std::set<std::string, std::less<>> codes_;
};

}  // namespace covec
