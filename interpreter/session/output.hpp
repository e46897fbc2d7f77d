// Where a session's text goes: warnings get the place of the operation that runs before they reach the host's Output.
#pragma once

#include "frontend/source/diagnostic.hpp"
#include "stdlib/value/context.hpp"

namespace covec {

// Used when the host gives none.
class StandardOutput : public ops::Output {
 public:
  void write(std::string_view text) override;
  void warn(std::string_view text) override;
  void flush() override;
};

class PlacedOutput : public ops::Output {
 public:
  PlacedOutput(ops::Output& host, const SourceMap& sources, const ops::Context& context)
      : host_(host), sources_(sources), context_(context) {}
  void write(std::string_view text) override { host_.write(text); }
  void tell(const Diagnostic& diagnostic);
  void warn(std::string_view text) override;
  void write_error(std::string_view text) override { host_.write_error(text); }
  void flush() override { host_.flush(); }
  void progress(std::string_view text) override { host_.progress(text); }
  ops::Screen screen() const override { return host_.screen(); }

 private:
  ops::Output& host_;
  const SourceMap& sources_;
  const ops::Context& context_;
};

}  // namespace covec
