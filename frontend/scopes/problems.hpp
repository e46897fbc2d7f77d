// Collects the errors of a text in the order in which they are found, with the text to quote from.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/source/diagnostic.hpp"
#include "frontend/source/messages.hpp"

namespace covec::resolve {

class Problems {
 public:
  // `for_tools`: they are told more than a run tells.
  Problems(std::string_view text, size_t most, bool for_tools) : text_(text), most_(most), for_tools_(for_tools) {}

  bool for_tools() const { return for_tools_; }

  // The problem may be given a hint until the next one is reported.
  Diagnostic& report(const messages::Message& message, Span span, std::initializer_list<std::string_view> values = {}) {
    add(messages::make(message, span, values));
    return found_.back();
  }
  // What stops nothing.
  Diagnostic& warn(const messages::Message& message, Span span, std::initializer_list<std::string_view> values = {}) {
    warnings_.push_back(messages::make(message, span, values));
    warnings_.back().severity = Severity::warning;
    return warnings_.back();
  }
  // A parameter or the variable of a loop, of which one may expect a number.
  void warn_of_constant(std::string_view name, Span span) {
    if (name == "e" || name == "pi" || name == "π" || name == "inf" || name == "nan")
      warn(messages::message("hides_constant"), span, {name});
  }
  void add(Diagnostic problem) {
    if (found_.size() == most_) throw CovecError(std::move(found_));
    found_.push_back(std::move(problem));
  }

  bool empty() const { return found_.empty(); }
  size_t size() const { return found_.size(); }
  Diagnostic& at(size_t i) { return found_[i]; }
  std::vector<Diagnostic> take() { return std::move(found_); }
  std::vector<Diagnostic> take_warnings() { return std::move(warnings_); }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }
  std::string_view text_before(Span span) const { return text_.substr(0, span.begin); }
  std::string_view text_from(Span span) const { return text_.substr(span.begin); }

 private:
  std::string_view text_;
  const size_t most_;  // errors
  const bool for_tools_;
  std::vector<Diagnostic> found_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace covec::resolve
