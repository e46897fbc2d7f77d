#include "interpreter/web/output.hpp"

#include "interpreter/session/session.hpp"

namespace covec::page {

namespace {

constexpr size_t longest_piece = size_t{16} << 10;     // bytes
constexpr std::chrono::milliseconds longest_wait{50};  // of a reader, while the program goes on printing

}  // namespace

void tell(Kind kind, std::string_view text) { covec_page_output(static_cast<int32_t>(kind), text.data(), text.size()); }

void Output::write(std::string_view text) {
  piece_ += text;
  if (piece_.size() >= longest_piece || Clock::now() - last_ >= longest_wait) flush();
}

void Output::flush() {
  if (piece_.empty()) return;
  tell(Kind::output, piece_);
  piece_.clear();
  last_ = Clock::now();
}

void Output::warn(std::string_view text) { write_error(std::string(text) + (text.ends_with('\n') ? "" : "\n")); }

void Output::write_error(std::string_view text) {
  flush();
  tell(Kind::error, text);
}

void Output::progress(std::string_view text) {
  flush();
  tell(Kind::progress, text);
}

void Output::display(const Value& value, std::string_view text) {
  flush();
  const display::Display forms =
      session_->display_of(value, {.screen = {}, .all_tables = true, .text = false, .html = true, .svg = true});
  tell(Kind::value, text);
  if (forms.svg) tell(Kind::svg, *forms.svg);
  if (forms.html) tell(Kind::html, *forms.html);
}

void Output::show(const Value& value) {
  flush();
  const display::Display forms = session_->display_of(value, {.screen = display::notebook, .html = true, .svg = true});
  tell(Kind::value, forms.text + "\n");
  if (forms.svg) tell(Kind::svg, *forms.svg);
  if (forms.html) tell(Kind::html, *forms.html);
}

}  // namespace covec::page
