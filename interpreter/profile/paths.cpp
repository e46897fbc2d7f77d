#include "interpreter/profile/paths.hpp"

#include "frontend/core/marks.hpp"

namespace covec::profile {

namespace {

const ops::Activity* outermost_compilation(const ops::Activity* activity) {
  const ops::Activity* found = nullptr;
  for (; activity != nullptr; activity = activity->outer) {
    if (activity->kind == ops::Activity::Kind::compiling) found = activity;
  }
  return found;
}

// Which place of the graph runs: that of the machine code where the thread is, or from where it has called what it is
// in: the innermost address in its stack that is one of code with a place. The instruction in front of the address: a
// processor stops behind the one that it has waited for. Words of others' frames are no business of a sanitizer.
[[gnu::no_sanitize("address")]] uint32_t placed_by(const ops::Activity& code, const Position& at) {
  if (code.placed == nullptr || (code.step != ops::Activity::no_step && code.by_step)) return 0;
  if (const uint32_t place = code.placed->place_at(at.instruction - 1); place != 0) return place;
  const uintptr_t* word = at.stack;
  const auto* const end = reinterpret_cast<const uintptr_t*>(&code);  // the code has been called from there
  for (size_t k = 0; k < at.words && word < end; ++k, ++word) {
    if (const uint32_t place = code.placed->place_at(*word - 1); place != 0) return place;
  }
  return 0;
}

}  // namespace

// Where the frame is: at the call of the one inside, or at its marked statement, or at the operator inside of that one
// that is applied. A function without statements has its expression.
Step Paths::place_of(const Frame& frame, const Frame* inside) const {
  const core::Function* const function = frame.closure != nullptr ? &frame.closure->function : nullptr;
  const auto at = [&](const Span& span) { return Step{Step::Kind::call, span.file, span.begin, function}; };
  if (inside != nullptr && inside->site != nullptr && inside->site->known()) return at(*inside->site);
  Span statement{frame.source_unit->unit->file, 0, 0};
  if (function != nullptr && function->expression != nullptr)
    statement = function->expression->span;
  else if (frame.at != nullptr)
    statement = core::head_of(*frame.at);
  else if (function != nullptr)
    statement = function->name_span;
  const Span* const site = stack_.context().site;
  return at(inside == nullptr && site != nullptr && statement.contains(*site) ? *site : statement);
}

std::span<const Step> Paths::read(Buffer& path, const Position& at) const {
  size_t length = 0;
  const ops::Activity* activity = activities_.innermost();
  const Frame* inside = nullptr;
  const Frame* frame = stack_.innermost();
  const auto leaf = [&](const ops::Activity& of) {
    if (of.kind == ops::Activity::Kind::compiling) {
      path[length++] = {Step::Kind::compiling, 0, 0, of.what};
      return;
    }
    const uint32_t place = &of == activities_.innermost() && length == 0 ? placed_by(of, at) : 0;
    path[length++] = {Step::Kind::code, place, place != 0 ? ops::Activity::no_step : of.step, of.what};
  };
  // What is walked for the compiler is compiling. Frames of that walk may have no caller: then only the compilation
  // knows for which call it works.
  if (const ops::Activity* const compilation = outermost_compilation(activity)) {
    for (; frame != nullptr && frame != compilation->frame; frame = frame->caller) inside = frame;
    if (frame == nullptr) {
      frame = static_cast<const Frame*>(compilation->frame);
      inside = nullptr;
    }
    leaf(*compilation);
    activity = compilation->outer;
  }
  // Code that a host calls has no frame around it.
  for (;; inside = frame, frame = frame->caller) {
    for (; activity != nullptr && activity->frame == frame && length + 2 < path.size(); activity = activity->outer)
      leaf(*activity);
    if (frame == nullptr) break;
    if (length + 1 == path.size()) {
      path[length++] = {Step::Kind::cut, 0, 0, nullptr};
      break;
    }
    path[length++] = place_of(*frame, inside);
  }
  return {path.data(), length};
}

}  // namespace covec::profile
