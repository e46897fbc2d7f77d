// The session's answer to operators that act on several ranks: where the program is, and errors as bytes. A place
// becomes a file's name and its bytes, since each session numbers its files by itself.
#pragma once

#include <set>
#include <string>

#include "frontend/source/diagnostic.hpp"
#include "interpreter/eval/report/host.hpp"
#include "stdlib/cluster/program.hpp"
#include "stdlib/value/context.hpp"

namespace covec {

class CallStack;

class SessionProgram final : public Program {
 public:
  SessionProgram(ops::Context& context, const SourceMap& sources, const CallStack& stack)
      : context_(context), sources_(sources), stack_(stack) {}

  SourceSite place() const override;
  SourceSite site() const override;
  void warn_at(const SourceSite& place, std::string_view text) override;
  std::optional<std::string> packed_error() const override;
  [[noreturn]] void raise_packed(std::string_view error) override;
  [[noreturn]] void raise_at(const OpError& error, std::span<const PlaceLabel> labels) override;

 private:
  SourceSite place_of(Span span) const;
  Span span_of(const SourceSite& place) const;
  std::string packed(const Diagnostic& diagnostic, bool is_placed) const;

  ops::Context& context_;
  const SourceMap& sources_;
  const CallStack& stack_;
  // The keys of messages that have come from other ranks: an error refers to its key.
  std::set<std::string, std::less<>> codes_;
};

}  // namespace covec
