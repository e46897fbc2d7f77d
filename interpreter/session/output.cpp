// Warnings point at the operation that is being applied.
#include "interpreter/session/output.hpp"

#include <cstdio>
#include <string>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

void StandardOutput::write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void StandardOutput::warn(std::string_view text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void StandardOutput::flush() { std::fflush(stdout); }

void PlacedOutput::warn(std::string_view text) {
  constexpr std::string_view prefix = "warning: ";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  Diagnostic diagnostic;
  diagnostic.severity = Severity::warning;
  diagnostic.code = "warning";
  diagnostic.message = std::string(text);
  if (context_.site) diagnostic.labels.push_back({*context_.site, ""});
  tell(diagnostic);
}

void PlacedOutput::tell(const Diagnostic& diagnostic) {
  const std::string text = render_(diagnostic, sources_);
  count(text);
  host_.warn(text);
}

void PlacedOutput::count(std::string_view text) {
  if (max_bytes_ == 0) return;
  if (text.size() > max_bytes_ - written_) fail(eval::row("print_limit"), {std::to_string(max_bytes_)});
  written_ += text.size();
}

}  // namespace covec
