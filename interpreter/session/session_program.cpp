#include "interpreter/session/session_program.hpp"

#include <new>
#include <utility>

#include "interpreter/eval/apply/call_stack.hpp"
#include "interpreter/eval/report/reporter.hpp"
#include "stdlib/cluster/bytes.hpp"

namespace covec {

using cluster::ByteReader;
using cluster::ByteWriter;

namespace {

void put(ByteWriter& out, const SourceSite& place) {
  out.put_text(place.file);
  out.put(place.begin);
  out.put(place.end);
}

SourceSite get_place(ByteReader& in) {
  SourceSite place;
  place.file = in.get_text();
  place.begin = in.get<uint32_t>();
  place.end = in.get<uint32_t>();
  return place;
}

// An error that no place has been found for becomes one with the message alone.
Diagnostic diagnostic_of(const OpError& error) {
  Diagnostic diagnostic;
  diagnostic.code = error.code;
  diagnostic.kind = error.kind;
  diagnostic.message = error.message;
  diagnostic.hint = error.hint;
  diagnostic.program_kind = error.program_kind;
  return diagnostic;
}

}  // namespace

SourceSite SessionProgram::place_of(Span span) const {
  if (!span.known()) return {};
  const SourceFile& file = sources_.file(span.file);
  const Position at = file.position(span.begin);
  return {file.name(), span.begin, span.end, at.line, at.column};
}

Span SessionProgram::span_of(const SourceSite& place) const {
  const uint32_t file = place.file.empty() ? 0 : sources_.find(place.file);
  const bool fits = file != 0 && place.end <= sources_.file(file).text().size();
  return fits ? Span{file, place.begin, place.end} : Span();
}

SourceSite SessionProgram::site() const { return context_.site != nullptr ? place_of(*context_.site) : SourceSite(); }

SourceSite SessionProgram::place() const {
  Span span = context_.site != nullptr ? *context_.site : Span();
  for (const Frame* frame = stack_.innermost(); frame != nullptr; frame = frame->caller) {
    if (!span.known() || sources_.file(span.file).library().empty()) break;
    if (frame->site != nullptr) span = *frame->site;
  }
  return place_of(span);
}

void SessionProgram::warn_at(const SourceSite& place, std::string_view text) {
  const Span span = span_of(place);
  const Span* const before = std::exchange(context_.site, span.known() ? &span : context_.site);
  context_.output->warn(text);
  context_.site = before;
}

std::string SessionProgram::packed(const Diagnostic& diagnostic, bool is_placed) const {
  ByteWriter out;
  out.put(is_placed);
  out.put(context_.exit_status);
  out.put(diagnostic.kind);
  for (const std::string_view text : {diagnostic.code, std::string_view(diagnostic.message),
                                      std::string_view(diagnostic.hint), std::string_view(diagnostic.program_kind)}) {
    out.put_text(text);
  }
  out.put(static_cast<uint32_t>(diagnostic.labels.size()));
  for (const Label& label : diagnostic.labels) {
    put(out, place_of(label.span));
    out.put_text(label.text);
  }
  out.put(static_cast<uint32_t>(diagnostic.notes.size()));
  for (const std::string& note : diagnostic.notes) out.put_text(note);
  out.put(static_cast<uint32_t>(diagnostic.stack.size()));
  for (const CallFrame& frame : diagnostic.stack) {
    out.put_text(frame.function);
    put(out, place_of(frame.site));
  }
  return out.take();
}

namespace {

// The error of a builtin that no engine has placed yet.
[[noreturn]] void raise_unplaced(const Diagnostic& diagnostic) {
  OpError error;
  error.code = diagnostic.code;
  error.message = diagnostic.message;
  error.hint = diagnostic.hint;
  error.kind = diagnostic.kind;
  error.program_kind = diagnostic.program_kind;
  throw error;
}

}  // namespace

std::optional<std::string> SessionProgram::packed_error() const {
  Diagnostic diagnostic;
  bool is_placed = false;
  try {
    throw;
  } catch (const CovecError& error) {
    diagnostic = error.diagnostics.front();
    is_placed = true;
  } catch (const OpError& error) {
    diagnostic = diagnostic_of(error);
  } catch (const std::bad_alloc&) {
    diagnostic = diagnostic_of(current_error());
  } catch (...) {
    return std::nullopt;
  }
  if (diagnostic.kind == ErrorKind::interrupted) return std::nullopt;
  return packed(diagnostic, is_placed);
}

void SessionProgram::watch(bool on) {
  if (on ? watching_++ == 0 : --watching_ == 0) watch_numbers_(on);
}

void SessionProgram::raise_found() {
  try {
    throw;
  } catch (CovecError& error) {
    Diagnostic& first = error.diagnostics.front();
    if (first.kind == ErrorKind::not_finite) first.kind = ErrorKind::ordinary;
    throw;
  } catch (OpError& error) {
    if (error.kind == ErrorKind::not_finite) error.kind = ErrorKind::ordinary;
    throw;
  }
}

void SessionProgram::raise_packed(std::string_view error) {
  ByteReader in(error);
  const bool is_placed = in.get<bool>();
  context_.exit_status = in.get<int>();
  Diagnostic diagnostic;
  diagnostic.kind = in.get<ErrorKind>();
  diagnostic.code = *codes_.emplace(in.get_text()).first;
  diagnostic.message = in.get_text();
  diagnostic.hint = in.get_text();
  diagnostic.program_kind = in.get_text();
  for (auto count = in.get<uint32_t>(); count > 0; --count) {
    const Span span = span_of(get_place(in));
    std::string text(in.get_text());
    if (span.known()) diagnostic.labels.push_back({span, std::move(text)});
  }
  for (auto count = in.get<uint32_t>(); count > 0; --count) diagnostic.notes.emplace_back(in.get_text());
  for (auto count = in.get<uint32_t>(); count > 0; --count) {
    std::string function(in.get_text());
    diagnostic.stack.push_back({std::move(function), span_of(get_place(in))});
  }
  if (!is_placed) raise_unplaced(diagnostic);
  throw CovecError(std::move(diagnostic));
}

void SessionProgram::raise_at(const OpError& error, std::span<const PlaceLabel> labels) {
  Diagnostic diagnostic = diagnostic_of(error);
  for (const PlaceLabel& label : labels) {
    const Span span = span_of(label.place);
    if (span.known())
      diagnostic.labels.push_back({span, label.text});
    else
      diagnostic.notes.push_back(label.text + " is at " + label.place.text());  // in another program
  }
  throw CovecError(std::move(diagnostic));
}

void SessionProgram::refuse_option(std::string_view name, std::span<const std::string_view> known) {
  const Span check = context_.site != nullptr ? *context_.site : Span();
  reporter_.refuse_option(name, {known.begin(), known.end()}, stack_.innermost(), check);
}

}  // namespace covec
