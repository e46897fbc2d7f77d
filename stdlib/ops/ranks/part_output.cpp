#include "stdlib/ops/ranks/part_output.hpp"

#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

constexpr uint64_t max_printed = uint64_t{16} << 20;  // bytes of a part

// Where no program runs.
class NoOutput final : public Output {
 public:
  void write(std::string_view) override {}
  void warn(std::string_view) override {}
};

Output& output_of(const Context& context) {
  static NoOutput none;
  return context.output != nullptr ? *context.output : none;
}

}  // namespace

void put_texts(cluster::ByteWriter& out, const PrintedTexts& texts) {
  out.put(static_cast<uint64_t>(texts.size()));
  for (const PrintedText& one : texts) {
    out.put(one.kind);
    out.put_text(one.text);
    out.put_text(one.site.file);
    out.put(one.site.begin);
    out.put(one.site.end);
  }
}

PrintedTexts get_texts(cluster::ByteReader& in) {
  PrintedTexts texts;
  for (auto count = in.get<uint64_t>(); count > 0; --count) {
    PrintedText one{in.get<PrintedText::Kind>(), std::string(in.get_text())};
    one.site.file = in.get_text();
    one.site.begin = in.get<uint32_t>();
    one.site.end = in.get<uint32_t>();
    texts.push_back(std::move(one));
  }
  return texts;
}

void write_texts(Context& context, const PrintedTexts& texts) {
  Output& output = output_of(context);
  for (const PrintedText& one : texts) {
    using Kind = PrintedText::Kind;
    if (one.kind == Kind::print) {
      output.write(one.text);
    } else if (one.kind == Kind::error) {
      output.write_error(one.text);
    } else if (context.warned.insert(one.kind == Kind::warning ? one.text + "@" + one.site.text() : one.text).second) {
      if (context.program != nullptr)
        context.program->warn_at(one.site, one.text);
      else
        output.warn(one.text);
    }
  }
}

PartOutput::PartOutput(Context& context, bool keeps) : context_(context), outer_(output_of(context)), keeps_(keeps) {
  if (keeps_) warned_before_ = context_.warned;
  context_.output = this;
}

PartOutput::~PartOutput() {
  context_.output = &outer_;
  if (keeps_) context_.warned = std::move(warned_before_);
}

void PartOutput::count(std::string_view text) {
  bytes_ += text.size();
  if (bytes_ > max_printed) fail(message("ranks_print"), {std::to_string(max_printed)});
}

void PartOutput::write(std::string_view text) {
  count(text);
  if (!keeps_) return outer_.write(text);
  if (!texts_.empty() && texts_.back().kind == PrintedText::Kind::print)
    texts_.back().text += text;
  else
    texts_.push_back({PrintedText::Kind::print, std::string(text)});
}

// What is kept is text.
void PartOutput::display(const Value& value, std::string_view text) {
  if (keeps_) return write(text);
  count(text);
  outer_.display(value, text);
}

void PartOutput::write_error(std::string_view text) {
  count(text);
  if (!keeps_) return outer_.write_error(text);
  texts_.push_back({PrintedText::Kind::error, std::string(text)});
}

void PartOutput::warn(std::string_view text) {
  count(text);
  if (!keeps_) return outer_.warn(text);
  texts_.push_back({PrintedText::Kind::warning, std::string(text),
                    context_.program != nullptr ? context_.program->site() : SourceSite()});
}

// An operator that warns once in a session has put its warning into the set before it came here.
PrintedTexts PartOutput::take() {
  for (PrintedText& one : texts_) {
    const bool is_first = one.kind == PrintedText::Kind::warning && context_.warned.contains(one.text) &&
                          !warned_before_.contains(one.text);
    if (is_first) one.kind = PrintedText::Kind::first_warning;
  }
  return std::move(texts_);
}

}  // namespace covec::ops
