#include "interpreter/repl/editor/recall.hpp"

namespace covec::editor {

void Recall::begin() {
  place_ = history_.size();
  edited_.clear();
  given_.reset();
}

const std::string& Recall::at(size_t place) const {
  const auto known = edited_.find(place);
  return known != edited_.end() ? known->second : history_[place];
}

std::string Recall::go(size_t place, const std::string& left) {
  edited_[place_] = left;
  place_ = place;
  given_ = at(place);
  return *given_;
}

std::optional<std::string> Recall::to(size_t place, const std::string& left) {
  if (place > history_.size()) return std::nullopt;  // before the first, too
  prefix_.clear();
  return go(place, left);
}

// An entry that was changed is a new text. Entries that read as the text does would seem to be no step.
std::optional<std::string> Recall::next(bool older, const std::string& left, std::string_view before) {
  const size_t newest = history_.size();
  if (given_ != left) {
    prefix_ = before;
    if (older) place_ = newest;
  }
  for (size_t place = older ? place_ - 1 : place_ + 1; place <= newest; older ? --place : ++place) {
    const bool new_text = place == newest;
    if (new_text || (at(place).starts_with(prefix_) && at(place) != left)) return go(place, left);
  }
  return std::nullopt;
}

}  // namespace covec::editor
