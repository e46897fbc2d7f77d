// Forwards a session's text to the host's Output. Warnings first get the place of the running operation. The output of
// a run is counted.
#pragma once

#include <string>

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

// Of ranks other than 0: all ranks print the same.
class Silence final : public ops::Output {
 public:
  void write(std::string_view) override {}
  void warn(std::string_view) override {}
};

class PlacedOutput : public ops::Output {
 public:
  using Render = std::string (*)(const Diagnostic&, const SourceMap&);
  PlacedOutput(ops::Output& host, const SourceMap& sources, const ops::Context& context, Render render,
               uint64_t max_bytes)
      : host_(host), sources_(sources), context_(context), render_(render), max_bytes_(max_bytes) {}
  void begin_run() { written_ = 0; }
  void write(std::string_view text) override {
    count(text);
    host_.write(text);
  }
  void tell(const Diagnostic& diagnostic);
  void warn(std::string_view text) override;
  void write_error(std::string_view text) override {
    count(text);
    host_.write_error(text);
  }
  void flush() override { host_.flush(); }
  void progress(std::string_view text) override { host_.progress(text); }
  void display(const Value& value, std::string_view text) override {
    count(text);
    host_.display(value, text);
  }
  ops::Screen screen() const override { return host_.screen(); }

 private:
  // Throws OpError(print_limit) before a text that is too much; what was written stays.
  void count(std::string_view text);

  ops::Output& host_;
  const SourceMap& sources_;
  const ops::Context& context_;
  const Render render_;
  const uint64_t max_bytes_;  // of a run; 0: no limit
  uint64_t written_ = 0;
};

}  // namespace covec
