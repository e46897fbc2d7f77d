// The output of one part. Alone, a rank writes at once. With others it keeps what the part prints, and rank 0 writes
// what all parts have printed in their order. A part may print 16 MiB.
#pragma once

#include <string>
#include <vector>

#include "stdlib/cluster/bytes.hpp"
#include "stdlib/cluster/program.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ops {

struct PrintedText {
  enum class Kind : uint8_t { print, error, warning, first_warning };
  Kind kind;
  std::string text;
  SourceSite site = {};  // of a warning
};
using PrintedTexts = std::vector<PrintedText>;

void put_texts(cluster::ByteWriter& out, const PrintedTexts& texts);
PrintedTexts get_texts(cluster::ByteReader& in);
// A warning that has come is left out. What the engine says of a function's speed it says once in a session, too, but
// each rank has a session.
void write_texts(Context& context, const PrintedTexts& texts);

// While it exists, the session's output goes here.
class PartOutput final : public Output {
 public:
  PartOutput(Context& context, bool keeps);
  ~PartOutput() override;
  PartOutput(const PartOutput&) = delete;
  PartOutput& operator=(const PartOutput&) = delete;

  void write(std::string_view text) override;
  void warn(std::string_view text) override;
  void write_error(std::string_view text) override;
  void flush() override { outer_.flush(); }
  Screen screen() const override { return outer_.screen(); }
  void display(const Value& value, std::string_view text) override;
  void progress(std::string_view text) override {
    if (!keeps_) outer_.progress(text);
  }

  PrintedTexts take();

 private:
  void count(std::string_view text);

  Context& context_;
  Output& outer_;
  const bool keeps_;
  uint64_t bytes_ = 0;
  PrintedTexts texts_;
  std::set<std::string, std::less<>> warned_before_;
};

}  // namespace covec::ops
