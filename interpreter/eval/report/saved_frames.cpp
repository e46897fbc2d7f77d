#include "interpreter/eval/report/saved_frames.hpp"

#include <new>

namespace covec {

const Closure* SavedFrame::closure() const {
  return function.is(ObjectKind::function) ? static_cast<const Closure*>(&function.function()) : nullptr;
}

const std::vector<std::string_view>& SavedFrame::slot_names() const {
  return closure() != nullptr ? closure()->function.slot_names : source_unit->unit->slot_names;
}

bool was_moved(const Value& slot) { return slot.is_none() && *static_cast<const int64_t*>(slot.scalar_data()) != 0; }

namespace {

SavedFrame kept(Frame& f, Span place) {
  SavedFrame frame;
  if (f.closure != nullptr) frame.function = reference_to(const_cast<Closure*>(f.closure));
  frame.source_unit = f.source_unit;
  frame.place = place;
  frame.open = &f;
  frame.has_variables = f.slots != nullptr && !f.is_staged();
  if (!frame.has_variables) return frame;
  const Globals& globals = f.source_unit->module->globals;
  if (f.closure == nullptr) frame.globals.assign(globals.data(), globals.data() + globals.size());
  frame.slots.assign(f.slots, f.slots + frame.slot_names().size());
  return frame;
}

}  // namespace

std::vector<SavedFrame> frames_from(Frame* innermost, Span place) {
  std::vector<std::pair<Frame*, Span>> calls;
  for (Frame* f = innermost; f != nullptr; f = f->caller) {
    if (f->source_unit != nullptr) calls.emplace_back(f, place);
    place = f->site != nullptr ? *f->site : Span();
  }
  std::vector<SavedFrame> frames;
  const bool ends_in_text = !calls.empty() && calls.back().first->closure == nullptr;
  const size_t left_out = left_out_calls(calls.size() - (ends_in_text ? 1 : 0));
  for (size_t i = 0; i < calls.size(); ++i) {
    if (left_out > 0 && i == listed_inner_calls) {
      frames.emplace_back().left_out = left_out;
      i += left_out;
    }
    frames.push_back(kept(*calls[i].first, calls[i].second));
  }
  return frames;
}

// Where there is no memory for the copies the error is told all the same.
void SavedFrames::take(const Diagnostic& diagnostic, const Frame* f, Span place) {
  if (!enabled_ || f == nullptr || f->is_staged()) return;
  try {
    frames_ = frames_from(const_cast<Frame*>(f), place);
    for (SavedFrame& frame : frames_) frame.open = nullptr;
    message_ = diagnostic.message;
  } catch (const std::bad_alloc&) {
    frames_.clear();
  }
}

const std::vector<SavedFrame>& SavedFrames::of(const Diagnostic& diagnostic) const {
  static const std::vector<SavedFrame> none;
  return diagnostic.message == message_ ? frames_ : none;
}

}  // namespace covec
