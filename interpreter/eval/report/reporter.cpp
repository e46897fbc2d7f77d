// Turns errors into reports for the user; no other file does.
#include "interpreter/eval/report/reporter.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include <algorithm>
#include <iterator>

#include "frontend/core/binding.hpp"
#include "interpreter/eval/report/argument_place.hpp"
#include "interpreter/eval/report/caught_errors.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/report/operand_hints.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"

namespace covec {

namespace {

// Each {} of a message is its next part.
std::string with_parts(std::string_view pattern, const std::vector<std::string>& parts) {
  std::string text;
  size_t next = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{' && i + 1 < pattern.size() && pattern[i + 1] == '}' && next < parts.size()) {
      text += parts[next++];
      ++i;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

std::string frame_name(const Frame& frame) {
  return frame.closure ? signature_of(frame.closure->function) : std::string();
}

// Deep recursion would print thousands of lines.
std::vector<CallFrame> stack_of(const Frame* frame) {
  std::vector<const Frame*> frames;
  for (; frame; frame = frame->caller) {
    if (frame->closure) frames.push_back(frame);
  }
  std::vector<CallFrame> stack;
  const size_t left_out = left_out_calls(frames.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    if (left_out > 0 && i == listed_inner_calls) {
      stack.push_back({"… " + std::to_string(left_out) + " more calls", Span()});
      i += left_out;
    }
    stack.push_back({frame_name(*frames[i]), frames[i]->site ? *frames[i]->site : Span()});
  }
  return stack;
}

}  // namespace

std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "`" + std::string(names[i]) + "`";
  }
  return text;
}

std::string did_you_mean(std::string_view near) {
  return near.empty() ? "" : "did you mean `" + std::string(near) + "`?";
}

std::string what_is(const Value& value) {
  const std::string text = describe(value);
  return is_operand(value) || value.is_none() ? text : with_article(text);
}

Diagnostic Reporter::diagnosis(const Message& message, const std::vector<std::string>& parts, std::vector<Label> labels,
                               const Frame* f, std::string hint) const {
  Diagnostic diagnostic;
  diagnostic.code = message.key;
  diagnostic.kind = message.kind;
  diagnostic.message = with_parts(message.pattern, parts);
  for (Label& label : labels) {
    if (label.span.known()) diagnostic.labels.push_back(std::move(label));
  }
  diagnostic.hint = std::move(hint);
  diagnostic.stack = stack_of(f);
  if (f != nullptr) name_callee(diagnostic, *f);
  return seen_from_program(std::move(diagnostic));
}

namespace {

// "optim.adam: …", as modules begin their own messages.
bool names_function(std::string_view message) {
  const size_t end = message.find(": ");
  const std::string_view name = message.substr(0, end);
  const auto in_name = [](char c) { return c == '.' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return end != std::string_view::npos && name.find('.') != std::string_view::npos &&
         std::ranges::all_of(name, in_name);
}

}  // namespace

// A module's function as the program calls it ("nn.dense"), or by its own name where that is another one. What `_parts`
// of a module define has the module's name in the program only.
std::string Reporter::called_as(Span site, std::string_view signature, std::string_view library) const {
  const std::string function(signature.substr(0, signature.find('(')));
  const std::string call = source_of(site), written = call.substr(0, call.find('('));
  // The functions of a value that a module has made: `stats.normal(…).density`, or `d.density`.
  const bool plain = function.find(' ') == std::string::npos;
  if (written.ends_with("." + function) || (!plain && written.find('.') != std::string::npos)) return written;
  return library.starts_with('_') ? function : std::string(library) + "." + function;
}

// What a built-in module's function says of an argument, at its place in the program, has the function's name.
void Reporter::name_callee(Diagnostic& diagnostic, const Frame& f) const {
  if (f.closure == nullptr || f.site == nullptr || diagnostic.labels.empty() || diagnostic.stack.empty()) return;
  const std::string_view library = host_.library_of(f.closure->function.span);
  const auto in_program = [&](Span span) { return span.known() && host_.library_of(span).empty(); };
  if (library.empty() || !in_program(*f.site) || !in_program(diagnostic.labels.front().span)) return;
  if (names_function(diagnostic.message)) return;
  diagnostic.message = called_as(*f.site, diagnostic.stack.front().function, library) + ": " + diagnostic.message;
}

std::optional<ProgramCall> Reporter::call_of_program(Span place, std::span<const CallFrame> stack) const {
  if (!place.known() || host_.library_of(place).empty()) return std::nullopt;
  const auto own = [&](const CallFrame& call) { return call.site.known() && host_.library_of(call.site).empty(); };
  const auto call = std::ranges::find_if(stack, own);
  if (call == stack.end()) return std::nullopt;
  const Span inside = call == stack.begin() ? place : std::prev(call)->site;
  return ProgramCall{call->site, called_as(call->site, call->function, host_.library_of(inside))};
}

std::optional<ProgramCall> Reporter::call_of_program(Span place, const Frame* f) const {
  return call_of_program(place, stack_of(f));
}

// What goes wrong inside a built-in module is told of the call that the program wrote; where it arose comes second.
Diagnostic Reporter::seen_from_program(Diagnostic diagnostic) const {
  if (diagnostic.labels.empty()) return diagnostic;
  const auto call = call_of_program(diagnostic.labels.front().span, diagnostic.stack);
  if (!call) return diagnostic;
  if (!names_function(diagnostic.message)) diagnostic.message = call->function + ": " + diagnostic.message;
  diagnostic.labels.insert(diagnostic.labels.begin(), {call->site, ""});
  return diagnostic;
}

namespace {

// Where an error has unwound more than 64 MiB of stack, ASan still takes what lay there for poisoned: its own frames,
// when it deals with the next error, would be a finding.
void clear_for_sanitizer() {
#ifdef __SANITIZE_ADDRESS__
  constexpr size_t its_frames = size_t{32} << 10;  // bytes of ASan's frames, an upper estimate
  __asan_unpoison_memory_region(static_cast<const char*>(__builtin_frame_address(0)) - its_frames, its_frames);
#endif
}

}  // namespace

void Reporter::fail(const Message& message, std::vector<std::string> parts, std::vector<Label> labels, const Frame* f,
                    std::string hint) const {
  clear_for_sanitizer();
  const Span place = labels.empty() ? Span() : labels.front().span;
  Diagnostic diagnostic = diagnosis(message, parts, std::move(labels), f, std::move(hint));
  kept_.take(diagnostic, f, place);
  throw CovecError(std::move(diagnostic));
}

void Reporter::fail(const Message& message, std::vector<std::string> parts, std::vector<Label> labels, const Frame& f,
                    std::string hint) const {
  fail(message, std::move(parts), std::move(labels), &f, std::move(hint));
}

// The frame of the outermost function of a built-in module around `f`; of a program's own function `f` itself.
const Frame* Reporter::called_by_program(const Frame* f) const {
  const auto in_library = [&](const Frame& each) {
    return each.closure != nullptr && !host_.library_of(each.closure->function.span).empty();
  };
  while (f != nullptr && in_library(*f) && f->caller != nullptr && in_library(*f->caller)) f = f->caller;
  return f;
}

void Reporter::refuse_option(std::string_view name, std::vector<std::string_view> known, const Frame* f,
                             Span check) const {
  std::string called = "a function";
  const std::string options =
      known.empty() ? "" : (known.size() == 1 ? "its option is " : "its options are ") + listed(known);
  Span place = check;
  const Frame* const callee = called_by_program(f);
  if (callee != nullptr && callee->closure != nullptr) {
    const core::Function& function = callee->closure->function;
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      if (function.stars_of(i).empty()) known.push_back(function.parameters[i].name);
    }
    const std::string_view library = host_.library_of(function.span);
    place = callee->site != nullptr ? *callee->site : Span();
    called = library.empty() ? callee->closure->name() : called_as(place, signature_of(function), library);
    f = callee->caller;
    const bool is_of_program = f != nullptr && f->source_unit != nullptr;
    const Span written = is_of_program ? place_of_argument(*f->source_unit->unit, place, name) : Span();
    if (written.known()) place = written;
  }
  if (!called.starts_with("a ")) called = "`" + called + "`";
  const std::string hint = resolve::hint_for_keyword({}, name, known);
  fail(eval::row("unknown_option"), {std::string(name), called}, {{place, ""}}, f, hint.empty() ? options : hint);
}

void Reporter::note_iteration(CovecError& error, Span loop, int64_t number) const {
  Diagnostic& first = error.diagnostics.front();
  if (first.kind == ErrorKind::not_finite)
    first.notes.push_back("in iteration " + std::to_string(number) + " of the loop at " + host_.place_text(loop));
}

void Reporter::stop_staging(std::string_view what, Span span, const Frame& f) const {
  fail(message("not_staged"), {std::string(what)}, {{span, ""}}, f);
}

// "a is f64[3]", said of the operand that the program calls `weights`, becomes "weights is f64[3]".
std::string Reporter::label_text(const ArgumentLabel& label, Span place, const ops::Entry& entry) const {
  constexpr size_t longest = 24;  // bytes of an operand that a message quotes
  const auto number = static_cast<size_t>(label.argument);
  if (number >= entry.parameters.size()) return label.text;
  const std::string_view name = entry.parameters[number].name;
  if (!label.text.starts_with(name) || !label.text.substr(name.size()).starts_with(" is ")) return label.text;
  const std::string written = source_of(place);
  const bool plain =
      !written.empty() && written.size() <= longest && written.find_first_of("\n\"'") == std::string::npos;
  return (plain ? written : "this") + label.text.substr(name.size());
}

// An operator names the operands that disagree by number; here they get their places. Without operands of its own that
// can be pointed at, the whole operation is the place.
void Reporter::raise(const OpError& error, Span whole, std::span<const Span> operands, const Frame* f,
                     const ops::Entry* entry) const {
  if (const Diagnostic* caught = caught_.again(error)) {
    kept_.take(*caught, f, whole);
    throw CovecError(*caught);
  }
  Diagnostic diagnostic;
  diagnostic.code = error.code;
  diagnostic.kind = error.kind;
  diagnostic.program_kind = error.program_kind;
  diagnostic.message = error.message;
  std::vector<std::string> written;
  for (const Span operand : operands) written.push_back(source_of(operand));
  diagnostic.hint = hint_for_operands(host_, error, entry, written);
  diagnostic.stack = stack_of(f);
  for (const ArgumentLabel& label : error.labels) {
    const bool placed = label.argument >= 0 && static_cast<size_t>(label.argument) < operands.size() &&
                        operands[label.argument].known();
    const Span place = placed ? operands[label.argument] : whole;
    if (!place.known()) continue;
    const bool of_default = !placed && label.text == "this is none";  // said of an argument that is not written
    diagnostic.labels.push_back({place, of_default        ? ""
                                        : placed && entry ? label_text(label, place, *entry)
                                                          : label.text});
  }
  if (diagnostic.labels.empty() && whole.known()) diagnostic.labels.push_back({whole, ""});
  const bool elsewhere =
      error.site && error.site->known() && !(error.site->contains(whole) && whole.contains(*error.site));
  if (elsewhere && error.is_at_site)
    diagnostic.labels.insert(diagnostic.labels.begin(), {*error.site, ""});
  else if (elsewhere)
    diagnostic.labels.push_back({*error.site, "the error occurred here"});
  const Span place = diagnostic.labels.empty() ? Span() : diagnostic.labels.front().span;
  diagnostic = seen_from_program(std::move(diagnostic));
  kept_.take(diagnostic, f, place);
  throw CovecError(std::move(diagnostic));
}

}  // namespace covec
