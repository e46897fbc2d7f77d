// See habits.hpp.
#include "frontend/source/habits.hpp"

namespace covec::habits {

std::string_view cure(At at, std::string_view word) {
  for (const Habit& habit : at == At::name ? names() : words()) {
    if (habit.at == at && habit.word == word) return habit.cure;
  }
  return {};
}

std::string_view cure_of_name(std::string_view word) { return cure(At::name, word); }

std::string_view cure_of_method(At receiver, std::string_view word) {
  const std::string_view own = cure(receiver, word);
  return own.empty() && receiver == At::tensor ? cure(At::name, word) : own;
}

std::string_view cure_of_path(std::string_view path) {
  for (std::string_view end = path;;) {
    const std::string_view found = cure(At::path, end);
    if (!found.empty()) return found;
    const size_t dot = end.find('.');
    if (dot == std::string_view::npos) return cure(At::name, end);
    end.remove_prefix(dot + 1);
  }
}

bool is_foreign_module(std::string_view word) { return cure(At::module, word) == cure(At::module, "numpy"); }

}  // namespace covec::habits
