#include "jit/prepared/worker_failure.hpp"

#include <algorithm>
#include <cctype>

namespace covec::jit {

WorkerFailure failure_of(const Prepared& prepared, const WorkerHost::Raised& raised) {
  const auto text_in = [&](const Image& image) -> const ErrorText* {
    const bool is_there = image.plan->graph.get() == raised.graph && raised.place < image.texts.size();
    return is_there ? &image.texts[raised.place] : nullptr;
  };
  const ErrorText* text = raised.graph == nullptr ? &prepared.itself : text_in(prepared.main);
  for (const Image& function : prepared.functions) text = text != nullptr ? text : text_in(function);
  return {raised.error, text};
}

namespace {

// "optim.adam: …": modules begin their own messages so, and nobody puts a name before that.
bool names_function(std::string_view message) {
  const std::string_view name = message.substr(0, std::min(message.find(": "), message.size()));
  const auto in_name = [](char c) { return c == '.' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return name.size() < message.size() && name.find('.') != std::string_view::npos && std::ranges::all_of(name, in_name);
}

}  // namespace

std::string WorkerFailure::message() const {
  const bool is_told = error.kind == ErrorKind::ordinary || error.kind == ErrorKind::no_value;
  if (text == nullptr || !is_told || names_function(error.message)) return error.message;
  return text->before + error.message + text->after;
}

const SourcePosition* WorkerFailure::place() const {
  if (text == nullptr) return nullptr;
  for (const ArgumentLabel& label : error.labels) {
    const bool placed = label.argument >= 0 && static_cast<size_t>(label.argument) < text->operands.size();
    if (placed && text->operands[static_cast<size_t>(label.argument)].line != 0)
      return &text->operands[static_cast<size_t>(label.argument)];
    if (text->whole.line != 0) break;
  }
  return &text->whole;
}

}  // namespace covec::jit
